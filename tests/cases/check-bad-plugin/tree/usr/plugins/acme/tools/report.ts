import { Tool, z } from "toolroom";

const parameters = z.object({
  file: z.string().describe("the file"),
  pages: z.number().int().optional().describe("how many"),
});

export default class Report extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly output = z.object({ pages: z.number() });
  static readonly risk = "medium";

  async execute({ file }: z.infer<typeof parameters>) {
    if (file === "") return this.failure("CONFLICT", "no");
    return this.success(file, { pages: 1 });
  }
}
