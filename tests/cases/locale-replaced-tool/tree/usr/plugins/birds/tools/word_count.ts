import { Tool, z } from "toolroom";

const parameters = z.object({ path: z.string().describe("where they nest") });

export default class WordCount extends Tool<typeof parameters> {
  static readonly parameters = parameters;

  async execute({ path }: z.infer<typeof parameters>) {
    return this.success(`Hello, ${path}.`);
  }
}
