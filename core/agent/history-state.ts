import { askedFor, gapText, openCalls, placeOf } from "./history-calls.ts";
import { type HistoryItem, type HistoryState, sized, tokensOf } from "./history-items.ts";
import { keptNames } from "./history-kept.ts";
import { jobName, noteJob, noteSubordinate } from "./history-work.ts";
import type { AssistantRecord, CompactionRecord, CutRecord, RecordBody, ResultRecord } from "./transcript-records.ts";
import { addUsage } from "./usage.ts";

/** So far below the estimate a provider's count may be. */
const BELIEVED_SHARE = 0.4;
const MAX_ANSWER = 600;

/** Takes one record in. What does not fit (a cut or a summary of what is gone) changes nothing. */
export function applyRecord(state: HistoryState, record: RecordBody): void {
  if ("n" in record) state.next = Math.max(state.next, record.n + 1);
  (APPLY[record.type] as (state: HistoryState, record: RecordBody) => void)(state, record);
}

const APPLY: {
  readonly [Type in RecordBody["type"]]: (state: HistoryState, record: Extract<RecordBody, { type: Type }>) => void;
} = {
  session() {},
  user(state, { n, kind, content }) {
    if (kind === "message") {
      fillGaps(state);
      state.inTurn = true;
    }
    add(state, { n, kind, ...sized({ role: "user", content }) });
  },
  assistant: addReply,
  call: (state, { id, name, args }) => void state.started.set(id, { id, name, args }),
  result: addResult,
  cut,
  compaction: compact,
  turn(state, { turns, answer, delegated }) {
    state.turns = turns;
    if (delegated) state.delegated = addUsage(state.delegated, delegated);
    state.inTurn = false;
    noteAnswer(state, answer);
  },
  job: noteJob,
  subordinate: noteSubordinate,
  resumed(state) {
    state.inTurn = false;
  },
};

/** @param at the place among the items; default: behind all of them */
function add(state: HistoryState, item: HistoryItem, at: number = state.items.length): void {
  state.items.splice(at, 0, item);
  state.messages.splice(at, 0, item.message);
  state.bytes += item.bytes;
}

function addReply(state: HistoryState, record: AssistantRecord): void {
  fillGaps(state);
  const { n, content, calls = [], usage } = record;
  if (usage?.inputTokens !== undefined) state.besides = besides(usage.inputTokens, tokensOf(state.bytes));
  if (usage) state.usage = addUsage(state.usage, usage);
  const toolCalls = calls.length === 0 ? {} : { toolCalls: calls };
  add(state, { n, kind: "assistant", ...sized({ role: "assistant", content, ...toolCalls }) });
}

/** What a provider counted beyond an estimate. Some do not count what they had cached: a count far below is not believed. */
function besides(counted: number, estimate: number): number {
  return Math.max(counted - estimate, -Math.floor(estimate * BELIEVED_SHARE));
}

function fillGaps(state: HistoryState): void {
  for (const call of openCalls(state)) {
    const content = gapText(call, state);
    addResult(state, { type: "result", n: state.gap--, id: call.id, name: call.name, status: "error", content });
  }
}

function addResult(state: HistoryState, record: ResultRecord): void {
  const { n, id, name, status, content, code, keep, drop, whole, receipt } = record;
  const call = state.started.get(id) ?? askedFor(state, id);
  state.started.delete(id);
  for (const dropped of drop ?? []) state.jobs.delete(jobName(dropped));
  const item: HistoryItem = {
    n,
    kind: "result",
    call,
    keep,
    drop,
    whole,
    receipt,
    status: code ?? status,
    ...sized({ role: "tool", toolCallId: id, toolName: name, content, isError: status === "error" }),
  };
  add(state, item, placeOf(state, id));
}

function cut(state: HistoryState, { n, content, whole }: CutRecord): void {
  const index = state.items.findIndex((item) => item.n === n);
  const item = state.items[index];
  if (!item || item.message.role === "assistant") return;
  const shorter = { ...item, whole, ...sized({ ...item.message, content }) };
  state.items[index] = shorter;
  state.messages[index] = shorter.message;
  state.bytes += shorter.bytes - item.bytes;
}

function compact(state: HistoryState, { n, content, upTo, kept, stay, usage }: CompactionRecord): void {
  const at = state.items.findIndex((item) => item.n === upTo);
  if (at < 0) return;
  const before = state.items.slice(0, at);
  const names = keptNames(state.items);
  const items: HistoryItem[] = [
    { n, kind: "summary", ...sized({ role: "user", content }) },
    ...before.filter((item) => kept.includes(item.n)).map((item) => asKept(item, names.get(item))),
    ...before.filter((item) => stay.includes(item.n)),
    ...state.items.slice(at),
  ];
  // In place: the loop holds on to the messages.
  state.items.length = 0;
  state.messages.length = 0;
  state.bytes = 0;
  for (const item of items) add(state, item);
  // An estimate that was too high for what is gone would now hide what is there.
  state.besides = Math.max(0, state.besides);
  if (usage) state.usage = addUsage(state.usage, usage);
}

/** Without its call, a result is no result to a provider; so it is told in words. */
function asKept(item: HistoryItem, names: readonly string[] | undefined): HistoryItem {
  const { message, call } = item;
  // What dropped a name goes with this summary, so it is said here.
  const keep = item.keep === true ? true : names;
  if (message.role !== "tool") return { ...item, keep };
  const asked = call === undefined ? "" : ` ${JSON.stringify(call.args ?? {})}`;
  const content = `Kept from earlier, the result of ${message.toolName}${asked}:\n${message.content}`;
  return { ...item, kind: "kept", keep, ...sized({ role: "user", content }) };
}

function noteAnswer({ items }: HistoryState, answer: string): void {
  const asked = items.findLast(({ kind }) => kind === "message");
  if (asked) asked.answer = answer.length > MAX_ANSWER ? `${answer.slice(0, MAX_ANSWER)}…` : answer;
}
