import type { ModelMessage, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import { keptNames } from "./history-kept.ts";
import { addUsage } from "./reply.ts";
import type {
  AssistantRecord,
  CompactionRecord,
  CutRecord,
  RecordBody,
  ResultRecord,
  UserKind,
  WholeText,
} from "./transcript-records.ts";

/** One message of a history with what the host knows of it. */
export interface HistoryItem {
  /** Of the record that made it; below 0 where the host filled a gap. */
  readonly n: number;
  readonly kind: UserKind | "assistant" | "result" | "summary" | "kept";
  readonly message: ModelMessage;
  /** Of UTF-8, of all that the model is given of it. */
  readonly bytes: number;
  /** Of a result: what was asked for, where that is known. */
  readonly call?: ModelToolCall | undefined;
  /** See {@link ResultRecord}. */
  readonly keep?: ResultRecord["keep"] | undefined;
  readonly drop?: ResultRecord["drop"] | undefined;
  /** Of a result: how it ended, with its code on an error. */
  readonly status?: string | undefined;
  /** Of a result that is shown by its ends only. */
  readonly whole?: WholeText | undefined;
  /** Of a message that began a turn: how that turn was answered, shortened. */
  answer?: string;
}

/** What a conversation has come to. Every change is one record, so that reading a transcript makes the same again. */
export interface HistoryState {
  readonly items: HistoryItem[];
  /** The messages of `items`, for the model. */
  readonly messages: ModelMessage[];
  /** Calls that began and have no result yet, by id. */
  readonly started: Map<string, ModelToolCall>;
  /** The number of the next entry. */
  next: number;
  /** The number of the next gap that is filled. */
  gap: number;
  /** Sum over `items`. */
  bytes: number;
  /** What a model is given besides `items`, in tokens: prompt and definitions, and the error of the estimate. */
  besides: number;
  usage: Usage;
  /** Turns that have ended. */
  turns: number;
  /** A person asked, and the turn has not ended. */
  inTurn: boolean;
}

/** A token of usual text, in bytes: four letters of English, or one and a third signs of Chinese. */
const BYTES_A_TOKEN = 4;
/** What a message costs beside its text. */
const FRAME_BYTES = 16;
/** So far below the estimate a provider's count may be. */
const BELIEVED_SHARE = 0.4;
const MAX_ANSWER = 600;

export function emptyState(): HistoryState {
  return {
    items: [],
    messages: [],
    started: new Map(),
    next: 1,
    gap: -1,
    bytes: 0,
    besides: 0,
    usage: {},
    turns: 0,
    inTurn: false,
  };
}

/** An estimate of what `bytes` of text are for a model. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN);
}

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
  turn(state, { turns, answer }) {
    state.turns = turns;
    state.inTurn = false;
    noteAnswer(state, answer);
  },
  resumed(state) {
    state.inTurn = false;
  },
};

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
  return Math.max(counted - estimate, -estimate * BELIEVED_SHARE);
}

function fillGaps(state: HistoryState): void {
  for (const call of openCalls(state)) {
    const content = gapText(call, state);
    addResult(state, { type: "result", n: state.gap--, id: call.id, name: call.name, status: "error", content });
  }
}

function addResult(state: HistoryState, record: ResultRecord): void {
  const { n, id, name, status, content, code, keep, drop, whole } = record;
  const call = state.started.get(id) ?? askedFor(state, id);
  state.started.delete(id);
  const item: HistoryItem = {
    n,
    kind: "result",
    call,
    keep,
    drop,
    whole,
    status: code ?? status,
    ...sized({ role: "tool", toolCallId: id, toolName: name, content, isError: status === "error" }),
  };
  add(state, item, placeOf(state, id));
}

/** Calls that ran side by side end in any order; their results stand in the order of the calls. */
function placeOf({ items }: HistoryState, id: string): number {
  const reply = items.findLastIndex(({ kind }) => kind === "assistant");
  const order = callsOf(items[reply]?.message).map((call) => call.id);
  const mine = order.indexOf(id);
  const isLater = ({ message }: HistoryItem): boolean =>
    message.role === "tool" && order.indexOf(message.toolCallId) > mine;
  let at = items.length;
  while (mine >= 0 && at - 1 > reply && isLater(items[at - 1] as HistoryItem)) at--;
  return at;
}

function askedFor({ items }: HistoryState, id: string): ModelToolCall | undefined {
  return callsOf(items.findLast(({ kind }) => kind === "assistant")?.message).find((call) => call.id === id);
}

function callsOf(message: ModelMessage | undefined): readonly ModelToolCall[] {
  return message?.role === "assistant" ? (message.toolCalls ?? []) : [];
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
  state.items.splice(0, Infinity, ...items);
  state.messages.splice(0, Infinity, ...items.map(({ message }) => message));
  state.bytes = items.reduce((sum, { bytes }) => sum + bytes, 0);
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

function sized(message: ModelMessage): { message: ModelMessage; bytes: number } {
  const calls = callsOf(message);
  const extra = calls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(calls));
  return { message, bytes: Buffer.byteLength(message.content) + extra + FRAME_BYTES };
}
