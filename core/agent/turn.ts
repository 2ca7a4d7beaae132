import type { DiagnosticCode } from "../diagnostics.ts";
import type { Model, ToolDefinition } from "../model/model.ts";
import type { HostEvent, Usage } from "../sdk/events.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { LoopData } from "../sdk/tool.ts";
import { createExtractor, type Extraction, type ToolRequest } from "./extract.ts";
import type { History } from "./history.ts";
import { addUsage, type Reply, readReply } from "./reply.ts";

/** So many replies in a row that could not be used end the turn. */
const MAX_UNUSABLE_REPLIES = 5;

/** What one turn works with. */
export interface TurnOptions {
  readonly turnId: string;
  readonly model: Model;
  readonly history: History;
  readonly message: string;
  readonly signal: AbortSignal;
  readonly maxIterations: number;
  readonly loopData: { iteration: number; lastResponse: string } & Pick<LoopData, "extras">;
  /** The system prompt; asked for only by models that read it. */
  system(): Promise<string>;
  tools(): Promise<readonly ToolDefinition[]>;
  /** Runs the requests of one reply in order; never rejects. */
  run(requests: readonly ToolRequest[]): Promise<readonly ToolResult[]>;
  /** The words of a `fw.*.md` message. */
  words(file: string, variables: Readonly<Record<string, string | number>>): Promise<string>;
  /** Summarises old turns where the context is nearly full; awaited before every question. */
  makeRoom?(): Promise<void>;
  emit(event: HostEvent): void;
}

/** One call of a turn, as `run --json` tells it. */
export interface TurnCall {
  readonly name: string;
  readonly args: unknown;
  readonly status: ToolResult["status"];
  readonly durationMs: number;
}

/** How a turn ended. `turns` counts the model's replies. */
export interface TurnOutcome {
  readonly answer: string;
  readonly turns: number;
  readonly calls: readonly TurnCall[];
  readonly usage: Usage;
  /** Set when the turn ended without an answer of the model: why. */
  readonly stopped?: "iterations" | "unusable" | "aborted";
}

/**
 * The message loop: ask the model, run what it asks for, give the results back, until a result breaks the
 * loop, the model answers in plain text (native protocol), or a limit is reached.
 *
 * @throws HostError MODEL_UNREACHABLE or MODEL_REFUSED when the model cannot be asked
 */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { model, history, loopData } = options;
  const calls: TurnCall[] = [];
  let usage: Usage = {};
  let unusable = 0;
  let previous: string | undefined;
  history.addUser(options.message);

  const end = (answer: string, stopped?: TurnOutcome["stopped"]): TurnOutcome => ({
    answer,
    turns: loopData.iteration + 1,
    calls,
    usage,
    ...(stopped === undefined ? {} : { stopped }),
  });
  const refuse = async (code: DiagnosticCode, file: string, reason: string): Promise<boolean> => {
    const message = await options.words(file, { reason });
    options.emit({ type: "warning", turnId: options.turnId, code, message: reason });
    history.addUser(message, "warning");
    return ++unusable >= MAX_UNUSABLE_REPLIES;
  };

  for (loopData.iteration = 0; loopData.iteration < options.maxIterations; loopData.iteration++) {
    if (options.signal.aborted) return end(stoppedText(options.signal), "aborted");
    const reply = await ask(options);
    if (reply === undefined) return end(stoppedText(options.signal), "aborted");
    usage = addUsage(usage, reply.usage);
    loopData.lastResponse = reply.text;
    const { requests, warnings, answer } = reply.extraction;

    const fingerprint = fingerprintOf(reply, requests);
    if (fingerprint === previous) {
      history.addAssistant(reply.text, [], reply);
      if (await refuse("REPEATED", "fw.msg_repeat.md", "the reply is the same as the one before"))
        return end(unusableText(), "unusable");
      continue;
    }
    previous = fingerprint;

    history.addAssistant(reply.text, model.protocol === "native" ? requests : [], reply);
    const [warning] = warnings;
    if (requests.length === 0) {
      if (!warning) return end(answer ?? reply.text);
      const file = warning.code === "MISFORMAT" ? "fw.msg_misformat.md" : "fw.msg_empty.md";
      if (await refuse("MISFORMAT", file, warning.message)) return end(unusableText(), "unusable");
      continue;
    }
    unusable = 0;
    if (warning)
      options.emit({ type: "warning", turnId: options.turnId, code: warning.code, message: warning.message });

    const results = await options.run(requests);
    for (const [index, request] of requests.entries()) {
      const result = results[index];
      if (!result) continue;
      calls.push({
        name: request.name,
        args: request.args,
        status: result.status,
        durationMs: result.stats.durationMs,
      });
    }
    const breaking = results.find((result) => result.breakLoop);
    if (breaking) return end(breaking.message);
  }
  loopData.iteration--;
  return end(await options.words("fw.msg_iteration_limit.md", { limit: options.maxIterations }), "iterations");
}

/** The reply, or undefined when the turn was stopped while the model was speaking. */
async function ask(options: TurnOptions): Promise<(Reply & { readonly extraction: Extraction }) | undefined> {
  const { model, history, signal, turnId, emit, loopData } = options;
  await options.makeRoom?.();
  const tools = await options.tools();
  const { protocol } = model;
  const extractor = createExtractor({ protocol, id: `${turnId}-${loopData.iteration}`, tools });
  const request = { system: options.system, messages: history.messages, tools, protocol, signal };
  try {
    const reply = await readReply(model, request, {
      extractor,
      text: (text) => emit({ type: "text_delta", turnId, text }),
      reasoning: (text) => emit({ type: "reasoning_delta", turnId, text }),
    });
    return { ...reply, extraction: await extractor.end(reply) };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Two replies are the same when they ask for the same calls, whatever the provider's call ids are. */
function fingerprintOf(reply: Reply, requests: readonly ToolRequest[]): string {
  if (requests.length === 0) return reply.text;
  return JSON.stringify(requests.map(({ name, args, invalid }) => [name, args, invalid]));
}

function stoppedText(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name !== "AbortError" ? reason.message : "The turn was stopped.";
}

function unusableText(): string {
  return `The turn was ended: ${MAX_UNUSABLE_REPLIES} replies in a row could not be used. Ask again, or choose another model with --model.`;
}
