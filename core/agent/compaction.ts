import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { cutMiddle } from "../dispatch/bound.ts";
import type { Model } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import { type CompactionPlan, planCompaction } from "./compaction-plan.ts";
import { summaryByRule } from "./compaction-rule.ts";
import type { History } from "./history.ts";
import type { HistoryItem } from "./history-items.ts";

/** What a history is made to fit into, and with what. */
export interface CompactionOptions {
  /** What the model can be given at once. */
  readonly contextTokens: number;
  /** Who summarises; absent = by rule. */
  readonly model?: Model | undefined;
  /** What the model is told about summaries; asked for only where it makes one. */
  instructions(): Promise<string>;
  readonly signal: AbortSignal;
  report(item: Diagnostic): void;
}

/** What a compaction did. Tokens are estimated where the provider did not count them. */
export interface Compaction {
  readonly by: "model" | "rule";
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly summary: string;
}

/** So full a context is made room in. */
const FULL_SHARE = 0.8;
/** So much of it a summary by rule may take. */
const RULE_SHARE = 0.05;
/** So much of it one by a model. */
const MODEL_SHARE = 0.1;
/** So much of it the model is given to summarise at once. */
const SOURCE_SHARE = 0.7;
const BYTES_A_TOKEN = 4;

/** {@link compactHistory} where the context is nearly full; else nothing. */
export async function makeRoom(history: History, options: CompactionOptions): Promise<Compaction | undefined> {
  if (history.tokens <= options.contextTokens * FULL_SHARE) return undefined;
  return await compactHistory(history, options, false);
}

/**
 * Replaces old turns by a summary. The last turns stay, and so do results that asked for it. A model that cannot
 * summarise is told of, and the rule does it.
 *
 * @param byHand somebody asked for it, so all but the last turns go
 * @returns undefined where there is nothing old enough, or where it was stopped
 */
export async function compactHistory(
  history: History,
  options: CompactionOptions,
  byHand = true,
): Promise<Compaction | undefined> {
  const { contextTokens, signal } = options;
  const plan = planCompaction(history.items, { contextTokens, byHand });
  if (!plan) return undefined;
  const made = (await summaryByModel(plan, options)) ?? {
    by: "rule" as const,
    text: summaryByRule(plan.removed, contextTokens * RULE_SHARE * BYTES_A_TOKEN),
  };
  // Somebody else may have made room meanwhile.
  if (signal.aborted || !plan.removed.every((item) => history.items.includes(item))) return undefined;
  const summary = `Summary of the conversation until here, made by ${made.by === "model" ? "a model" : "rule"}. What it stands for is gone.\n\n${made.text}`;
  const { removed: _, tokens: removed, ...change } = plan;
  const tokensBefore = history.tokens;
  const tokensAfter = Math.max(0, tokensBefore - removed) + Math.ceil(Buffer.byteLength(summary) / BYTES_A_TOKEN);
  const usage = "usage" in made ? { usage: made.usage } : {};
  history.compact({ ...change, by: made.by, content: summary, tokens: [tokensBefore, tokensAfter], ...usage });
  return { by: made.by, tokensBefore, tokensAfter, summary };
}

async function summaryByModel(
  { removed }: CompactionPlan,
  { model, contextTokens, instructions, signal, report }: CompactionOptions,
): Promise<{ by: "model"; text: string; usage: Usage } | undefined> {
  if (!model) return undefined;
  const content = shortened(removed.map(told).join("\n\n"), contextTokens * SOURCE_SHARE);
  const pieces: string[] = [];
  let usage: Usage = {};
  try {
    // As one text, because providers refuse the messages of tool calls in a question without tools.
    const messages = [{ role: "user", content }] as const;
    const request = { system: instructions, messages, tools: [], protocol: model.protocol, signal };
    for await (const part of model.stream(request)) {
      if (part.type === "text") pieces.push(part.text);
      if (part.type === "finish") usage = part.usage;
    }
    const text = pieces.join("").trim();
    if (text === "") throw new Error("it answered nothing");
    return { by: "model", text: shortened(text, contextTokens * MODEL_SHARE), usage };
  } catch (error) {
    if (signal.aborted) return undefined;
    const words = error instanceof Error ? error.message : String(error);
    const message = `the model could not summarise old turns: ${words}`;
    report(diagnostic("COMPACTION_FAILED", { message, hint: "They were shortened by rule." }));
    return undefined;
  }
}

function shortened(text: string, tokens: number): string {
  const limit = Math.floor(tokens * BYTES_A_TOKEN);
  return Buffer.byteLength(text) > limit ? cutMiddle(text, { limit }).text : text;
}

/** One message as the model that summarises reads it. */
function told({ kind, message, call, status }: HistoryItem): string {
  if (message.role === "user") return `[${kind === "message" ? "person" : kind}]\n${message.content}`;
  if (message.role === "assistant") {
    const calls = (message.toolCalls ?? []).map(({ name, args }) => `calls ${name} ${JSON.stringify(args ?? {})}`);
    return ["[assistant]", ...(message.content === "" ? [] : [message.content]), ...calls].join("\n");
  }
  const asked = call?.args === undefined ? "" : ` ${JSON.stringify(call.args)}`;
  return `[result of ${message.toolName}${asked}, ${status}]\n${message.content}`;
}
