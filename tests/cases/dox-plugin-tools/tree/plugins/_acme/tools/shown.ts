import { Tool, z } from "toolroom";

export default class extends Tool {
  static readonly parameters = z.object({});
  static readonly risk = "low";

  async execute() {
    return this.success("3");
  }
}
