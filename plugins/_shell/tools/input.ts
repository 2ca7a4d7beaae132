import { Tool, type ToolResult, z } from "toolroom";
import { answerOf } from "../lib/answer.ts";
import { follow, isBusy, requireSession } from "../lib/sessions.ts";

const DEADLINE_MS = 3_600_000;

const parameters = z.object({
  keyboard: z.string().max(10_000).describe("what to type; the end of the line is added"),
  session: z.number().int().min(0).max(9).default(0).describe("the session in which a program asks, default 0"),
});

type Arguments = z.infer<typeof parameters>;

/** Types to what runs in a session. */
export default class Input extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Types a line to a program that runs in a session and asks for it.";
  // What reads it may be a shell.
  static readonly risk = "high";
  static readonly sends = ["keyboard"];
  static readonly untrusted = true;
  static readonly timeoutMs = DEADLINE_MS;

  async execute({ keyboard, session }: Arguments): Promise<ToolResult> {
    const found = requireSession(this, session);
    if (!isBusy(found)) {
      const hint = "Run a program that asks for something first.";
      return this.failure("CONFLICT", `nothing runs in session ${session} that could read it`, {
        pointer: "/session",
        hint,
      });
    }
    this.processes.type(found.id, `${keyboard.replace(/\n$/u, "")}\n`);
    return answerOf(this, session, await follow(this, found));
  }
}
