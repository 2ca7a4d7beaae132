import { Tool } from "toolroom";
import { word } from "./lib/b.ts";
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    return this.success(word);
  }
}
