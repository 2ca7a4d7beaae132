import { Tool, z } from "toolroom";

const parameters = z.object({ name: z.string().describe("whom to greet") });

export default class Greet extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";

  async execute({ name }: z.infer<typeof parameters>) {
    return this.success(name);
  }
}
