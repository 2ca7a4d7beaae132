import { Tool } from "toolroom";

export default class extends Tool {
  static readonly risk = "extreme";

  async execute() {
    return this.success("");
  }
}
