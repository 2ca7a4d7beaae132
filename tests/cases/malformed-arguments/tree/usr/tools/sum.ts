import { Tool, z } from "toolroom";
const parameters = z.object({ numbers: z.array(z.number()), note: z.string() });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ numbers, note }: z.infer<typeof parameters>) {
    return this.success(`${numbers.reduce((a, b) => a + b, 0)} ${note}`);
  }
}
