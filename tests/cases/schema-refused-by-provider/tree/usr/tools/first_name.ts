import { Tool } from "toolroom";

export default class Greet extends Tool {
  static readonly risk = "low";
  static readonly parameters = { type: "object", properties: { "name[first]": { type: "string" } }, required: ["name[first]"] };

  async execute() {
    return this.success("hello");
  }
}
