import { Tool, z } from "toolroom";

const parameters = z.object({
  text: z.string().optional().describe("the complete answer in the language of the person; Markdown is fine"),
  message: z
    .string()
    .optional()
    .describe("another name for text; give one of the two, not both")
    .meta({ deprecated: true }),
});

/** Ends the turn: its text is what the person reads. */
export default class Response extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Gives the final answer to the person and ends the turn.";
  static readonly risk = "low";
  static readonly role = "answer";

  async execute({ text, message }: z.infer<typeof parameters>) {
    if (text !== undefined && message !== undefined) {
      return this.failure("INVALID_PARAM", "expected either text or message, found both", {
        pointer: "/message",
        hint: "Send the answer once, in text.",
      });
    }
    const answer = text ?? message;
    if (answer === undefined || answer.trim() === "") {
      const found = answer === undefined ? "neither" : "only white space";
      return this.failure("INVALID_PARAM", `expected a non-empty answer in text, found ${found}`, {
        pointer: message === undefined ? "/text" : "/message",
        hint: "Write the answer into text.",
      });
    }
    return this.response({ message: answer, breakLoop: true });
  }
}
