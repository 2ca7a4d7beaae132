import { Tool } from "toolroom";
throw new Error("no configuration");
