import { createCancellation } from "../governance/cancellation.ts";
import { type ModelMessage, type ModelProtocol, publishedOf, type ToolDefinition } from "../model/model.ts";
import type { PointName } from "../sdk/points.ts";
import { createExtractor, type Extraction, type Extractor } from "./extract.ts";
import type { LoopPoints } from "./loop-points.ts";
import { type RefusedTool, refusedTools } from "./refused-tools.ts";
import { type Reply, type ReplyReader, readReply } from "./reply.ts";
import { MAX_RETRIES, pass, retryDelay } from "./retry.ts";
import type { TurnOptions } from "./turn-options.ts";

/** One question to the model. */
export interface Question {
  system(): Promise<string>;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly protocol: ModelProtocol;
  /** How the reply is read; default: as it is asked for. */
  readonly reads?: ModelProtocol;
}

/** A reply and what it holds. `extraction` is absent where the reply did not come to an end. */
export interface Answered {
  readonly reply: Reply;
  readonly extraction?: Extraction;
}

/**
 * Asks the model, and once more where its provider had passing trouble before anything came, or refused the request for
 * a tool; then without that. Those who watch are told
 * of the reply while it comes. Never rejects.
 */
export async function ask(turn: TurnOptions, points: LoopPoints, question: Question): Promise<Answered> {
  const { model, control, loopData, turnId } = turn;
  const { reads = question.protocol, ...asked } = question;
  let request = asked;
  const id = `${turnId}-${loopData.iteration}`;
  for (let tries = 0; ; ) {
    const extractor = createExtractor({ protocol: reads, id, tools: request.tools });
    const watcher = createWatcher({ turn, points, extractor });
    const { signal } = control;
    const sent = { ...request, signal };
    const read = async () => await readReply(model, sent, watcher.reader);
    const reply = await announced(turn, publishedOf(sent.tools), read);
    const refused = reply.streamed || request.protocol !== "native" ? [] : refusedTools(reply.error, sent.tools);
    if (refused.length > 0) {
      request = { ...request, tools: await withoutRefused(turn, sent.tools, refused) };
      continue;
    }
    const wait = reply.error === undefined ? undefined : retryDelay(reply.error, { tries, streamed: reply.streamed });
    if (wait === undefined) return await conclude(reply, watcher, extractor);
    const seconds = Math.ceil(wait / 100) / 10;
    const message = `${(reply.error as Error).message} It is asked again in ${seconds} s (${tries + 1} of ${MAX_RETRIES}).`;
    turn.emit({ type: "warning", turnId, code: "RETRIED", message });
    tries++;
    const work = createCancellation(signal);
    try {
      await pass(wait, work);
    } catch {
      return { reply: { ...reply, error: undefined, interrupted: true } };
    } finally {
      work.close();
    }
  }
}

/** The tools that a provider may be asked with: each time fewer, so this comes to an end. */
async function withoutRefused(
  { emit, turnId, refuseTool }: TurnOptions,
  sent: readonly ToolDefinition[],
  refused: readonly RefusedTool[],
): Promise<readonly ToolDefinition[]> {
  for (const { tool, words } of refused) {
    const message = `${words} The model is asked again without ${tool.name}.`;
    emit({ type: "warning", turnId, code: "SCHEMA_REFUSED", message });
    await refuseTool?.(tool.name, words);
  }
  return sent.filter((tool) => !refused.some((item) => item.tool === tool));
}

/** Tells that the model is asked, and that it has spoken. */
async function announced(
  { emit, turnId, loopData }: TurnOptions,
  published: Readonly<Record<string, string>> | undefined,
  read: () => Promise<Reply>,
): Promise<Reply> {
  const { iteration } = loopData;
  const began = performance.now();
  emit({ type: "reply_start", turnId, iteration, ...(published ? { published } : {}) });
  const reply = await read();
  const status = reply.interrupted ? "interrupted" : reply.error === undefined ? "complete" : "failed";
  const durationMs = Math.round(performance.now() - began);
  emit({ type: "reply_end", turnId, iteration, status, durationMs, usage: reply.usage });
  return reply;
}

async function conclude(reply: Reply, watcher: Watcher, extractor: Extractor): Promise<Answered> {
  if (reply.interrupted || reply.error !== undefined) return { reply };
  await watcher.end();
  return { reply, extraction: await extractor.end(reply) };
}

interface Watcher {
  readonly reader: ReplyReader;
  /** The reply is complete. */
  end(): Promise<void>;
}

interface WatcherOptions {
  readonly turn: TurnOptions;
  readonly points: LoopPoints;
  readonly extractor: Extractor;
}

/** Tells events and extensions of a reply while it comes. Without extensions a piece is one event and nothing else. */
function createWatcher({ turn, points, extractor }: WatcherOptions): Watcher {
  const { control, turnId, emit } = turn;
  const say = (type: "text_delta" | "reasoning_delta") => (text: string) => {
    if (text !== "") emit({ type, turnId, text });
  };
  const parsed = extractor.partial;
  const text = createStream("response", { points, control, show: say("text_delta"), parsed });
  const reasoning = createStream("reasoning", { points, control, show: say("reasoning_delta"), parsed });
  return {
    reader: {
      text(piece) {
        const goesOn = extractor.push(piece);
        const told = text.piece(piece);
        return told ? told.then(() => goesOn) : goesOn;
      },
      reasoning: (piece) => reasoning.piece(piece),
      // Nothing is waited for while nobody does anything.
      checkpoint: () => (control.paused ? control.checkpoint() : undefined),
    },
    async end() {
      for (const stream of [reasoning, text]) await stream.finish();
      for (const stream of [reasoning, text]) await stream.end();
    },
  };
}

interface StreamOptions {
  readonly points: LoopPoints;
  readonly control: TurnOptions["control"];
  show(text: string): void;
  parsed(text: string): unknown;
}

/** The first look at a text, and by which share it grows until the next: so that all looks together are a few times its length. */
const FIRST_LOOK = 25;
const GROWTH = 1.1;

const STREAM_POINTS = {
  response: { chunk: "response_stream_chunk", stream: "response_stream", end: "response_stream_end" },
  reasoning: { chunk: "reasoning_stream_chunk", stream: "reasoning_stream", end: "reasoning_stream_end" },
} as const satisfies Record<string, Record<string, PointName>>;

interface ReplyStream {
  piece(text: string): void | Promise<void>;
  /** A last look at the whole. */
  finish(): Promise<void>;
  end(): Promise<void>;
}

/** The extensions at one of the two streams of a reply. */
function createStream(kind: "response" | "reasoning", { points, control, show, parsed }: StreamOptions): ReplyStream {
  const names = STREAM_POINTS[kind];
  const watched = Object.values(names).some(points.has);
  let full = "";
  let next = FIRST_LOOK;
  let looked = 0;
  const look = async (signal?: AbortSignal): Promise<void> => {
    looked = full.length;
    next = Math.max(full.length + FIRST_LOOK, full.length * GROWTH);
    if (names.stream === "reasoning_stream") await points.run(names.stream, { text: full }, signal);
    else await points.run(names.stream, { text: full, parsed: parsed(full) }, signal);
  };
  const tell = async (piece: string): Promise<void> => {
    const { signal } = control;
    full += piece;
    const { chunk } = await points.run(names.chunk, { chunk: piece, full }, signal);
    // An extension that was ended before it had taken something out has left it in.
    if (signal.aborted) return;
    show(chunk);
    if (full.length >= next && points.has(names.stream)) await look(signal);
  };
  return {
    piece(piece) {
      if (watched) return tell(piece);
      show(piece);
    },
    async finish() {
      if (full.length > looked && points.has(names.stream)) await look();
    },
    async end() {
      if (watched) await points.run(names.end, { text: full });
    },
  };
}
