import { type Job, Tool, type ToolResult, z } from "toolroom";
import { pointed } from "../lib/pointed.ts";

const ACTIONS = ["start", "await", "collect", "cancel"] as const;
const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 3600;

const call = z.object({
  tool_name: z.string().describe("name of a tool, or name:method"),
  tool_args: z.record(z.string(), z.unknown()).default({}).describe("its arguments"),
});

const parameters = z.object({
  action: z
    .enum(ACTIONS)
    .default("start")
    .describe("start (default), await (waits for results), collect (takes what is done, without waiting), cancel"),
  tool_calls: z
    .array(call)
    .min(1)
    .max(32)
    .optional()
    .describe("for start: the calls; all names must be right, else none is started"),
  job_ids: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("for the others; default all that are open, but not for cancel"),
  wait: z.boolean().default(false).describe("true with start awaits the results at once"),
  timeout: z
    .number()
    .min(0)
    .max(MOST_SECONDS)
    .default(DEFAULT_SECONDS)
    .describe("seconds to wait at most, default 60; what runs longer goes on"),
});

type Arguments = z.infer<typeof parameters>;

/** Runs calls of other tools in the background. */
export default class Parallel extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Runs calls of other tools side by side in the background.";
  // Each call is judged by itself.
  static readonly risk = "low";
  static readonly timeoutMs = (MOST_SECONDS + 60) * 1000;

  async execute(args: Arguments) {
    const jobs = this.agent.jobs();
    const { action, tool_calls: calls, job_ids: ids, wait, timeout } = args;
    const timeoutMs = timeout * 1000;
    const fault = misuse(args);
    if (fault) return this.failure("INVALID_PARAM", fault.message, { pointer: fault.pointer, hint: fault.hint });
    switch (action) {
      case "start": {
        const asked = (calls ?? []).map(({ tool_name: name, tool_args }) => ({ name, args: tool_args }));
        const started = await pointed(jobs.start(asked), inCalls);
        if (!wait) return this.#started(started);
        const own = started.map(({ id }) => id);
        return this.#told(await this.#wait(own, timeoutMs));
      }
      case "await":
        return this.#told(await pointed(this.#wait(ids, timeoutMs), inIds));
      case "collect":
        return this.#told(await pointed(jobs.wait(ids, { timeoutMs: 0 }), inIds));
      case "cancel":
        return this.#told(await pointed(jobs.cancel(ids ?? []), inIds));
    }
  }

  /** The progress says how far they are. Whoever interrupts the waiting does not end the calls. */
  async #wait(ids: readonly string[] | undefined, timeoutMs: number): Promise<readonly Job[]> {
    const jobs = this.agent.jobs();
    const told = async (): Promise<void> => {
      const waited = jobs.list().filter(({ id }) => ids?.includes(id) ?? true);
      await this.setProgress(["In the background:", ...waited.map(stateOf)].join("\n"));
    };
    await told();
    return await jobs.wait(ids, { timeoutMs, onDone: () => void told() });
  }

  #started(jobs: readonly Job[]): ToolResult {
    return this.response({
      message: linesOf(jobs),
      additional: { keep: jobs.map(markOf) },
      data: { jobs: jobs.map(summaryOf) },
    });
  }

  /** The results, in the order of the calls, and what is still open. */
  #told(jobs: readonly Job[]): ToolResult {
    if (jobs.length === 0) return this.success("There are no background calls whose results were not given yet.");
    const done = jobs.filter(({ state }) => state === "done");
    const open = jobs.filter(({ state }) => state !== "done");
    const parts = [
      ...jobs.map(textOf),
      ...(open.length > 0 ? [`${open.length} of ${jobs.length} not done yet; they go on.`] : []),
    ];
    const data = { jobs: jobs.map(summaryOf), open: open.map(({ id }) => id) };
    const allWell = done.length === jobs.length && done.every(({ result }) => result?.status === "success");
    const result = allWell ? this.success(parts.join("\n\n"), data) : this.partial(parts.join("\n\n"), data);
    const keep = [...open.map(markOf), ...done.flatMap(({ result: inner }) => namesOf(inner?.additional?.keep))];
    const drop = [...done.map(markOf), ...done.flatMap(({ result: inner }) => namesOf(inner?.additional?.drop))];
    return { ...result, additional: { ...(keep.length > 0 ? { keep } : {}), ...(drop.length > 0 ? { drop } : {}) } };
  }
}

const inCalls = (pointer: string): string => `/tool_calls${pointer.replace(/(name|args)$/u, "tool_$1")}`;
const inIds = (pointer: string): string => `/job_ids${pointer}`;

interface Misuse {
  readonly message: string;
  readonly pointer: string;
  readonly hint: string;
}

function misuse({ action, tool_calls: calls, job_ids: ids }: Arguments): Misuse | undefined {
  if (action === "start") {
    if (ids !== undefined) {
      const hint = "Use await, collect or cancel for calls that were started, or leave job_ids out.";
      return { message: "expected tool_calls alone with start, found job_ids", pointer: "/job_ids", hint };
    }
    if (calls) return undefined;
    const hint = 'For example {"tool_calls": [{"tool_name": "…", "tool_args": {…}}]}.';
    return { message: "expected tool_calls, found none", pointer: "/tool_calls", hint };
  }
  if (calls !== undefined) {
    const hint = "Use start for new calls.";
    return { message: `expected job_ids with ${action}, found tool_calls`, pointer: "/tool_calls", hint };
  }
  if (action !== "cancel" || ids) return undefined;
  return { message: "expected job_ids to cancel, found none", pointer: "/job_ids", hint: "Name each one." };
}

function linesOf(jobs: readonly Job[]): string {
  return ["Started in the background:", ...jobs.map(({ id, name }) => `${id}: ${name}`)].join("\n");
}

function stateOf({ id, name, state, result }: Job): string {
  return `${id}: ${name}, ${result?.status ?? state}`;
}

/** No times: what the model reads is the same each time that a conversation is replayed. */
function textOf({ id, name, state, result }: Job): string {
  if (!result) return `[${id} ${name}] ${state}`;
  const { status, message, additional = {} } = result;
  const { keep: _keep, drop: _drop, ...extra } = additional;
  const more = Object.keys(extra).length === 0 ? "" : `\n${JSON.stringify(extra)}`;
  return `[${id} ${name}] ${status}\n${message}${more}`;
}

function summaryOf({ id, name, state, result }: Job) {
  if (!result) return { id, name, state };
  const { status, data, error, stats } = result;
  const code = error ? { code: error.code } : {};
  return { id, name, state, status, ...code, durationMs: stats.durationMs, data };
}

function markOf({ id }: Job): string {
  return `job:${id}`;
}

function namesOf(mark: unknown): readonly string[] {
  return (Array.isArray(mark) ? mark : [mark]).filter((name): name is string => typeof name === "string");
}
