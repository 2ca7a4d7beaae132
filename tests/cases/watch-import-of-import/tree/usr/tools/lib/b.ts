export { word } from "./deep/util.ts";
