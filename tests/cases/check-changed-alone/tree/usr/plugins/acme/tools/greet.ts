import { Tool, z } from "toolroom";

const parameters = z.object({ whom: z.string().describe("whom to greet") });

export default class Greet extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";

  async execute({ whom }: z.infer<typeof parameters>) {
    return this.success(whom);
  }
}
