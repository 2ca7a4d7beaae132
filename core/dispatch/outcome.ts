import { type CallErrorCode, isCallErrorCode, isToolError, ToolError } from "../sdk/errors.ts";
import { frozenJson } from "../sdk/json.ts";
import { createResult, type JsonObject, type ResultParts, type ToolResult, type ToolStatus } from "../sdk/result.ts";
import type { CleanText } from "./clean-text.ts";

/** What the host, and nobody else, says of a call. */
export interface ResultFrame {
  readonly clean: CleanText;
  readonly durationMs: number;
  readonly context: ResultParts["context"];
}

/**
 * The result that a tool or an extension returned, checked as if it came from anywhere, cleaned, masked, and with
 * the host's own word on time and context.
 *
 * @param made who made it, for the message
 * @throws ToolError INVALID_RESULT
 */
export function returnedResult(value: unknown, made: string, frame: ResultFrame): ToolResult {
  if (typeof value !== "object" || value === null || !("status" in value) || !("message" in value)) {
    throw new ToolError("INVALID_RESULT", `${made} returned ${nounOf(value)}, expected a result`, {
      hint: "Its author should return this.success(…), this.partial(…), this.failure(…) or this.response(…).",
    });
  }
  const { clean, context, durationMs } = frame;
  const given = value as Partial<Record<keyof ToolResult, unknown>>;
  const { message } = given;
  return createResult(
    {
      status: given.status as ToolStatus,
      message: (typeof message === "string" ? clean.shown(message) : message) as string,
      breakLoop: given.breakLoop as boolean,
      additional: shownAdditional(given.additional, clean),
      data: given.data as JsonObject | undefined,
      ...(given.error === undefined ? {} : { failure: failurePart(given.error, clean) }),
      stats: { ...(given.stats as object | undefined), durationMs },
      context: { ...(given.context as object | undefined), ...context },
    },
    clean.kept,
  );
}

/** The result of a call that failed. Never throws: details that are not JSON are left out. */
export function failedResult(error: ToolError, frame: ResultFrame): ToolResult {
  const { clean, context, durationMs } = frame;
  const code = isCallErrorCode(error.code) ? error.code : "EXECUTION_ERROR";
  const message = clean.shown(String(error.message));
  const build = (failure: NonNullable<ResultParts["failure"]>, data: ResultParts["data"]): ToolResult =>
    createResult({ status: "error", message, data, failure, stats: { durationMs }, context }, clean.kept);
  try {
    const { data, hint, ...details } = error.details;
    return build({ code, ...details, ...(hint === undefined ? {} : { hint: clean.shown(hint) }) }, data);
  } catch {
    return build({ code }, {});
  }
}

/** The same result with some parts replaced, masked again. */
export function changedResult(result: ToolResult, changes: Partial<ResultParts>, clean: CleanText): ToolResult {
  const { error, ...rest } = result;
  return createResult({ ...rest, ...(error ? { failure: error } : {}), ...changes }, clean.kept);
}

/**
 * What content threw, as a failure of the call. A ToolError keeps its code; anything else is EXECUTION_ERROR with the
 * author's line.
 */
export function thrownError(thrown: unknown, mapError: MapError | undefined): ToolError {
  const isOurs = isToolError(thrown) && isCallErrorCode(thrown.code);
  // A refusal of one of the builders is the author's to mend, so it needs his line like any other.
  if (isOurs && thrown.code !== "INVALID_RESULT") return thrown;
  const { file, line } = mapError?.(thrown) ?? {};
  const place = file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  const code: CallErrorCode = isOurs ? "INVALID_RESULT" : "EXECUTION_ERROR";
  const words = wordsOf(thrown);
  return new ToolError(code, words + place, {
    ...(isOurs ? thrown.details : {}),
    cause: { message: words, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) },
  });
}

type MapError = (error: unknown) => { readonly file?: string; readonly line?: number };

/** The message of whatever was thrown. */
export function wordsOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return "something that is not an error";
  }
}

function nounOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** It is merged into the history, so the model reads it. */
function shownAdditional(additional: unknown, clean: CleanText): ResultParts["additional"] {
  if (additional === undefined) return undefined;
  const checked = frozenJson(additional, clean.shown);
  // What is not JSON is told by whoever builds the result.
  return ("value" in checked ? checked.value : additional) as ResultParts["additional"];
}

function failurePart(error: unknown, clean: CleanText): NonNullable<ResultParts["failure"]> {
  const { code, message, hint, pointer, retryable, cause } = error as NonNullable<ToolResult["error"]>;
  return {
    code,
    message: clean.shown(String(message)),
    ...(hint === undefined ? {} : { hint: clean.shown(String(hint)) }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(retryable === undefined ? {} : { retryable }),
    ...(cause === undefined ? {} : { cause }),
  };
}
