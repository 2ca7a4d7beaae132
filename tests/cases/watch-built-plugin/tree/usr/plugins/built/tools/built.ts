import { Tool } from "toolroom";
import { word } from "../dist/index.js";
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    return this.success(word);
  }
}
