import type { CallWatch } from "../dispatch/batch.ts";
import type { Hooks } from "../hooks.ts";
import type { Model, ToolDefinition } from "../model/model.ts";
import type { HostEvent, Usage } from "../sdk/events.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { LoopData, ToolAgent } from "../sdk/tool.ts";
import type { Control } from "./control.ts";
import type { ToolRequest } from "./extract.ts";
import type { History } from "./history.ts";

/** What one turn works with. */
export interface TurnOptions {
  readonly turnId: string;
  readonly model: Model;
  readonly history: History;
  readonly message: string;
  readonly control: Control;
  readonly maxIterations: number;
  readonly loopData: { iteration: number; lastResponse: string } & Pick<LoopData, "extras">;
  /** The agent as extensions see it. */
  readonly agent: ToolAgent;
  readonly hooks: Pick<Hooks, "has" | "run">;
  /** The system prompt. */
  system(): Promise<string>;
  /** Whether the model reads the system prompt; where it does not, nothing is made of it. Default true. */
  readonly readsSystem?: boolean;
  tools(): Promise<readonly ToolDefinition[]>;
  /** A provider refused a request for this tool; `tools` is to do without it. */
  refuseTool?(id: string, words: string): Promise<void>;
  /** Runs the requests of one reply; the results are in their order. Never rejects. */
  run(requests: readonly ToolRequest[], watch: CallWatch): Promise<readonly ToolResult[]>;
  /** The words of a `fw.*.md` message. */
  words(file: string, variables: Readonly<Record<string, string | number>>): Promise<string>;
  /** Summarises old turns where the context is nearly full; awaited before every question. */
  makeRoom?(): Promise<void>;
  /** Told before each round how many are left, this one included. */
  onRound?(left: number): void;
  emit(event: HostEvent): void;
}

/** One call of a turn, as `run --json` tells it. */
export interface TurnCall {
  readonly name: string;
  readonly args: unknown;
  readonly status: ToolResult["status"];
  readonly durationMs: number;
}

/** How a turn ended. `turns` counts the model's replies. */
export interface TurnOutcome {
  readonly answer: string;
  readonly turns: number;
  readonly calls: readonly TurnCall[];
  /** With what those used who worked for it. */
  readonly usage: Usage;
  /**
   * Set when the turn ended without an answer of the model: why. `iterations`: the limit was reached, `answer` is the
   * model's summary. `unusable`: too many replies in a row could not be used. `loop`: its calls led nowhere. `aborted`: it
   * was stopped.
   */
  readonly stopped?: "iterations" | "unusable" | "loop" | "aborted";
}
