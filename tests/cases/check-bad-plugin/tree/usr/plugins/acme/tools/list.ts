import { Tool } from "toolroom";

export default class List extends Tool {
  static readonly parameters = { type: "object", properties: { items: { type: "array" } }, required: ["items"] };

  async execute() {
    return this.success("done");
  }
}
