import { Tool, z } from "toolroom";

const parameters = z.object({ action: z.enum(["lines", "bytes"]), path: z.string() });

export default class extends Tool {
  static readonly parameters = parameters;
  static readonly risk = "low";

  async execute() {
    return this.success("3");
  }
}
