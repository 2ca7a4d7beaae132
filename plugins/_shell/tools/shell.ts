import {
  type CommandPlan,
  judgeCommand,
  type ProcessRead,
  type ProcessState,
  type RiskContext,
  type RiskVerdict,
  Tool,
  ToolError,
  z,
} from "toolroom";
import { dataOf, textOf } from "../lib/told.ts";

const ACTIONS = ["run", "jobs", "output", "stop"] as const;
const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 3600;
/** What fails at once is told at once. */
const BEGIN_MS = 300;

const parameters = z.object({
  action: z
    .enum(ACTIONS)
    .default("run")
    .describe("run (default); of commands in the background: jobs lists them, output gives what is new, stop ends one"),
  command: z.string().min(1).max(100_000).optional().describe("for run: the command, in the syntax of bash"),
  timeout: z
    .number()
    .min(0.1)
    .max(MOST_SECONDS)
    .optional()
    .describe("seconds until it is ended, default 60; with output how long to wait for something new, default 0"),
  cwd: z.string().min(1).default(".").describe("the directory to run in, default the workspace"),
  background: z.boolean().default(false).describe("true goes on at once, and gives an id for output and stop"),
  job: z.string().optional().describe("for output and stop: the id"),
});

type Arguments = z.infer<typeof parameters>;

/** Runs commands of a shell, in the workspace. */
export default class Shell extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Runs a command in the workspace and gives its output, also in the background.";
  static readonly risk = riskOf;
  static readonly sends = ["command"];
  static readonly untrusted = true;
  static readonly timeoutMs = (MOST_SECONDS + 60) * 1000;

  async execute(args: Arguments) {
    const { action, timeout } = args;
    switch (action) {
      case "run":
        return args.background ? await this.#start(args) : await this.#run(args);
      case "jobs":
        return this.#list();
      case "output":
        return this.#told(await pointed(this.processes.read(jobOf(args), { waitMs: (timeout ?? 0) * 1000 }), "/job"));
      case "stop":
        return this.#told(await pointed(this.processes.stop(jobOf(args)), "/job"));
    }
  }

  async #run(args: Arguments) {
    const { cwd, timeout = DEFAULT_SECONDS } = args;
    const plan = this.#plan(args);
    const onProgress = (text: string): void => void this.setProgress(text);
    const done = await this.processes.run(plan, { cwd, timeoutMs: timeout * 1000, onProgress });
    const data = { ...dataOf(done), timedOut: done.timedOut, cwd: done.cwd };
    if (done.timedOut) {
      // How long it may take was the model's choice, and says nothing of the tool: no error, which would have it rest.
      const advice = `Give a longer timeout (at most ${MOST_SECONDS}), or run it with "background": true.`;
      return this.partial(`${textOf(done)}\n[ended after ${timeout} s, before it was done. ${advice}]`, data);
    }
    return done.exitCode === 0 ? this.success(textOf(done), data) : this.partial(textOf(done), data);
  }

  async #start(args: Arguments) {
    const plan = this.#plan(args);
    const { id } = await this.processes.start(plan, { cwd: args.cwd, title: args.command ?? "" });
    return this.#told(await this.processes.read(id, { waitMs: BEGIN_MS, untilEnd: true }));
  }

  /** What was decided on, and nothing else. */
  #plan({ command }: Arguments): CommandPlan {
    if (command === undefined) throw missing("command", "run", "the command");
    const { plan } = this;
    if (!plan) {
      throw new ToolError("DENIED_BY_POLICY", "nothing of the command was found to run", { pointer: "/command" });
    }
    const decided = plan.value as CommandPlan;
    if (plan.holdsSecrets && decided.kind === "bash") {
      throw new ToolError("INVALID_PARAM", "expected a secret in one plain command, found it in a text for a shell", {
        pointer: "/command",
        hint: "A secret could be read there as part of the text. Run one program with it, without pipes, redirections or variables.",
      });
    }
    return decided;
  }

  #list() {
    const own = this.processes.list().filter(({ tool }) => tool === this.name);
    if (own.length === 0) return this.success("Nothing was started in the background.", { jobs: [] });
    return this.success(own.map(lineOf).join("\n"), { jobs: own.map(summaryOf) });
  }

  #told(read: ProcessRead) {
    const { id, state, exitCode } = read;
    const data = { ...summaryOf(read), ...dataOf(read) };
    const message = `${lineOf(read)}\n${textOf(read)}`;
    if (state === "ended") return exitCode === 0 ? this.success(message, data) : this.partial(message, data);
    return this.success(`${message}\n[${id} runs on]`, data);
  }
}

/** Of a command what its tree says; what only looks at what was started, or ends it, is low. */
async function riskOf({ action, command, cwd }: Arguments, { workspace, policy }: RiskContext): Promise<RiskVerdict> {
  if (action !== "run") return { level: "low", reasons: ["about what the agent itself has started"] };
  if (command === undefined) return { level: "low", reasons: ["no command, which is refused"] };
  await pointed(workspace.resolve(cwd), "/cwd");
  return await judgeCommand(command, { workspace, policy, cwd });
}

function jobOf({ action, job }: Arguments): string {
  if (job !== undefined) return job;
  throw missing("job", action, "which one; action jobs lists them");
}

function missing(name: string, action: string, what: string): ToolError {
  const hint = `Say ${what}.`;
  return new ToolError("INVALID_PARAM", `expected ${name} with action ${action}, found none`, {
    pointer: `/${name}`,
    hint,
  });
}

/** An error of the host points to the tool's own argument. */
async function pointed<T>(work: Promise<T>, pointer: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(error.code, error.message, { ...error.details, pointer });
  }
}

function lineOf({ id, title, state }: ProcessState): string {
  return `${id} (${state}): ${title.length > 200 ? `${title.slice(0, 199)}…` : title}`;
}

function summaryOf({ id, title, state, exitCode, signal }: ProcessState) {
  return { job: id, command: title, state, exitCode, signal };
}
