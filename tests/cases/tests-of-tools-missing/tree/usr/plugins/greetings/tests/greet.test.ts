import { testTool } from "toolroom/testing";

testTool("../tools/greet.ts");
