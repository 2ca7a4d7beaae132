import { cutMiddle, spillName } from "../dispatch/bound.ts";
import type { Masker } from "../governance/mask.ts";
import type { ModelMessage, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { HistoryEntry } from "../sdk/tool.ts";
import type { ToolRequest } from "./extract.ts";
import { turnCap } from "./history-budget.ts";
import { gapText, openCalls } from "./history-calls.ts";
import { emptyState, type HistoryItem, type HistoryState, type KnownSubordinate, tokensOf } from "./history-items.ts";
import { type CallFacts, resultRecord } from "./history-result.ts";
import { applyRecord } from "./history-state.ts";
import { jobGap } from "./history-work.ts";
import type {
  AssistantRecord,
  CompactionRecord,
  JobRecord,
  RecordBody,
  SubordinateRecord,
  UserKind,
} from "./transcript-records.ts";
import { isUsed } from "./usage.ts";

/** The messages of one conversation, in order, in the form that models are given. What is added is masked first. */
export interface History {
  /** What the model is given; the same array for ever, changed in place. */
  readonly messages: readonly ModelMessage[];
  /** The messages with what the host knows of them. */
  readonly items: readonly HistoryItem[];
  /** What the provider counted for all replies so far, and for summaries. */
  readonly usage: Usage;
  /** The same for those who worked for the agent, until the last turn that ended. */
  readonly delegated: Usage;
  /** What the next question is for the model, prompt and definitions included: counted as far as the provider did, else estimated. */
  readonly tokens: number;
  /** Turns that have ended. */
  readonly turns: number;
  /** @param kind default `message`: a person asks, and a turn begins */
  addUser(content: string, kind?: UserKind): void;
  /** @param calls the native tool calls of the reply; empty for the JSON protocol, where the text holds the call */
  addAssistant(content: string, calls: readonly ToolRequest[], options?: ReplyFacts): void;
  /** A call is about to run: called before its first effect. */
  callStarted(request: CallFacts): void;
  /** The result of one call. The model is given its message and `additional`, but not the marks in that for the host. */
  addToolResult(request: CallFacts, result: ToolResult): void;
  /** The turn that a person's message began is over. Resolves when everything so far is safe on the disk, where there is one. */
  turnEnded(outcome: TurnEnd): Promise<void>;
  /** Notes what the model is given besides the messages; it counts until a provider has counted. In bytes of UTF-8. */
  notePrompt(bytes: number): void;
  /** Replaces old messages by a summary. */
  compact(change: Omit<CompactionRecord, "type" | "n">): void;
  /** A background call changed its state. */
  noteJob(change: Omit<JobRecord, "type">): void;
  /** Background calls whose end the model was not told yet, by id. */
  readonly jobs: ReadonlyMap<string, JobRecord>;
  /** How many background calls there were. */
  readonly jobCount: number;
  /** A subordinate is about to be asked. */
  noteSubordinate(asked: Omit<SubordinateRecord, "type">): void;
  readonly subordinates: ReadonlyMap<string, KnownSubordinate>;
  /** Ends every background call that did not, with what is known of it. @returns those that had begun */
  settleOpenJobs(): readonly ModelToolCall[];
  /** Gives every call without a result one that says what is known of it. @returns those that had begun */
  settleOpenCalls(): readonly ModelToolCall[];
  /** The narrow view that tools are given. */
  entries(): readonly HistoryEntry[];
}

/** How a turn ended. */
export interface TurnEnd {
  readonly answer: string;
  /** Why it ended without an answer. */
  readonly stopped?: string | undefined;
  /** What those used who worked for it. */
  readonly delegated?: Usage;
}

/** What may be known of a reply. */
export interface ReplyFacts {
  /** It was cut short: what is here is what had come. */
  readonly partial?: boolean;
  /** See {@link AssistantRecord}. */
  readonly published?: AssistantRecord["published"];
  readonly reasoning?: string;
  readonly usage?: Usage;
}

/** What a history may be joined to. */
export interface HistoryOptions {
  readonly masker?: Pick<Masker, "maskJson">;
  /** What an earlier process left. */
  readonly state?: HistoryState;
  /** Hears of every change before it is made. */
  readonly transcript?: { append(record: RecordBody): void; sync(): Promise<void> };
  /** Keeps a whole text that is shown by its ends only. @returns the path that tools take; undefined where it cannot be kept */
  readonly spill?: (name: string, text: string) => string | undefined;
}

/** A history; empty, kept in memory only and not masked where nothing else is said. */
export function createHistory(options: HistoryOptions = {}): History {
  const { masker, transcript, state = emptyState() } = options;
  let promptBytes = 0;
  const commit = (record: RecordBody): void => {
    const masked = masker ? masker.maskJson(record) : record;
    transcript?.append(masked);
    applyRecord(state, masked);
  };

  return {
    messages: state.messages,
    items: state.items,
    get usage() {
      return state.usage;
    },
    get delegated() {
      return state.delegated;
    },
    get tokens() {
      const besides = state.usage.inputTokens === undefined ? tokensOf(promptBytes) : state.besides;
      return Math.max(0, tokensOf(state.bytes) + besides);
    },
    get turns() {
      return state.turns;
    },
    addUser: (content, kind = "message") => commit({ type: "user", n: state.next, kind, content }),
    addAssistant(content, requests, facts = {}) {
      const calls = requests.map(({ id, name, args }) => ({ id, name, args }));
      const native = calls.length === 0 ? {} : { calls };
      const { published, partial, reasoning, usage } = facts;
      commit({
        type: "assistant",
        n: state.next,
        content,
        ...native,
        ...(published ? { published } : {}),
        ...(partial ? { partial } : {}),
        ...(reasoning ? { reasoning } : {}),
        ...(usage && Object.keys(usage).length > 0 ? { usage } : {}),
      });
    },
    callStarted: ({ id, name, args }) => commit({ type: "call", id, name, args }),
    addToolResult(request, result) {
      commit(resultRecord(request, result, state.next));
      for (const cut of cutsOf(state, options.spill)) commit(cut);
    },
    async turnEnded({ answer, stopped, delegated = {} }) {
      if (!state.inTurn) return;
      commit({
        type: "turn",
        answer,
        turns: state.turns + 1,
        ...(stopped === undefined ? {} : { stopped }),
        ...(isUsed(delegated) ? { delegated } : {}),
      });
      await transcript?.sync();
    },
    notePrompt(bytes) {
      promptBytes = bytes;
    },
    compact: (change) => commit({ type: "compaction", n: state.next, ...change }),
    noteJob: (change) => commit({ type: "job", ...change }),
    jobs: state.jobs,
    get jobCount() {
      return state.jobCount;
    },
    noteSubordinate: (asked) => commit({ type: "subordinate", ...asked }),
    subordinates: state.subordinates,
    settleOpenJobs() {
      const open = [...state.jobs.values()].filter((job) => job.state !== "ended");
      for (const job of open) {
        const { id, name } = job;
        const end = { id, name, state: "ended", status: "error", content: jobGap(job) } as const;
        commit({ type: "job", ...end, ...(job.state === "begun" ? { uncertain: true } : { code: "SKIPPED" }) });
      }
      return open.filter(({ state: was }) => was === "begun").map(({ id, name, args }) => ({ id, name, args }));
    },
    settleOpenCalls() {
      const open = openCalls(state).map((call) => ({
        call,
        began: state.started.has(call.id),
        content: gapText(call, state),
      }));
      for (const { call, began, content } of open) {
        const { id, name } = call;
        const known = { type: "result", n: state.next, id, name, status: "error", content } as const;
        commit({ ...known, ...(began ? { uncertain: true } : { code: "SKIPPED" }) });
      }
      return open.filter(({ began }) => began).map(({ call }) => call);
    },
    entries: () => state.messages.map(({ role, content }) => ({ role, content })),
  };
}

/** The largest results of the turn are shortened when all of them together are more than a turn may give the model. */
function cutsOf(state: HistoryState, spill: HistoryOptions["spill"]): readonly RecordBody[] {
  const begin = state.items.findLastIndex(({ kind }) => kind === "message");
  const results = state.items.slice(begin + 1).flatMap((item) => {
    const { message } = item;
    return message.role === "tool" ? [{ item, message, size: Buffer.byteLength(message.content) }] : [];
  });
  const cap = turnCap(results.map(({ size }) => size));
  if (cap === undefined) return [];
  return results
    .filter(({ size }) => size > cap)
    .map(({ item, message, size }) => {
      const path = item.whole?.path ?? spill?.(spillName(message.toolCallId, message.content), message.content);
      const whole = { bytes: item.whole?.bytes ?? size, ...(path === undefined ? {} : { path }) };
      const { text } = cutMiddle(message.content, { limit: cap, ...whole });
      return { type: "cut", n: item.n, content: text, whole };
    });
}
