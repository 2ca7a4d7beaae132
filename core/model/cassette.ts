import { diagnostic, hostError } from "../diagnostics.ts";
import type { HostError } from "../sdk/errors.ts";
import type { Json } from "../sdk/json.ts";
import type { Endpoint } from "./endpoints.ts";

/** The version of the form below. */
const VERSION = 1;

/**
 * One request to a provider and what came back. A cassette is a JSON file of these:
 * `{"toolroom": "cassette", "version": 1, "exchanges": [ … ]}`, in the order in which they ended.
 */
export interface Exchange {
  /** From 1, in the order in which the requests were sent. */
  readonly number: number;
  /** The earlier exchanges that had not ended when this request was sent; absent when there were none. */
  readonly during?: readonly number[];
  readonly endpoint: RecordedEndpoint;
  readonly request: RecordedRequest;
  /** Absent when none came. */
  readonly response?: RecordedResponse;
  /**
   * `complete`: the response was read to its end. `left`: the reader went away before, on a stop, on an intervention
   * or because it had all it wanted. `lost`: the connection failed; `error` says how.
   */
  readonly end: "complete" | "left" | "lost";
  readonly error?: RecordedError;
}

/** Where the request went: everything of an {@link Endpoint} but the key. */
export type RecordedEndpoint = Omit<Endpoint, "apiKey">;

/** A request without its headers, the key masked, and without what {@link spokenPart} takes out of the body. */
export interface RecordedRequest {
  /** Behind the host: `/v1/messages`. */
  readonly path: string;
  readonly body: Json;
}

/** A response as it came, chunk by chunk. */
export interface RecordedResponse {
  readonly status: number;
  /** The words behind the status. */
  readonly statusText: string;
  /** Only those that mean something to whoever reads the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text where the chunk is UTF-8 by itself. */
  readonly chunks: readonly (string | { readonly base64: string })[];
}

/** An error of the connection, as Node told it. */
export interface RecordedError {
  readonly message: string;
  /** Of the error that caused it. */
  readonly cause?: { readonly message: string; readonly code?: string };
}

/** The text of a cassette before its first exchange and after its last. */
export const CASSETTE_HEAD = `{\n  "toolroom": "cassette",\n  "version": ${VERSION},\n  "exchanges": [`;
export const CASSETTE_TAIL = "\n  ]\n}\n";

/** The text of one exchange, at its place in the list. */
export function exchangeText(exchange: Exchange): string {
  return JSON.stringify(exchange, null, 2).replace(/^/gmu, "    ");
}

/**
 * The exchanges of a cassette, in the order of their numbers.
 * @param file how messages name it
 * @throws HostError CASSETTE_UNREADABLE
 */
export function parseCassette(text: string, file: string): readonly Exchange[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(file, `no JSON (${(error as Error).message})`);
  }
  const fault = faultOf(value);
  if (fault !== undefined) throw unreadable(file, fault);
  const { exchanges } = value as { exchanges: readonly Exchange[] };
  if (exchanges.length === 0) throw unreadable(file, "a cassette without exchanges");
  return [...exchanges].sort((a, b) => a.number - b.number);
}

/** Whether a text is a cassette, or the beginning of one. */
export function looksLikeCassette(text: string): boolean {
  return /^\s*\{\s*"toolroom":\s*"cassette"/u.test(text);
}

function faultOf(value: unknown): string | undefined {
  if (!isObject(value) || value.toolroom !== "cassette") return "something else";
  if (value.version !== VERSION) return `version ${JSON.stringify(value.version)} of the form`;
  if (!Array.isArray(value.exchanges)) return 'a cassette without the list "exchanges"';
  const at = value.exchanges.findIndex((exchange) => !isExchange(exchange));
  return at < 0 ? undefined : `a cassette whose exchange ${at + 1} is damaged`;
}

function isExchange(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.endpoint) || !isObject(value.request)) return false;
  const { response, error, during = [] } = value;
  return (
    typeof value.number === "number" &&
    Array.isArray(during) &&
    ["provider", "model", "format", "baseURL", "protocol"].every((key) => typeof value.endpoint[key] === "string") &&
    typeof value.request.path === "string" &&
    "body" in value.request &&
    ["complete", "left", "lost"].includes(value.end) &&
    (response === undefined ? value.end !== "complete" : isResponse(response)) &&
    (value.end !== "lost" || (isObject(error) && typeof error.message === "string"))
  );
}

function isResponse(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.status === "number" &&
    typeof value.statusText === "string" &&
    isObject(value.headers) &&
    Array.isArray(value.chunks) &&
    value.chunks.every((chunk) => typeof chunk === "string" || (isObject(chunk) && typeof chunk.base64 === "string"))
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the form of a file is what is being found out
function isObject(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(file: string, found: string): HostError {
  return hostError(
    diagnostic("CASSETTE_UNREADABLE", {
      file,
      message: `expected a cassette of version ${VERSION}, found ${found}`,
      hint: "Record it again with TOOLROOM_CASSETTE=record:FILE.",
    }),
  );
}
