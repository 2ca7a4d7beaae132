import { readFileSync } from "node:fs";
import type { UnderlyingSource } from "node:stream/web";
import { setImmediate } from "node:timers/promises";
import { diagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import { RECEIPT_IDS } from "../governance/receipt-id.ts";
import type { HostError } from "../sdk/errors.ts";
import { type Exchange, parseCassette, type RecordedRequest, type RecordedResponse } from "./cassette.ts";
import { type Difference, firstDifference } from "./conversation.ts";
import { cleaner, recordedRequest } from "./record.ts";

/** A reply that was left while recording is left in the replay as well; whoever waits for more than this does not leave it. */
const LEAVING_MS = 5000;

/** Plays one cassette, for all models of a host. */
export interface Player {
  readonly exchanges: readonly Exchange[];
  /**
   * Answers from the cassette, and never asks the network. A request takes the first exchange that is left; one that
   * was in flight together with others while recording may come before them.
   *
   * @throws HostError CASSETTE_MISMATCH for a request that was not recorded
   */
  readonly fetch: typeof fetch;
  /** Receipts of the recording, with those that the same calls have now. */
  readonly receipts: ReadonlyMap<string, string>;
}

/** What a player is made of. */
export interface PlayerOptions {
  /** Absolute. */
  readonly file: string;
  /** How messages name it. */
  readonly shown: string;
  readonly masker: Pick<Masker, "mask">;
}

/**
 * Opens a cassette at its beginning.
 * @throws HostError CASSETTE_UNREADABLE
 */
export function openPlayer({ file, shown, masker }: PlayerOptions): Player {
  const exchanges = readCassette(file, shown);
  const clean = cleaner(masker, {});
  const left = [...exchanges];
  const receipts = new Map<string, string>();
  return {
    exchanges,
    receipts,
    async fetch(input, init) {
      const request = recordedRequest(input, init, clean);
      const candidates = left.filter((exchange) => mayComeNow(exchange, left));
      const found = candidates.find((exchange) => difference(exchange, request) === undefined);
      if (!found) throw mismatch(shown, mismatchWords(candidates[0], request, exchanges.length));
      left.splice(left.indexOf(found), 1);
      noteReceipts(receipts, found.request, request);
      return await respond(found, { shown, signal: init?.signal ?? undefined });
    },
  };
}

function readCassette(file: string, shown: string): readonly Exchange[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const message = `expected a cassette, found ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
    throw hostError(diagnostic("CASSETTE_UNREADABLE", { file: shown, message, hint: `It was looked for at ${file}.` }));
  }
  return parseCassette(text, shown);
}

/** The same question names receipts in the same places. */
function noteReceipts(known: Map<string, string>, recorded: RecordedRequest, now: RecordedRequest): void {
  const [before = [], after = []] = [recorded, now].map(({ body }) => JSON.stringify(body).match(RECEIPT_IDS) ?? []);
  for (const [index, receipt] of before.entries()) known.set(receipt, after[index] ?? receipt);
}

function mayComeNow(exchange: Exchange, left: readonly Exchange[]): boolean {
  return left.every(({ number }) => number >= exchange.number || exchange.during?.includes(number));
}

function difference({ request }: Exchange, found: RecordedRequest): Difference | undefined {
  return firstDifference({ path: request.path, ...wrapped(request) }, { path: found.path, ...wrapped(found) });
}

/** The fields of a body beside the path, so that places read `messages[2].content`. */
function wrapped({ body }: RecordedRequest) {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body } : { body };
}

function mismatchWords(expected: Exchange | undefined, request: RecordedRequest, count: number): string {
  if (!expected) return `expected no request after the ${count} of the recording, found one more, to ${request.path}`;
  const { path, expected: a, found: b } = difference(expected, request) as Difference;
  return `exchange ${expected.number} of ${count}: expected ${path} to be ${a}, found ${b}`;
}

function mismatch(file: string, message: string): HostError {
  const hint =
    "The replay asked its model something else than the recording did. Record it again, or undo what changed.";
  return hostError(diagnostic("CASSETTE_MISMATCH", { file, message, hint }));
}

interface Playing {
  readonly shown: string;
  readonly signal: AbortSignal | undefined;
}

async function respond(exchange: Exchange, playing: Playing): Promise<Response> {
  await setImmediate();
  playing.signal?.throwIfAborted();
  const { response } = exchange;
  if (!response) throw await ending(exchange, playing);
  const { status, statusText, headers, chunks } = response;
  const empty = chunks.length === 0 && exchange.end === "complete";
  return new Response(empty ? null : replayedBody(chunks, exchange, playing), { status, statusText, headers });
}

function replayedBody(chunks: RecordedResponse["chunks"], exchange: Exchange, playing: Playing): ReadableStream {
  let next = 0;
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      // A turn of the event loop lies between two chunks, as with a network: who listens may stop a reply in its middle.
      await setImmediate();
      playing.signal?.throwIfAborted();
      const chunk = chunks[next++];
      if (chunk !== undefined) controller.enqueue(bytesOf(chunk));
      else if (exchange.end === "complete") controller.close();
      else throw await ending(exchange, playing);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

function bytesOf(chunk: RecordedResponse["chunks"][number]): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk, "utf8") : Buffer.from(chunk.base64, "base64");
}

/** What an exchange that was not read to its end ends with. */
async function ending({ end, error, number }: Exchange, { shown, signal }: Playing): Promise<unknown> {
  if (end === "lost") {
    const { message = "", cause } = error ?? {};
    return new TypeError(message, cause && { cause: Object.assign(new Error(cause.message), cause) });
  }
  await aborted(signal, LEAVING_MS);
  if (signal?.aborted) return signal.reason;
  return mismatch(
    shown,
    `exchange ${number}: expected the reply to be stopped in its middle, found a reader that waits`,
  );
}

/** Resolves when the signal fires, at the latest after `ms`. */
async function aborted(signal: AbortSignal | undefined, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}
