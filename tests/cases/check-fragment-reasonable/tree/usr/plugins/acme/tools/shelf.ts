import { Tool, z } from "toolroom";

const parameters = z.object({ action: z.enum(["list", "load"]), options: z.object({ depth: z.number() }).optional() });

export default class Shelf extends Tool<typeof parameters> {
  static readonly parameters = parameters;

  async execute() {
    return this.success("done");
  }
}
