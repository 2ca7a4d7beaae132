import type { UnderlyingSource } from "node:stream/web";
import type { Masker } from "../governance/mask.ts";
import type { Exchange, RecordedError, RecordedRequest, RecordedResponse } from "./cassette.ts";
import { spokenPart } from "./conversation.ts";
import { type Endpoint, shownUrl } from "./endpoints.ts";
import { maskKeys } from "./failures.ts";
import type { Tape } from "./tape.ts";

/** Headers of a response that are kept: they say how to read it, and when to ask again. */
const KEPT_HEADERS = ["content-type", "retry-after", "retry-after-ms"] as const;

/** Records to one tape, whatever the endpoints. */
export interface Recorder {
  /** A `fetch` that goes to the network and writes down each exchange as it ends. */
  fetch(endpoint: Endpoint): typeof fetch;
}

/** @param masker takes secrets out of what is written, the keys of endpoints aside: those are taken out anyway */
export function createRecorder(tape: Tape, masker: Pick<Masker, "mask">): Recorder {
  const open = new Set<number>();
  let sent = 0;
  return {
    fetch: (endpoint) => async (input, init) => {
      tape.check();
      const clean = cleaner(masker, endpoint);
      const during = [...open];
      const number = ++sent;
      open.add(number);
      const begun = {
        number,
        ...(during.length > 0 ? { during } : {}),
        endpoint: recordedEndpoint(endpoint),
        request: recordedRequest(input, init, clean),
      };
      return await watchedFetch(input, init, ({ response, chunks, ...rest }) => {
        if (!open.delete(number)) return;
        const answer = response ? { response: recordedResponse(response, chunks, clean) } : {};
        tape.append({ ...begun, ...answer, ...rest });
        if (rest.end === "complete") tape.check();
      });
    },
  };
}

/** Takes secrets out of what a cassette holds, and out of what is compared with it. */
export function cleaner(masker: Pick<Masker, "mask">, endpoint: Pick<Endpoint, "apiKey">): (text: string) => string {
  return (text) => masker.mask(maskKeys(text, endpoint));
}

/** How an exchange ended, with what had come until then. */
interface Ending extends Pick<Exchange, "end" | "error"> {
  readonly response?: Response;
  readonly chunks: readonly Uint8Array[];
}

/** Fetches; `end` may be told more than once, and only its first word counts. */
async function watchedFetch(
  ...[input, init, end]: [...Parameters<typeof fetch>, (ending: Ending) => void]
): Promise<Response> {
  const signal = init?.signal ?? undefined;
  const chunks: Uint8Array[] = [];
  const failed = (error: unknown): Pick<Exchange, "end" | "error"> =>
    signal?.aborted ? { end: "left" } : { end: "lost", error: recordedError(error) };
  let response: Response;
  try {
    response = await fetch(input, init);
  } catch (error) {
    end({ ...failed(error), chunks });
    throw error;
  }
  const { body, status, statusText, headers } = response;
  if (!body) {
    end({ end: "complete", response, chunks });
    return response;
  }
  const reader = body.getReader();
  const left = (): void => end({ end: "left", response, chunks });
  // A stream that nobody reads any more tells nothing.
  signal?.addEventListener("abort", left, { once: true });
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const read = await reader.read().catch((error: unknown) => {
        end({ ...failed(error), response, chunks });
        throw error;
      });
      if (read.done) {
        end({ end: "complete", response, chunks });
        controller.close();
      } else {
        chunks.push(read.value);
        controller.enqueue(read.value);
      }
    },
    async cancel(reason) {
      left();
      await reader.cancel(reason);
    },
  };
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), { status, statusText, headers });
}

function recordedEndpoint({ apiKey: _, baseURL, ...endpoint }: Endpoint): Exchange["endpoint"] {
  return { ...endpoint, baseURL: shownUrl(baseURL) };
}

/** A request as a cassette holds it. */
export function recordedRequest(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  clean: (text: string) => string,
): RecordedRequest {
  const url = new URL(input instanceof Request ? input.url : input);
  const text = clean(typeof init?.body === "string" ? init.body : "");
  return { path: clean(`${url.pathname}${url.search}`), body: spokenPart(jsonOf(text)) };
}

function jsonOf(text: string): RecordedRequest["body"] {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is kept as the text that it is.
    return text;
  }
}

function recordedResponse(
  { status, statusText, headers }: Response,
  chunks: readonly Uint8Array[],
  clean: (text: string) => string,
): RecordedResponse {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  const whole = Buffer.concat(chunks).toString();
  const masked = clean(whole);
  // A secret may lie across chunks; where one was, the body becomes a single chunk.
  return { status, statusText, headers: kept, chunks: masked === whole ? chunks.map(recordedChunk) : [masked] };
}

function recordedChunk(chunk: Uint8Array): RecordedResponse["chunks"][number] {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(chunk);
  } catch {
    return { base64: Buffer.from(chunk).toString("base64") };
  }
}

function recordedError(error: unknown): RecordedError {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  if (cause === undefined) return { message: String(message ?? error) };
  const code = typeof cause.code === "string" ? { code: cause.code } : {};
  return { message: String(message), cause: { message: String(cause.message ?? ""), ...code } };
}
