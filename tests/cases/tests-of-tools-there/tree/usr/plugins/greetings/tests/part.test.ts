import { testTool } from "toolroom/testing";

testTool(new URL("../tools/part.ts", import.meta.url));
