import type { ModelToolCall } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { ToolStatus } from "../sdk/result.ts";

/** The version that every line of a transcript carries as `v`. A host refuses a transcript of a later one. */
export const TRANSCRIPT_VERSION = 1;

/**
 * What an entry with the role `user` is. `message`: a person asked, a topic begins. `intervention`: a person spoke
 * while the turn ran. `warning`: the host refused a reply. `note`: the host tells something that nobody asked.
 */
export type UserKind = "message" | "intervention" | "warning" | "note";

/** The first line of a transcript: whose it is. */
export interface SessionRecord {
  readonly type: "session";
  readonly id: string;
  readonly profile: string;
  readonly model: string;
  /** Absolute. */
  readonly root: string;
  /** The session whose agent asked for this one. */
  readonly parent?: string;
  /** With `parent`: how that agent names this one. */
  readonly agent?: string;
  /** With `parent`: 1 for a subordinate of the agent that a person talks to. */
  readonly depth?: number;
}

export interface UserRecord {
  readonly type: "user";
  readonly n: number;
  readonly kind: UserKind;
  readonly content: string;
}

export interface AssistantRecord {
  readonly type: "assistant";
  readonly n: number;
  readonly content: string;
  /** Native calls; by the JSON protocol `content` holds the call. */
  readonly calls?: readonly ModelToolCall[];
  /** The ids of tools in `calls` that the model knew under another name, by that name. */
  readonly published?: Readonly<Record<string, string>>;
  /** The reply was cut short: what is here is what had come. */
  readonly partial?: boolean;
  readonly reasoning?: string;
  /** What the provider counted for this reply. */
  readonly usage?: Usage;
}

/** A call is about to run. Without a {@link ResultRecord} of the same id behind it nobody knows what became of it. */
export interface CallRecord {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly args?: unknown;
}

/** Where the whole of a text is that is shown by its ends only. */
export interface WholeText {
  readonly bytes: number;
  /** As tools take it; absent where it was not kept. */
  readonly path?: string;
}

export interface ResultRecord {
  readonly type: "result";
  readonly n: number;
  /** Of the call. */
  readonly id: string;
  readonly name: string;
  readonly status: ToolStatus;
  /** What the model reads. */
  readonly content: string;
  /** The code of an error. */
  readonly code?: string;
  readonly durationMs?: number;
  /** The result outlives compaction: until the session ends, or until all of these names were dropped. */
  readonly keep?: true | readonly string[];
  /** Names of kept results that need not be kept any longer. */
  readonly drop?: readonly string[];
  readonly whole?: WholeText;
  /** Of a call that succeeded while receipts were on. */
  readonly receipt?: string;
  /** Nobody knows what became of the call: the process ended while it ran. */
  readonly uncertain?: boolean;
}

/** The entry `n` was shortened, because the results of one turn were more than the model is given. */
export interface CutRecord {
  readonly type: "cut";
  readonly n: number;
  readonly content: string;
  readonly whole: WholeText;
}

/** Everything before the entry `upTo` was replaced by a summary, which is entry `n`. */
export interface CompactionRecord {
  readonly type: "compaction";
  readonly n: number;
  readonly by: "model" | "rule";
  readonly content: string;
  readonly upTo: number;
  /** Results that stay behind the summary, as text. */
  readonly kept: readonly number[];
  /** Entries that stay as they are: what the person asked in the turn that is being shortened. */
  readonly stay: readonly number[];
  /** Estimated, before and after. */
  readonly tokens: readonly [before: number, after: number];
  readonly usage?: Usage;
}

/** A turn ended, and everything before it is on the disk. */
export interface TurnRecord {
  readonly type: "turn";
  readonly answer: string;
  /** Why it ended without an answer. */
  readonly stopped?: string;
  /** How many turns of the session have ended, with this one. */
  readonly turns: number;
  /** What those used who worked for the agent since the turn before. */
  readonly delegated?: Usage;
}

/** Another process goes on with the session. */
export interface ResumedRecord {
  readonly type: "resumed";
  readonly model: string;
  /** The last turn had not ended. */
  readonly interrupted: boolean;
}

/**
 * A call that the agent has running in the background, under the id of the job. `open`: it waits for its turn. `begun`: it
 * is about to have effects. `ended`: `status` and `content` say how. Its result is no entry of the conversation: the model
 * is told when it asks, and the result of that call drops `job:<id>`.
 */
export interface JobRecord {
  readonly type: "job";
  readonly id: string;
  readonly name: string;
  readonly state: "open" | "begun" | "ended";
  /** With `open`. */
  readonly args?: unknown;
  readonly status?: ToolStatus;
  readonly content?: string;
  /** The code of an error. */
  readonly code?: string;
  /** Nobody knows what became of it: the process ended while it ran. */
  readonly uncertain?: boolean;
}

/** A subordinate is about to work for a call of this agent. */
export interface SubordinateRecord {
  readonly type: "subordinate";
  /** As this agent names it. */
  readonly id: string;
  readonly profile: string;
  /** Its session. */
  readonly session: string;
  /** The call, or the job, that asked for it. */
  readonly call?: string;
  /** The one that is over, because this one took its place. */
  readonly replaces?: string;
}

/** One line of a transcript, without its version and time. */
export type RecordBody =
  | SessionRecord
  | UserRecord
  | AssistantRecord
  | CallRecord
  | ResultRecord
  | CutRecord
  | CompactionRecord
  | TurnRecord
  | JobRecord
  | SubordinateRecord
  | ResumedRecord;

/** One line of a transcript. `ts`: ISO 8601, UTC. */
export type TranscriptRecord = RecordBody & { readonly v: number; readonly ts: string };

type Field = "text" | "number" | "flag" | "list" | "object";

/** What each type of record must have; `?` marks what may be absent. */
const FIELDS: Readonly<Record<RecordBody["type"], Readonly<Record<string, Field | `${Field}?`>>>> = {
  session: {
    id: "text",
    profile: "text",
    model: "text",
    root: "text",
    parent: "text?",
    agent: "text?",
    depth: "number?",
  },
  user: { n: "number", kind: "text", content: "text" },
  assistant: {
    n: "number",
    content: "text",
    calls: "list?",
    published: "object?",
    partial: "flag?",
    reasoning: "text?",
  },
  call: { id: "text", name: "text" },
  result: {
    n: "number",
    id: "text",
    name: "text",
    status: "text",
    content: "text",
    whole: "object?",
    receipt: "text?",
  },
  cut: { n: "number", content: "text", whole: "object" },
  compaction: { n: "number", by: "text", content: "text", upTo: "number", kept: "list", stay: "list", tokens: "list" },
  turn: { answer: "text", stopped: "text?", turns: "number", delegated: "object?" },
  job: { id: "text", name: "text", state: "text", status: "text?", content: "text?", code: "text?" },
  subordinate: { id: "text", profile: "text", session: "text", call: "text?", replaces: "text?" },
  resumed: { model: "text", interrupted: "flag" },
};

/**
 * Reads one line of a transcript.
 * @returns the record, or in words why it is none
 */
export function readRecord(line: string): TranscriptRecord | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { fault: `it is not JSON (${(error as Error).message})` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: "it is not an object" };
  const record = value as Record<string, unknown>;
  if (typeof record.v !== "number" || typeof record.ts !== "string") return { fault: "it has no version and time" };
  const type = String(record.type);
  if (!Object.hasOwn(FIELDS, type)) return { fault: `its type ${JSON.stringify(type)} is not known` };
  for (const [name, field] of Object.entries(FIELDS[type as RecordBody["type"]])) {
    const value = record[name];
    if (value === undefined && field.endsWith("?")) continue;
    if (!CHECKS[field.replace("?", "") as Field](value)) return { fault: `${name} of a record ${type} is not valid` };
  }
  return record as unknown as TranscriptRecord;
}

const CHECKS: Readonly<Record<Field, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  list: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
