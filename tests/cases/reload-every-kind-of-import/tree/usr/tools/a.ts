import { Tool } from "toolroom";
import { d as mjs } from "./lib/d.mjs";
import cjs from "./lib/d.cjs";
import json from "./lib/d.json";
import { d as js } from "./lib/d.js";
import { d as ts } from "./lib/d.ts";
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    return this.success(`${mjs} ${cjs.d} ${json.d} ${js} ${ts}`);
  }
}
