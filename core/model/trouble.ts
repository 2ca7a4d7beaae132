import type { ProviderTrouble } from "../sdk/errors.ts";

/** Statuses with which providers say: not now. 529 is Anthropic's overload. */
const TRANSIENT_STATUS = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
/** A connection that was lost, or that took too long. Where nothing listens, somebody has to start something first. */
const TRANSIENT_NETWORK = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
/** A used-up quota comes as 429 too, and waiting does not fill it. */
const QUOTA = /insufficient_quota|billing|credit balance/i;
const MAX_DEPTH = 6;

interface ErrorShape {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly responseHeaders?: unknown;
}

/** Whether an error of the model's library is worth another try, and when. */
export function providerTrouble(error: unknown, now: number = Date.now()): ProviderTrouble {
  const { statusCode, responseBody, responseHeaders } = shapeOf(error);
  const status = typeof statusCode === "number" ? statusCode : undefined;
  const isRefusal = status !== undefined && status >= 400;
  const outOfQuota = typeof responseBody === "string" && QUOTA.test(responseBody);
  const transient = isRefusal ? TRANSIENT_STATUS.has(status) && !outOfQuota : isNetworkTrouble(error);
  const retryAfterMs = transient ? retryAfter(responseHeaders, now) : undefined;
  return {
    transient,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
function retryAfter(headers: unknown, now: number): number | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  const named = (name: string): string | undefined => {
    const value = (headers as Record<string, unknown>)[name];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const ms = Number(named("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const given = named("retry-after");
  if (given === undefined) return undefined;
  const wanted = /^\d+(?:\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now;
  return Number.isFinite(wanted) ? Math.max(0, wanted) : undefined;
}

function isNetworkTrouble(error: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const { code, cause, errors } = shapeOf(error);
  if (typeof code === "string" && TRANSIENT_NETWORK.has(code)) return true;
  return [cause, ...(Array.isArray(errors) ? errors : [])].some((inner) => isNetworkTrouble(inner, depth + 1));
}

function shapeOf(error: unknown): ErrorShape {
  return typeof error === "object" && error !== null ? (error as ErrorShape) : {};
}
