import { Tool, z } from "toolroom";

const parameters = z.object({
  text: z.string().min(1).describe("the complete answer"),
});

/** Replaces the core tool of this name for this profile only. The role makes it the answering tool. */
export default class Response extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Gives the final answer, signed by the example agent.";
  static readonly risk = "low";
  static readonly role = "answer";

  async execute({ text }: z.infer<typeof parameters>) {
    return this.response({ message: `${text}\n\n(the example agent)`, breakLoop: true });
  }
}
