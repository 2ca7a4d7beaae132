import type { DiagnosticCode } from "../diagnostics.ts";
import { keysIn } from "../governance/key-shapes.ts";
import { HostError } from "../sdk/errors.ts";
import { type Endpoint, shownUrl } from "./endpoints.ts";
import { providerTrouble } from "./trouble.ts";

/** More of a provider's own words than this helps nobody. */
const MAX_WORDS = 400;
/** A shorter key is a placeholder such as `x`; masking it would eat ordinary text. */
const MIN_KEY = 4;
/** Whoever it belongs to. */
const BEARER = /(?<=\bBearer\s+)\S+/g;

/** The fields that errors of `ai`, of fetch and of Node carry, as far as they are read here. */
interface ErrorShape {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly error?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly value?: unknown;
}

/**
 * One sentence about why a provider gave no reply, as an error: MODEL_UNREACHABLE when no answer came,
 * MODEL_REFUSED when the answer was an error. The API key is masked wherever the provider repeated it.
 */
export function providerFailure(error: unknown, endpoint: Endpoint): HostError {
  const who = `The model ${endpoint.provider}/${endpoint.model}`;
  const where = shownUrl(endpoint.baseURL);
  const shape = toShape(error);
  const status = typeof shape.statusCode === "number" ? shape.statusCode : undefined;
  // A connection that is lost in the middle of a reply comes with that reply's status.
  const network = status === undefined || status < 400 ? networkWords(error) : undefined;
  // Masked before it is cut: half a key at the end would not be recognised.
  const words = oneLine(maskKeys(network ?? providerWords(shape), endpoint));
  const sentence =
    network === undefined
      ? `${who} at ${where} ${refusal(words, status)}${advice(status, endpoint)}.`
      : `${who} could not be reached at ${where}: ${words}; start it or choose another with --model.`;
  const code: DiagnosticCode = network === undefined ? "MODEL_REFUSED" : "MODEL_UNREACHABLE";
  return new HostError(code, maskKeys(sentence, endpoint), { provider: providerTrouble(error) });
}

/** Replaces the endpoint's key, as it is or as URLs and JSON write it, and whatever looks like a key. */
export function maskKeys(text: string, endpoint: Pick<Endpoint, "apiKey">): string {
  const key = endpoint.apiKey;
  let masked = text;
  if (key !== undefined && key.length >= MIN_KEY) {
    for (const form of new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])) {
      masked = masked.replaceAll(form, "***");
    }
  }
  for (const { text: found } of keysIn(masked)) masked = masked.replaceAll(found, "***");
  return masked.replace(BEARER, "***");
}

function refusal(words: string, status: number | undefined): string {
  if (status === undefined) return `broke off with an error: ${words}`;
  if (status < 400) return `sent no reply that could be read (status ${status}): ${words}`;
  return `refused the request with status ${status}: ${words}`;
}

function advice(status: number | undefined, endpoint: Endpoint): string {
  if (status === 401 || status === 403) {
    return endpoint.keyVariable === undefined ? "" : `; check the key in ${endpoint.keyVariable}`;
  }
  if (status === 404) return "; check the model's name and the base URL";
  if (status === 429) return "; wait a while or choose another with --model";
  return "";
}

/** The provider's own message: from the body that it sent, else from the error. */
function providerWords(shape: ErrorShape): string {
  // A part of a stream that is in no known format; the library's own words are pages of schema.
  if (shape.name === "AI_TypeValidationError") return messageOf(shape.value) ?? "a part of it is in no known format";
  const body = typeof shape.responseBody === "string" ? bodyWords(shape.responseBody) : undefined;
  return body ?? messageOf(shape) ?? "no message";
}

/** Bodies come as `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, a list of these, or plain text. */
function bodyWords(body: string): string | undefined {
  const text = body.trim();
  if (text === "") return undefined;
  try {
    return messageOf(JSON.parse(text));
  } catch {
    // A page of HTML says less than the status does.
    return text.startsWith("<") ? undefined : text;
  }
}

function messageOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value !== "object" || value === null || depth > 3) return undefined;
  const { error, message, detail } = value as { error?: unknown; message?: unknown; detail?: unknown };
  for (const part of [error, message, detail, Array.isArray(value) ? value[0] : undefined]) {
    const found = messageOf(part, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name could not be looked up",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "no answer in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
};

/** What the network said, or undefined when the error is not the network's. Causes and the members of an AggregateError are searched. */
function networkWords(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > 6) return undefined;
  const { code, cause, errors, message } = toShape(error);
  if (typeof code === "string" && Object.hasOwn(NETWORK_WORDS, code)) return `${NETWORK_WORDS[code]} (${code})`;
  for (const inner of [cause, ...(Array.isArray(errors) ? errors : [])]) {
    const found = networkWords(inner, depth + 1);
    if (found !== undefined) return found;
  }
  if (depth > 0 || typeof message !== "string") return undefined;
  const fetchFailed = /^(fetch failed|terminated|Cannot connect to API\b.*)$/is.test(message.trim());
  return fetchFailed ? deepestMessage(error) : undefined;
}

function deepestMessage(error: unknown): string {
  const { cause, message } = toShape(error);
  const inner = typeof cause === "object" && cause !== null ? deepestMessage(cause) : "";
  return inner || (typeof message === "string" ? message : "");
}

function toShape(error: unknown): ErrorShape {
  return typeof error === "object" && error !== null ? (error as ErrorShape) : { message: String(error) };
}

/** Line ends and control characters become spaces, the full stop at the end goes: more of the sentence follows. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
  const cut = line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
  return cut.replace(/[.。;]+$/, "");
}
