import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    return this.success("");
  }
}
