import { Tool, z } from "toolroom";

const parameters = z.object({
  name: z.string().min(1).describe("whom to greet"),
  times: z.number().int().min(1).max(5).default(1).describe("how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, how often, "),
});

const output = z.object({ greeting: z.string(), times: z.number().int() });

export default class Greet extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Near. ".repeat(60);
  static readonly output = output;
  static readonly risk = "low";

  async execute({ name, times }: z.infer<typeof parameters>) {
    const greeting = Array(times).fill(`Hello, ${name}!`).join(" ");
    return this.success(greeting, { greeting, times });
  }
}
