import { Tool, z } from "toolroom";

export default class extends Tool {
  static readonly parameters = z.object({});
  static readonly risk = "high";

  async execute() {
    // this.failure("TOO_LARGE") in a comment, and in "a text: new ToolError('CONFLICT')", is no code that is given.
    if (this.name === "") return this.failure("BINARY_FILE", "expected text");
    return this.response({ message: "3", breakLoop: true });
  }
}
