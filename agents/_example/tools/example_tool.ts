import { Tool, z } from "toolroom";

const parameters = z.object({
  test_input: z.string().describe("any text"),
});

/** Gives its input back. It shows all that a plain tool needs, and progress and checkpoints besides. */
export default class ExampleTool extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Gives a text back, to show how a tool works.";
  static readonly risk = "low";

  async execute({ test_input }: z.infer<typeof parameters>) {
    await this.setProgress("Looking at the input.");
    await this.agent.handleIntervention(this.progress);
    return this.success(`The example tool was given "${test_input}".`, { test_input, length: test_input.length });
  }
}
