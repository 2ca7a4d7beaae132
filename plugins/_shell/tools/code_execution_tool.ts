import { type ProcessState, type RiskVerdict, Tool, ToolError, type ToolResult, z } from "toolroom";
import { answerOf } from "../lib/answer.ts";
import { findSession, follow, isBusy, openSession, requireSession, sessionId } from "../lib/sessions.ts";

const RUNTIMES = ["terminal", "python", "nodejs", "output", "reset"] as const;
/** Above the longest that it waits for code, whatever settings say. */
const DEADLINE_MS = 3_600_000;

const parameters = z.object({
  runtime: z
    .enum(RUNTIMES)
    .describe("terminal (bash), python, nodejs; output waits for what running code writes; reset ends the session"),
  code: z.string().min(1).max(100_000).optional().describe("for terminal, python and nodejs: what to run"),
  session: z.number().int().min(0).max(9).default(0).describe("which session, default 0; each keeps its state"),
});

type Arguments = z.infer<typeof parameters>;

/** Runs code in sessions of a shell that stay: what one call has set, the next one finds. */
export default class CodeExecution extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Runs code in a shell session that keeps its state: bash, Python or Node.js.";
  static readonly risk = riskOf;
  static readonly sends = ["code"];
  static readonly untrusted = true;
  static readonly timeoutMs = DEADLINE_MS;

  async execute(args: Arguments): Promise<ToolResult> {
    const { runtime, session } = args;
    if (runtime === "reset") return await this.#reset(session);
    if (runtime === "output") return await this.#output(session);
    const code = codeOf(args);
    const opened = await openSession(this, session);
    if (isBusy(opened)) return await this.#refuse(opened, session);
    const { id, sent } = this.processes.send(opened.id, code);
    return answerOf(this, session, await follow(this, { id, sent }));
  }

  async #output(session: number): Promise<ToolResult> {
    return answerOf(this, session, await follow(this, requireSession(this, session)));
  }

  async #reset(session: number): Promise<ToolResult> {
    if (!findSession(this, session))
      return this.success(`There was no session ${session}; code begins a new one.`, { session });
    await this.processes.stop(sessionId(session));
    return this.success(`Session ${session} was ended; code begins a new one.`, { session });
  }

  async #refuse({ id }: ProcessState, session: number): Promise<ToolResult> {
    const { stdout } = await this.processes.read(id);
    const message = `in session ${session} code still runs. Its output since it was last shown:\n${stdout.text || "[none]"}`;
    const hint =
      "Wait with runtime output, answer it with the tool input, end it with runtime reset, or use another session.";
    return this.failure("CONFLICT", message, { pointer: "/session", hint, data: { session, output: stdout.text } });
  }
}

function riskOf({ runtime }: Arguments): RiskVerdict {
  if (runtime === "output" || runtime === "reset") {
    return { level: "low", reasons: ["about code that the agent itself has started"] };
  }
  return { level: "high", reasons: ["runs any code"] };
}

function codeOf({ runtime, code }: Arguments): string {
  if (code === undefined) {
    const hint = "Say what to run.";
    throw new ToolError("INVALID_PARAM", `expected code with runtime ${runtime}, found none`, {
      pointer: "/code",
      hint,
    });
  }
  if (code.includes("\0")) {
    const hint = "Write it as an escape of the language.";
    throw new ToolError("INVALID_PARAM", "code cannot hold a NUL character", { pointer: "/code", hint });
  }
  if (runtime === "python") return `python3 -u -c ${quoted(code)}`;
  return runtime === "nodejs" ? `node -e ${quoted(code)}` : code;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
