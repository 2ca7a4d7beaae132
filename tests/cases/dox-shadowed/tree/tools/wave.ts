import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "medium";
  static readonly parameters = { type: "object", properties: {}, additionalProperties: false };
  async execute() {
    return this.success("");
  }
}
