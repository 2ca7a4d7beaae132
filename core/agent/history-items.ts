import type { ModelMessage, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { JobRecord, ResultRecord, SubordinateRecord, UserKind, WholeText } from "./transcript-records.ts";

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
  readonly receipt?: string | undefined;
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
  /** Background calls whose end the model was not told yet, by id: as they last were, with their arguments. */
  readonly jobs: Map<string, JobRecord>;
  /** How many background calls there were. */
  jobCount: number;
  /** The subordinates there were, by id, each as it was last asked; one that was replaced is marked. */
  readonly subordinates: Map<string, KnownSubordinate>;
  /** The number of the next entry. */
  next: number;
  /** The number of the next gap that is filled. */
  gap: number;
  /** Sum over `items`. */
  bytes: number;
  /** What a model is given besides `items`, in tokens: prompt and definitions, and the error of the estimate. */
  besides: number;
  usage: Usage;
  /** What those used who worked for the agent. */
  delegated: Usage;
  /** Turns that have ended. */
  turns: number;
  /** A person asked, and the turn has not ended. */
  inTurn: boolean;
}

/** A subordinate as its superior's history knows it. */
export type KnownSubordinate = Omit<SubordinateRecord, "type" | "replaces"> & { readonly over?: boolean };

/** A token of usual text, in bytes: four letters of English, or one and a third signs of Chinese. */
const BYTES_A_TOKEN = 4;
/** What a message costs beside its text. */
const FRAME_BYTES = 16;

export function emptyState(): HistoryState {
  return {
    items: [],
    messages: [],
    started: new Map(),
    jobs: new Map(),
    jobCount: 0,
    subordinates: new Map(),
    next: 1,
    gap: -1,
    bytes: 0,
    besides: 0,
    usage: {},
    delegated: {},
    turns: 0,
    inTurn: false,
  };
}

/** An estimate of what `bytes` of text are for a model. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN);
}

/** The native calls of a reply. */
export function callsOf(message: ModelMessage | undefined): readonly ModelToolCall[] {
  return message?.role === "assistant" ? (message.toolCalls ?? []) : [];
}

/** A message with its size. */
export function sized(message: ModelMessage): { message: ModelMessage; bytes: number } {
  const calls = callsOf(message);
  const extra = calls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(calls));
  return { message, bytes: Buffer.byteLength(message.content) + extra + FRAME_BYTES };
}
