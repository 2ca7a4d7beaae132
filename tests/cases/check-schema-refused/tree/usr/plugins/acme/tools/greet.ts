import { Tool } from "toolroom";

export default class Greet extends Tool {
  static readonly risk = "low";
  static readonly parameters = { type: "object", properties: { name: { type: "text" } } };

  async execute() {
    return this.success("hello");
  }
}
