import { Tool } from "toolroom";

export default class Greet extends Tool {
  static readonly risk = "low";
  static readonly parameters = {
    oneOf: [
      { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      { type: "object", properties: { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false } } },
    ],
  };

  async execute() {
    return this.success("hello");
  }
}
