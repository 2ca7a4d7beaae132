import type { Usage } from "./events.ts";
import type { ToolResult } from "./result.ts";

/** A profile that a subordinate can have. */
export interface ProfileSummary {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** A task for a subordinate: an agent with its own profile, prompts, tools and history that works for the one that asks. */
export interface DelegatedTask {
  /** All that it has to know: it has seen nothing of the asking agent's conversation. */
  readonly message: string;
  /** Default: that of the subordinate that goes on, else the asking agent's own. */
  readonly profile?: string | undefined;
  /** Which subordinate of this agent goes on: `contextId` of its earlier answer. Absent: a new one. */
  readonly contextId?: string | undefined;
  /** With `contextId`: that one is over, and a new one, which knows nothing of it, takes its place. Default false. */
  readonly reset?: boolean | undefined;
  /** How often its model may be asked; never more than its superior has left. */
  readonly maxIterations?: number | undefined;
}

/** How a subordinate answered. */
export interface DelegatedAnswer {
  /** Names exactly this subordinate for later tasks of the same agent. */
  readonly contextId: string;
  readonly profile: string;
  /** Empty where it ended without words. */
  readonly answer: string;
  /** Set when it ended without an answer of its own: its limit was reached, its replies or calls led nowhere. */
  readonly stopped?: "iterations" | "unusable" | "loop";
  /** How many calls it made. */
  readonly calls: number;
  /** With what its own subordinates used. */
  readonly usage: Usage;
}

/** A call that is to run in the background. */
export interface BackgroundCall {
  /** `name` or `name:method`: a tool's id or alias. */
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/** A call in the background. */
export interface Job {
  /** Unique in its agent. */
  readonly id: string;
  /** The tool's id, with the method where one was named. */
  readonly name: string;
  readonly state: "waiting" | "running" | "done";
  /** Its end, once it is `done`: the same kind of result as of any call. */
  readonly result?: ToolResult;
}

/** How long calls in the background are waited for. */
export interface JobWait {
  readonly timeoutMs?: number | undefined;
  onDone?(job: Job): void;
}

/**
 * The calls that an agent has running in the background. They go the way of every call (validation, extensions, policy,
 * approval, masking, log), at most four at a time, the others wait. They outlive the call and the turn that started them,
 * and end with the agent, with a stop, or when they are cancelled. What a person says in between does not end them, a pause
 * holds them. What a background call itself calls in the background is refused, also by a subordinate of it.
 *
 * Keep the result that tells the model of a job under the name `job:<id>` (`additional.keep`), and drop that name
 * (`additional.drop`) where its end is told: so open jobs outlive a summary of old turns, and a host that goes on after a
 * crash tells what became of them.
 */
export interface ToolJobs {
  /**
   * Starts calls, all or none: the name of each must be that of a tool that this agent may call, which neither answers for
   * the agent nor is the one that starts it. Arguments are validated when the call runs.
   * @returns one job a call, in their order; their ids are the same in every replay of the same conversation
   * @throws ToolError INVALID_PARAM, UNKNOWN_TOOL, DENIED_BY_POLICY, with `pointer` to the call as `/0`; RATE_LIMITED
   */
  start(calls: readonly BackgroundCall[]): Promise<readonly Job[]>;
  /** Jobs whose results nobody has taken yet, in the order of their start. */
  list(): readonly Job[];
  /**
   * Waits until all of them are done, at most `timeoutMs` (default: no limit; 0 does not wait). Taking a result does not
   * take it away: whoever names the job gets it again.
   * @param ids default: those of {@link list}
   * @param options.onDone told of each that ends while others are waited for
   * @returns the jobs in the order of `ids`; those that are not done yet have no result
   * @throws ToolError NOT_FOUND for an unknown id, with the open ones; ABORTED, STOPPED where the call is stopped
   */
  wait(ids?: readonly string[], options?: JobWait): Promise<readonly Job[]>;
  /**
   * Stops jobs through their signals; one that has ended stays as it is.
   * @returns them with their results @throws ToolError NOT_FOUND
   */
  cancel(ids: readonly string[]): Promise<readonly Job[]>;
}
