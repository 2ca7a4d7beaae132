import type { ModelToolCall } from "../model/model.ts";
import { callsOf, type HistoryItem, type HistoryState } from "./history-items.ts";

/**
 * The calls of the last reply that have no result, and those that began without one: providers refuse a history in
 * which a call has none.
 */
export function openCalls(state: HistoryState): readonly ModelToolCall[] {
  const last = state.items.findLastIndex(({ kind }) => kind === "assistant");
  const answered = new Set<string>();
  for (const { message } of state.items.slice(last + 1)) if (message.role === "tool") answered.add(message.toolCallId);
  const asked = last < 0 ? [] : callsOf(state.items[last]?.message);
  const open = new Map(asked.filter(({ id }) => !answered.has(id)).map((call) => [call.id, call]));
  for (const [id, call] of state.started) open.set(id, call);
  return [...open.values()];
}

/** What is said of a call without a result. */
export function gapText({ id, name }: ModelToolCall, { started }: Pick<HistoryState, "started">): string {
  if (!started.has(id)) return `The host stopped before ${name} began, so it did not run.`;
  return (
    `What became of this call is not known: the host stopped while ${name} ran. It may have taken effect in whole, ` +
    "in part or not at all, and it was not run again. Look before you repeat it."
  );
}

/** Where the result of a call belongs: calls that ran side by side end in any order, their results stand in that of the calls. */
export function placeOf({ items }: HistoryState, id: string): number {
  const reply = items.findLastIndex(({ kind }) => kind === "assistant");
  const order = callsOf(items[reply]?.message).map((call) => call.id);
  const mine = order.indexOf(id);
  const isLater = ({ message }: HistoryItem): boolean =>
    message.role === "tool" && order.indexOf(message.toolCallId) > mine;
  let at = items.length;
  while (mine >= 0 && at - 1 > reply && isLater(items[at - 1] as HistoryItem)) at--;
  return at;
}

/** What the last reply asked for under an id. */
export function askedFor({ items }: HistoryState, id: string): ModelToolCall | undefined {
  return callsOf(items.findLast(({ kind }) => kind === "assistant")?.message).find((call) => call.id === id);
}
