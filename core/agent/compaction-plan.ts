import { type HistoryItem, tokensOf } from "./history-items.ts";
import { keptNames } from "./history-kept.ts";

/** What becomes of a history that is too long. */
export interface CompactionPlan {
  /** What the summary stands for, oldest first; an earlier summary is among them. */
  readonly removed: readonly HistoryItem[];
  /** The first entry that stays as it is. */
  readonly upTo: number;
  /** Results that stay as text behind the summary: loaded skills, jobs that are open. */
  readonly kept: readonly number[];
  /** What the person asked in the turn that is being shortened. */
  readonly stay: readonly number[];
  /** Of what is removed. */
  readonly tokens: number;
}

/** So much of the context the last turns may fill when the old ones go. */
const RECENT_SHARE = 0.4;
/** So much of it the results that asked to be kept. */
const KEPT_SHARE = 0.25;
/** Less than so much of it is not worth a summary. */
const WORTH_SHARE = 0.05;
/** By hand everything is summarised but so many turns. */
const RECENT_TURNS = 2;

/**
 * Chooses what goes. Whole turns go first; where the last turn alone is too long, its first steps go and what the person
 * asked stays. Nothing is cut between a call and its result.
 *
 * @param options.byHand somebody asked for it, so room is no reason
 * @returns undefined where there is nothing that could go
 */
export function planCompaction(
  items: readonly HistoryItem[],
  { contextTokens, byHand }: { readonly contextTokens: number; readonly byHand: boolean },
): CompactionPlan | undefined {
  const at = cutAt(items, { room: contextTokens * RECENT_SHARE, byHand });
  const first = items[at];
  if (at <= 0 || !first) return undefined;
  const before = items.slice(0, at);
  const stay = stayingQuestions(items, at);
  const kept = keptResults(items, { before, room: contextTokens * KEPT_SHARE });
  const removed = before.filter((item) => !stay.includes(item) && !kept.includes(item));
  // A summary of a summary is no gain.
  if (removed.every(({ kind }) => kind === "summary")) return undefined;
  const tokens = sum(removed);
  if (!byHand && tokens < contextTokens * WORTH_SHARE) return undefined;
  return { removed, upTo: first.n, kept: kept.map(({ n }) => n), stay: stay.map(({ n }) => n), tokens };
}

/** The index of the first item that stays as it is; 0 where none may go. */
function cutAt(items: readonly HistoryItem[], { room, byHand }: { room: number; byHand: boolean }): number {
  const turns = indexes(items, ({ kind }) => kind === "message");
  if (byHand) return turns.at(-RECENT_TURNS) || turns.at(-1) || 0;
  const last = turns.at(-1) ?? 0;
  if (sum(items.slice(last)) <= room) return fitting(items, turns, room);
  const steps = indexes(items, ({ kind }) => kind === "assistant").filter((index) => index > last);
  return steps.length > 1 ? fitting(items, steps, room) : last;
}

/** The first of these places from which on everything fits; the last one where none does. */
function fitting(items: readonly HistoryItem[], places: readonly number[], room: number): number {
  let bytes = 0;
  let least = items.length;
  while (least > 0 && tokensOf(bytes + (items[least - 1]?.bytes ?? 0)) <= room) bytes += items[--least]?.bytes ?? 0;
  return places.find((index) => index > 0 && index >= least) ?? places.at(-1) ?? 0;
}

/** Where a cut lies inside a turn, the words of the person in front of it. */
function stayingQuestions(items: readonly HistoryItem[], at: number): readonly HistoryItem[] {
  if (items[at]?.kind === "message") return [];
  const begin = items.slice(0, at).findLastIndex(({ kind }) => kind === "message");
  if (begin < 0) return [];
  return items.slice(begin, at).filter(({ kind }) => kind === "message" || kind === "intervention");
}

/** The results that are to be kept; where all of them are more than the room, the newest. */
function keptResults(
  items: readonly HistoryItem[],
  { before, room }: { before: readonly HistoryItem[]; room: number },
): readonly HistoryItem[] {
  const wanted = keptNames(items);
  const chosen: HistoryItem[] = [];
  let left = room;
  for (const item of before.toReversed()) {
    if (!wanted.has(item)) continue;
    left -= tokensOf(item.bytes);
    if (left >= 0) chosen.unshift(item);
  }
  return chosen;
}

function indexes(items: readonly HistoryItem[], fits: (item: HistoryItem) => boolean): readonly number[] {
  return items.flatMap((item, index) => (fits(item) ? [index] : []));
}

function sum(items: readonly HistoryItem[]): number {
  return tokensOf(items.reduce((bytes, item) => bytes + item.bytes, 0));
}
