import { publishedOf } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { UnusableReplies } from "./breakers.ts";
import type { ToolRequest } from "./extract.ts";
import type { History } from "./history.ts";
import type { LoopDetector } from "./loop-detector.ts";
import type { LoopPoints } from "./loop-points.ts";
import type { Reply } from "./reply.ts";
import type { TurnCall, TurnOptions } from "./turn-options.ts";
import { addUsage } from "./usage.ts";

/** Where a turn is. */
export interface Turn {
  readonly options: TurnOptions;
  readonly points: LoopPoints;
  readonly calls: TurnCall[];
  readonly unusable: UnusableReplies;
  readonly loops: LoopDetector;
  /** The ids of its calls so far. */
  readonly ids: Set<string>;
  usage: Usage;
  /** Of the model, in this turn, as far as they came to an end. */
  replies: number;
}

/** Tells the model something in the history. */
export async function say(turn: Turn, content: string, kind: Parameters<History["addUser"]>[1]): Promise<void> {
  turn.options.history.addUser(await entryOf(turn, content, false), kind);
}

/** Keeps a reply in the history. `calls`: those that become native calls there. */
export async function keepReply(
  turn: Turn,
  { reasoning, usage }: Reply,
  kept: { readonly text: string; readonly calls: readonly ToolRequest[]; readonly partial?: boolean },
): Promise<void> {
  const { text, calls, partial = false } = kept;
  turn.usage = addUsage(turn.usage, usage);
  const published = calls.length === 0 ? undefined : publishedOf(await turn.options.tools(), calls);
  const facts = { partial, reasoning, usage, ...(published ? { published } : {}) };
  turn.options.history.addAssistant(await entryOf(turn, text, true), calls, facts);
}

/** Tells people of something that went wrong in the loop. */
export function warn({ options }: Turn, { code, message }: { readonly code: string; readonly message: string }): void {
  options.emit({ type: "warning", turnId: options.turnId, code, message });
}

/** Not stopped with the turn: an extension that takes something out of the history has to see its last entry too. */
async function entryOf({ points }: Turn, content: string, ai: boolean): Promise<string> {
  if (!points.has("hist_add_before")) return content;
  const { signal } = new AbortController();
  return (await points.run("hist_add_before", { ai, content }, signal)).content as string;
}
