import { Tool, z } from "toolroom";

const parameters = z.object({
  path: z.string().describe("the file"),
  unit: z.enum(["lines", "bytes"]).default("lines").describe("what is counted"),
  limit: z.number().int().min(1).optional().describe("where to stop"),
  options: z.object({ deep: z.boolean() }).optional().describe("how"),
});

export default class extends Tool {
  static readonly parameters = parameters;
  static readonly risk = "low";

  async execute() {
    return this.success("3");
  }
}
