import type { DelegatedAnswer, DelegatedTask, ProfileSummary, ToolJobs } from "./delegation.ts";
import type { CallErrorCode, FailureDetails } from "./errors.ts";
import type { Json } from "./json.ts";
import type { ToolProcesses } from "./processes.ts";
import { createResult, type JsonObject, type ToolResult } from "./result.ts";
import type { RiskLevel } from "./risk-level.ts";
import type { SchemaSource, z } from "./schema.ts";
import type { Workspace } from "./workspace.ts";

export type { RiskLevel };

/** The answer of a risk function. */
export interface RiskVerdict {
  readonly level: RiskLevel;
  /** Why, each in a few words; shown to whoever approves. */
  readonly reasons: readonly string[];
  /** Blocks the call under every setting. */
  readonly deny?: { readonly rule: string; readonly message: string };
  /** What the call would do, as far as the answer hangs on it: `execute` is given the same as {@link Tool.plan}. */
  readonly plan?: Json;
}

/** What a risk function planned, as it was decided on. */
export interface CallPlan {
  readonly value: Json;
  /** Whether a secret was put into it. */
  readonly holdsSecrets: boolean;
}

/** What a risk function may look at. */
export interface RiskContext {
  readonly workspace: Workspace;
  /**
   * The effective risk profile, read-only: every key with its value, for an agent that works for others as strict as the
   * strictest of theirs. `allowed_tools` is null where it restricts nothing.
   */
  readonly policy: JsonObject;
}

/**
 * `static risk` of a tool: a level, or a function of the validated arguments. A function that throws a ToolError with
 * ACCESS_DENIED, PERMISSION_DENIED, INVALID_PARAM or CONFLICT refuses the call with it, and nobody is asked; one that throws
 * anything else makes the call high.
 */
// biome-ignore lint/suspicious/noExplicitAny: an author's function takes the type of the tool's own arguments
export type Risk = RiskLevel | ((args: any, context: RiskContext) => RiskVerdict | Promise<RiskVerdict>);

/**
 * `static preview` of a tool: what a call would change, for whoever is asked whether it may. It is read from files, as a
 * diff for example, and nothing is changed for it. Undefined: there is nothing to show beside the arguments.
 */
export type Preview = (
  // biome-ignore lint/suspicious/noExplicitAny: an author's function takes the type of the tool's own arguments
  args: any,
  context: RiskContext,
) => string | undefined | Promise<string | undefined>;

/** What a tool says it is for the host: `answer` (its message is the reply), `fallback` (runs for an unknown name). */
export type ToolRole = "answer" | "fallback";

/** One entry of the history as a tool sees it. */
export interface HistoryEntry {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
}

/** The narrow view of the agent that a tool is given. */
export interface ToolAgent {
  /** The profile's name. */
  readonly profile: string;
  /** Where the call comes from, and the ids that logs carry. */
  readonly context: {
    readonly id: string;
    readonly face: string;
    readonly project: string | undefined;
    /** How its superior names the agent; undefined for the one that a person talks to. */
    readonly agent: string | undefined;
    /** 0 for the agent that a person talks to, 1 for a subordinate of it. */
    readonly depth: number;
  };
  /** The turn's history up to this call; empty for a call without an agent. */
  readonly history: readonly HistoryEntry[];
  /** The effective settings, read-only. */
  readonly config: JsonObject;
  /** The tools that this profile can call now, for tools that tell about tools: id, description, diagnostics of those that failed. */
  tools(): Promise<readonly ToolSummary[]>;
  /** The skills of this profile, highest layer first per id. */
  skills(): Promise<readonly SkillSummary[]>;
  /** The profiles that a subordinate can have: those that are on and not hidden, sorted by id. */
  profiles(): Promise<readonly ProfileSummary[]>;
  /**
   * Has a subordinate do something, and waits for its answer. It works with the tools of its own profile, but never with
   * more than the agent that asks: what that one's profile, its risk profile, or whoever called it, switched off stays
   * off, and it has no more rounds than that one has left. It is stopped with the call. Meanwhile it hears what a person says.
   * @throws ToolError INVALID_PARAM (the profile), NOT_FOUND (no such subordinate of this agent), CONFLICT (it is at work),
   *   DENIED_BY_POLICY (the setting `agent.maxDepth`), NETWORK_ERROR or EXECUTION_ERROR (its model), ABORTED, STOPPED
   */
  delegate(task: DelegatedTask): Promise<DelegatedAnswer>;
  /** Calls in the background. */
  jobs(): ToolJobs;
  /**
   * A checkpoint: waits while the agent is paused, and throws when the call was interrupted or stopped.
   * Call it between the steps of anything long.
   * @param progress text to keep in the history if an intervention is taken here
   */
  handleIntervention(progress?: string): Promise<void>;
}

/** What {@link ToolAgent.tools} tells about a tool. */
export interface ToolSummary {
  readonly id: string;
  readonly description: string;
  readonly aliases: readonly string[];
  /** `failed`: its file is there but did not load when it was last tried; `error` says why. */
  readonly status: "ok" | "unloaded" | "degraded" | "failed";
  readonly error?: string;
}

/** What {@link ToolAgent.skills} tells about a skill. `directory` is absolute. */
export interface SkillSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly directory: string;
  readonly plugin: string | undefined;
}

/** State of the message loop at the time of the call. */
export interface LoopData {
  /** 0 for the first model call of the turn; −1 for a call without an agent. */
  readonly iteration: number;
  /** Values that live as long as the turn; tools of one turn share it. */
  readonly extras: Map<string, unknown>;
  readonly lastResponse: string;
}

/** A logger for tools; its lines carry the tool's name and are masked. */
export interface ToolLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What the host puts into an instance for one call, before `beforeExecution`. Its fields may be getters. */
export interface ToolCall {
  readonly agent: ToolAgent;
  readonly name: string;
  readonly method: string | undefined;
  readonly args: JsonObject;
  readonly message: string;
  readonly loopData: LoopData;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  readonly processes: ToolProcesses;
  readonly plan: CallPlan | undefined;
  readonly log: ToolLog;
  readonly config: JsonObject;
  /** The host's side of the builder and progress methods; not for authors. */
  readonly host: {
    readonly owner: string;
    readonly generation: number;
    /** The arguments as they were asked for: what `context.args` of a result says. */
    readonly requested: JsonObject;
    /** Milliseconds since `execute` began; 0 before. */
    elapsedMs(): number;
    /** The first path that this call resolved, as results show it. */
    pathResolved(): string | undefined;
    /** Publishes progress and answers with what the extensions made of it. */
    publishProgress(text: string): string | Promise<string>;
    /** @returns a function that forgets `dispose` again */
    onDispose(dispose: () => void | Promise<void>): () => void;
  };
}

/** What {@link Tool.response} takes. */
export interface ResponseParts {
  readonly message: string;
  readonly breakLoop?: boolean;
  readonly additional?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

const TOOL_BRAND = Symbol.for("toolroom.Tool");
const BIND = Symbol.for("toolroom.bind");

/**
 * The base of every tool. A tool is one file `tools/<name>.ts` whose default export is a class that extends
 * this one and has an `execute`; its id is the file name, `^[a-z][a-z0-9_]{0,63}$` without `__`.
 *
 * One instance is made for each call, without arguments; the fields below are there from `beforeExecution`
 * on, not in the constructor, and read-only.
 *
 * ```ts
 * import { Tool, z } from "toolroom";
 * const parameters = z.object({ name: z.string().describe("whom to greet") });
 * export default class Greet extends Tool<typeof parameters> {
 *   static readonly parameters = parameters;
 *   static readonly risk = "low";
 *   async execute({ name }: z.infer<typeof parameters>) {
 *     return this.success(`Hello, ${name}.`);
 *   }
 * }
 * ```
 *
 * @typeParam Parameters the type of `static parameters`; absent = any object is accepted
 */
export abstract class Tool<Parameters extends SchemaSource = SchemaSource> {
  static readonly [TOOL_BRAND] = true;
  /** Arguments: a zod object or a plain JSON Schema object. Absent = any object is accepted. */
  static readonly parameters?: SchemaSource;
  /** Used when neither a locale nor the fragment's front matter describes the tool. */
  static readonly description?: string;
  /** Absent = `medium`, for a tool with a role `low`: an agent has to be able to answer. A function that fails = `high`. */
  static readonly risk?: Risk;
  /** Shown to a person who is asked about a call, below its arguments; absent = the arguments are all. */
  static readonly preview?: Preview;
  /** Names of arguments whose values leave the machine: what looks like a secret in them asks first (`leak_guard`). */
  static readonly sends?: readonly string[];
  /** Schema of `data`. */
  static readonly output?: SchemaSource;
  /** `safe`: may run beside other safe calls of one reply. Default `serial`. */
  static readonly parallel?: "safe" | "serial";
  /** Its result is text from outside, which the model is given as data; later calls of the turn ask more. Default false. */
  static readonly untrusted?: boolean;
  /** Deadline of one call in milliseconds. Default: the setting `tools.timeoutMs` (120,000). */
  static readonly timeoutMs?: number;
  static readonly role?: ToolRole;

  /** Text gathered by `setProgress` and `addProgress`; kept in the history when the call is interrupted. */
  progress = "";

  #call: ToolCall | undefined;
  #published = 0;

  /** @internal Called by the host once, before `beforeExecution`. */
  [BIND](call: ToolCall): void {
    this.#call = call;
  }

  /** The agent that makes the call. */
  get agent(): ToolAgent {
    return this.#bound().agent;
  }

  /** The tool's id. */
  get name(): string {
    return this.#bound().name;
  }

  /** The part after the first colon of `name:method`, else undefined. */
  get method(): string | undefined {
    return this.#bound().method;
  }

  /** The validated arguments, frozen; in `execute` the same value that it is given. */
  get args(): JsonObject {
    return this.#bound().args;
  }

  /** The raw text of the model that contained the call; empty where there is none. */
  get message(): string {
    return this.#bound().message;
  }

  get loopData(): LoopData {
    return this.#bound().loopData;
  }

  /** Fires at the deadline, at an intervention and when the call is stopped: hand it to everything that waits. */
  get signal(): AbortSignal {
    return this.#bound().signal;
  }

  /** The files that the call may touch. */
  get workspace(): Workspace {
    return this.#bound().workspace;
  }

  /** Programs that the call runs. */
  get processes(): ToolProcesses {
    return this.#bound().processes;
  }

  /** In `execute`: what the tool's own risk function planned for this call; undefined where it planned nothing. */
  get plan(): CallPlan | undefined {
    return this.#bound().plan;
  }

  get log(): ToolLog {
    return this.#bound().log;
  }

  /** The plugin's merged settings. */
  get config(): JsonObject {
    return this.#bound().config;
  }

  /**
   * Does the work.
   * @param args the validated arguments with defaults filled in, frozen; secrets are put in
   * @returns what one of the builders below made; anything else is INVALID_RESULT, a throw EXECUTION_ERROR
   */
  abstract execute(
    args: Parameters extends z.ZodType ? z.infer<Parameters> : JsonObject,
  ): ToolResult | Promise<ToolResult>;

  /** Runs before authorisation with secrets still as placeholders. The default does nothing. */
  beforeExecution(_args: JsonObject): void | Promise<void> {}

  /** Runs after the result is final and recorded; it cannot change the result. The default does nothing. */
  afterExecution(_result: ToolResult): void | Promise<void> {}

  /**
   * A result of status `success`.
   * @param message what the model reads
   * @param data JSON for programs; default `{}`
   * @throws ToolError INVALID_RESULT when `data` is not JSON
   */
  success(message: string, data: Readonly<Record<string, unknown>> = {}): ToolResult {
    return createResult({ status: "success", message, data, ...this.#frame() });
  }

  /** A result of status `partial`: usable but incomplete. Parameters as {@link success}. */
  partial(message: string, data: Readonly<Record<string, unknown>> = {}): ToolResult {
    return createResult({ status: "partial", message, data, ...this.#frame() });
  }

  /**
   * A result of status `error`.
   * @param code a code of the table in `core/sdk/errors.ts`
   * @param message what was expected and what was found; the code and the hint are added to what the model reads
   */
  failure(code: CallErrorCode, message: string, details: FailureDetails = {}): ToolResult {
    const { data, ...rest } = details;
    return createResult({ status: "error", message, data, failure: { code, ...rest }, ...this.#frame() });
  }

  /** A result of status `success` with control over the loop and the history entry. `breakLoop` defaults to false. */
  response({ message, breakLoop = false, additional, data }: ResponseParts): ToolResult {
    return createResult({ status: "success", message, breakLoop, additional, data, ...this.#frame() });
  }

  /**
   * Publishes progress through the point `tool_output_update`, which may rewrite it, and keeps it. It is kept at
   * once, also when the promise is not awaited; an empty text clears it.
   */
  async setProgress(text: string): Promise<void> {
    const turn = ++this.#published;
    const given = String(text ?? "");
    this.progress = given;
    const shown = await this.#bound().host.publishProgress(given);
    // What was added meanwhile stays; a later text is not overwritten by an earlier one.
    if (turn === this.#published) this.progress = shown + this.progress.slice(given.length);
  }

  /** Accumulates progress without publishing it; an empty text is ignored. */
  addProgress(text: string): void {
    this.progress += text;
  }

  /** Runs `dispose` when the generation that this tool belongs to is retired. */
  onDispose(dispose: () => void | Promise<void>): void {
    this.#bound().host.onDispose(dispose);
  }

  /** As the global function, but cleared when this tool's generation is retired. */
  setInterval(handler: () => void, ms: number): NodeJS.Timeout {
    const timer = setInterval(handler, ms);
    this.onDispose(() => clearInterval(timer));
    return timer;
  }

  /** As the global function, but cleared when this tool's generation is retired. */
  setTimeout(handler: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      forget();
      handler();
    }, ms);
    const forget = this.#bound().host.onDispose(() => clearTimeout(timer));
    return timer;
  }

  #bound(): ToolCall {
    if (!this.#call) {
      throw new Error("the fields and builders of a tool are there from beforeExecution on, not in its constructor");
    }
    return this.#call;
  }

  #frame() {
    const { host, name } = this.#bound();
    const pathResolved = host.pathResolved();
    return {
      stats: { durationMs: host.elapsedMs() },
      context: {
        tool: name,
        owner: host.owner,
        generation: host.generation,
        cwd: ".",
        args: host.requested,
        ...(pathResolved === undefined ? {} : { pathResolved }),
      },
    };
  }
}

/** A class whose instances are tools: what {@link isToolClass} recognises. */
export type ToolClass = (new () => Tool) & {
  readonly [Key in
    | "parameters"
    | "description"
    | "risk"
    | "preview"
    | "sends"
    | "output"
    | "parallel"
    | "untrusted"
    | "timeoutMs"
    | "role"]?: (typeof Tool)[Key];
};

/** A class that extends {@link Tool}, of this or of another copy of the SDK (a plugin may bundle its own). */
export function isToolClass(value: unknown): value is ToolClass {
  return typeof value === "function" && (value as unknown as Record<symbol, unknown>)[TOOL_BRAND] === true;
}

/** Puts the fields of one call into an instance; works across copies of the SDK. */
export function bindTool(tool: Tool, call: ToolCall): void {
  tool[BIND](call);
}
