import type { ApprovalRequest, ApprovalScope } from "./approval.ts";
import type { CallErrorCode } from "./errors.ts";
import type { EventAgent } from "./event-agent.ts";
import type { JsonObject, ToolResult, ToolStatus } from "./result.ts";

export type { EventAgent };

/** Tokens as the provider counted them; a field is absent when the provider did not say. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** What every event of a turn tells. */
interface OfTurn {
  readonly turnId: string;
  /** Set where the turn is one of a subordinate. */
  readonly agent?: EventAgent;
}

/**
 * The one public table of events: what `host.on(name, listener)` can be given, with its payload. Payloads are
 * plain data, masked, and never carry secrets. A listener that throws is reported and passed over.
 */
export interface EventMap {
  /** A turn began. `message` is what the person asked. */
  turn_start: OfTurn & { readonly profile: string; readonly message: string };
  /** The running turn took what a person said meanwhile. */
  intervention: OfTurn & { readonly message: string };
  /** A person asked a running turn to wait at its next checkpoint, or to go on. */
  pause: OfTurn & { readonly paused: boolean };
  /** The model is asked, for the `iteration`th time from 0; the same one again where a try is repeated. */
  reply_start: OfTurn & {
    readonly iteration: number;
    /**
     * The ids of the tools that the model is given under another name, by that name; absent where there are none. Every
     * other event, and the transcript, has ids.
     */
    readonly published?: Readonly<Record<string, string>>;
  };
  /** A piece of the model's text, as it is streamed. */
  text_delta: OfTurn & { readonly text: string };
  /** A piece of the model's reasoning, as it is streamed. */
  reasoning_delta: OfTurn & { readonly text: string };
  /** The model has spoken; every `reply_start` ends with exactly one of these. */
  reply_end: OfTurn & {
    readonly iteration: number;
    /** `interrupted`: by a stop or by a person who spoke. `failed`: the provider had trouble. */
    readonly status: "complete" | "interrupted" | "failed";
    readonly durationMs: number;
    readonly usage: Usage;
  };
  /** A call passed validation and is about to be authorised. */
  tool_start: CallOf & { readonly method?: string; readonly args: JsonObject };
  /** A call asks a person, and waits for the answer; each ends with exactly one `approval_decided`. */
  approval_requested: CallOf & Omit<ApprovalRequest, "turnId" | "callId" | "agent" | "tool">;
  /** What became of a question. */
  approval_decided: CallOf & {
    /** Of the question. */
    readonly id: string;
    /** `no_approver`: there was nobody to decide, or no decision. `withdrawn`: the call was stopped meanwhile. */
    readonly outcome: "approved" | "denied" | "expired" | "no_approver" | "replaced" | "mismatch" | "withdrawn";
    /** What it was approved for. */
    readonly scope?: ApprovalScope;
    /** Who decided. */
    readonly approver?: string;
    /** What the call ends with instead of running, and what to do about it. */
    readonly code?: CallErrorCode;
    readonly message?: string;
  };
  /** Progress text of a running tool, replacing the one before. */
  tool_progress: CallOf & { readonly text: string };
  /** A call ended; every request ends with exactly one of these, also a refused one. */
  tool_end: CallOf & {
    readonly status: ToolStatus;
    readonly durationMs: number;
    readonly result: ToolResult;
  };
  /**
   * The loop told the model that its reply was unusable, or a call was repeated; costs come near a limit, or are not known
   * (COST_WARNING, PRICE_UNKNOWN); or, before `turn_end`, a receipt that the reply names is not what it is said to be:
   * RECEIPT_UNKNOWN, RECEIPT_MISMATCH, RECEIPT_ALTERED.
   */
  warning: OfTurn & { readonly code: string; readonly message: string };
  /** Old turns were replaced by a summary, because the context was nearly full. */
  compaction: OfTurn & {
    readonly by: "model" | "rule";
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly summary: string;
  };
  /** A turn ended with an answer, or with an error that `error` names. */
  turn_end: OfTurn & {
    readonly answer: string;
    readonly iterations: number;
    /** With what the subordinates used that worked for it. */
    readonly usage: Usage;
    readonly error?: string;
  };
  /** The host read its directories again. */
  reload: ReloadReceipt;
  /**
   * A tool went on after its version was retired, in a timer for example, and used something of the host; that was
   * dropped. Told once for each tool, version and `call`: `setProgress`, `agent.tools`, `log.info`, `workspace.write`, …
   */
  stale_call: {
    /** The tool's id. */
    readonly tool: string;
    readonly call: string;
    /** The last generation that served its version. */
    readonly generation: number;
  };
}

/** Which call an event is about. One that no turn asked for is a turn of its own. */
interface CallOf extends OfTurn {
  /** Within its turn; of a background call the id of the job, which may go on when the turn has ended. */
  readonly callId: string;
  /** The tool's id. */
  readonly name: string;
}

/**
 * Why a generation was made: a watcher saw it, a look round found it, somebody asked for it, an earlier one was rolled
 * back to, or that was ended.
 */
export type ReloadCause = "watch" | "look" | "request" | "rollback" | "release";

/** What a reload did. */
export interface ReloadReceipt {
  /** `failed`: something in it cannot be used; what served before then goes on. */
  readonly status: "ok" | "failed";
  readonly cause: ReloadCause;
  readonly from: number;
  readonly to: number;
  /** Content files that changed, appeared or vanished; display paths, sorted. */
  readonly files: readonly string[];
  /** Of each of them whose text was or is in use, by its display path, the hash of that. */
  readonly hashes: Readonly<Record<string, { readonly before?: string; readonly after?: string }>>;
  /** What each stage took, in ms: looking at the disk, loading what is in use, the swap itself. */
  readonly durations: { readonly lookMs: number; readonly loadMs: number; readonly swapMs: number };
  /**
   * What became of the system prompt of the host's profile, where somebody had been given it: tokens (o200k), bytes, and
   * the bytes at its beginning that are the same, which a provider need not read again.
   */
  readonly prompt?: {
    readonly tokens: { readonly before: number; readonly after: number };
    readonly bytes: { readonly before: number; readonly after: number };
    readonly samePrefixBytes: number;
  };
  /** Codes and places of what is wrong now: only what is an error. */
  readonly diagnostics: readonly {
    readonly code: string;
    readonly file?: string;
    readonly line?: number;
    readonly column?: number;
    readonly message: string;
    readonly hint?: string;
  }[];
}

/** The name of an event. */
export type EventName = keyof EventMap;

/** One event with its name, as streams of events carry it. */
export type HostEvent = { [Name in EventName]: { readonly type: Name } & EventMap[Name] }[EventName];
