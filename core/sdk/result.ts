import {
  CALL_CODES,
  type CallErrorClass,
  type CallErrorCode,
  type FailureDetails,
  isCallErrorCode,
  ToolError,
} from "./errors.ts";
import { frozenJson, type Json } from "./json.ts";

/** `success`: done. `partial`: usable but incomplete (cut, fallback used, some items failed). `error`: not done. */
export type ToolStatus = "success" | "partial" | "error";

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Present exactly when `status` is `error`. */
export interface ToolResultError {
  readonly code: CallErrorCode;
  readonly message: string;
  /** Whether the very same request can succeed later. */
  readonly retryable: boolean;
  readonly class: CallErrorClass;
  /** JSON pointer (RFC 6901) of the argument at fault. */
  readonly pointer?: string;
  readonly hint?: string;
  readonly cause?: Json;
}

/** Numbers about the call. `durationMs`: whole milliseconds from the start of `execute`, at least 0. */
export interface ToolStats {
  readonly durationMs: number;
  readonly [name: string]: number;
}

/** Where and with what the call ran. Paths are POSIX, relative to the workspace; absolute where they lie outside. */
export interface ToolResultContext {
  /** The tool's id. */
  readonly tool: string;
  /** The plugin that the tool belongs to, `core` for a core tool, else the layer's directory. */
  readonly owner: string;
  /** The generation of the registry that the call was served from. */
  readonly generation: number;
  /** The working directory of the call: `.` is the workspace itself. */
  readonly cwd: string;
  /** The arguments as they were asked for, before defaults are filled in and secrets are put in. */
  readonly args: JsonObject;
  /** The first path that `this.workspace` resolved in this call, if it resolved any. */
  readonly pathResolved?: string;
  /** The marker between whose lines the text from outside stands, of a tool that is `untrusted`. */
  readonly untrusted?: string;
  readonly [extra: string]: Json | undefined;
}

/**
 * The one value that every tool call ends with: deep-frozen, JSON-safe, the same on every face.
 * `core/sdk/result.ts` builds it, nothing else does.
 */
export interface ToolResult {
  readonly status: ToolStatus;
  /** What the model reads: conclusion, state, next step; on an error also the code and the hint. */
  readonly message: string;
  /** True ends the message loop, from any tool, also with an empty message. */
  readonly breakLoop: boolean;
  /**
   * Merged into the history entry. The keys `id`, `tool_name` and `tool_result` are reserved. Two more are marks for the
   * host, which the model is not given: `keep` (a name, several, or true for none) asks that the result stays word for
   * word when old turns are summarised, until a later result is kept under that name or drops it; `drop` (a name or
   * several) says that what was kept under it is over.
   */
  readonly additional?: JsonObject;
  /** Structured payload for programs; `{}` when there is none. The model is given `message` only. */
  readonly data: JsonObject;
  readonly error?: ToolResultError;
  readonly stats: ToolStats;
  readonly context: ToolResultContext;
  /** Id of the receipt; successful calls only, when receipts are on. */
  readonly receipt?: string;
}

/** What {@link createResult} takes. */
export interface ResultParts {
  readonly status: ToolStatus;
  readonly message: string;
  readonly breakLoop?: boolean;
  readonly additional?: Readonly<Record<string, unknown>> | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** `message`: the words of `error.message` where `message` above already is the whole text for the model. */
  readonly failure?: { readonly code: CallErrorCode; readonly message?: string } & Omit<FailureDetails, "data">;
  readonly stats: Readonly<Record<string, number>> & { readonly durationMs: number };
  readonly context: Readonly<Record<string, unknown>> & Omit<ToolResultContext, "args"> & { readonly args: unknown };
  readonly receipt?: string | undefined;
}

type TextMap = ((text: string) => string) | undefined;

const STATUSES: readonly unknown[] = ["success", "partial", "error"] satisfies ToolStatus[];

/** Keys of a history entry that `additional` may not carry. */
const RESERVED_ADDITIONAL = ["id", "tool_name", "tool_result"] as const;

/**
 * Builds the result of a call.
 *
 * @throws ToolError INVALID_RESULT where a part is not what the contract asks: a message that is no string,
 *   a failure without an error status or the reverse, an unknown error code, a reserved key in `additional`, or
 *   something in `data`, `additional` or `stats` that is not JSON (the message carries the JSON pointer)
 * @param text applied to every string and key of `data`, `additional`, `context`, and of the error's pointer and cause
 */
export function createResult(parts: ResultParts, text?: (text: string) => string): ToolResult {
  const { status, failure, breakLoop = false } = parts;
  if (!STATUSES.includes(status)) throw invalid(`status must be success, partial or error, found ${told(status)}`);
  if (typeof parts.message !== "string") throw invalid(`message must be a string, found ${typeName(parts.message)}`);
  if (typeof breakLoop !== "boolean") throw invalid(`breakLoop must be a boolean, found ${typeName(breakLoop)}`);
  if ((status === "error") !== (failure !== undefined)) {
    throw invalid(`a result of status "${status}" ${failure ? "cannot carry" : "needs"} an error code`);
  }
  if (failure) checkFailure(failure);
  if (parts.receipt !== undefined && status !== "success") throw invalid("only a successful call has a receipt");
  for (const key of RESERVED_ADDITIONAL) {
    if (parts.additional && Object.hasOwn(parts.additional, key))
      throw invalid(`additional.${key} is reserved by the history`);
  }
  // Written key by key: freezing what spreads put together costs three times as much, and this runs twice a call.
  const result: { -readonly [Key in keyof ToolResult]?: ToolResult[Key] } = { status };
  result.message = failure && failure.message === undefined ? errorText(parts.message, failure) : parts.message;
  result.breakLoop = breakLoop;
  if (parts.additional !== undefined) result.additional = jsonObject(parts.additional, "additional", text);
  result.data = jsonObject(parts.data === undefined ? {} : parts.data, "data", text);
  if (failure) result.error = errorPart(failure.message ?? parts.message, failure, text);
  result.stats = jsonObject(parts.stats, "stats") as unknown as ToolStats;
  result.context = jsonObject(parts.context, "context", text) as unknown as ToolResultContext;
  if (parts.receipt !== undefined) result.receipt = parts.receipt;
  return Object.freeze(result) as ToolResult;
}

/**
 * The same result with its receipt. The text for the model ends with a line that names it; one that ends the loop is
 * for a person and stays as it is.
 *
 * @param line what tells a model of the receipt
 * @throws ToolError INVALID_RESULT where the call did not succeed
 */
export function withReceipt(result: ToolResult, receipt: string, line: string): ToolResult {
  if (result.status !== "success") throw invalid("only a successful call has a receipt");
  const message = result.breakLoop ? result.message : `${result.message}\n${line}`;
  return Object.freeze({ ...result, message, receipt });
}

/** The text that the model reads for a failure: message, code and hint on one line each. */
function errorText(message: string, failure: { code: CallErrorCode; hint?: string }): string {
  const head = message.startsWith(`${failure.code}: `) ? message : `${failure.code}: ${message}`;
  return failure.hint && !head.includes(failure.hint) ? `${head}\n${failure.hint}` : head;
}

function errorPart(
  message: string,
  failure: { readonly code: CallErrorCode } & FailureDetails,
  text: TextMap,
): ToolResultError {
  const row = CALL_CODES[failure.code];
  return Object.freeze({
    code: failure.code,
    message,
    retryable: failure.retryable ?? row.retryable,
    class: row.class,
    ...(failure.pointer === undefined ? {} : { pointer: text ? text(failure.pointer) : failure.pointer }),
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...(failure.cause === undefined ? {} : { cause: causeJson(failure.cause, text) }),
  });
}

/** Authors of plain JavaScript have no compiler that would say this. */
function checkFailure(failure: { readonly code: unknown } & Omit<FailureDetails, "data">): void {
  if (!isCallErrorCode(failure.code)) {
    throw invalid(`the error code must be one of the table, found ${told(failure.code)}`);
  }
  for (const key of ["hint", "pointer"] as const) {
    const value: unknown = failure[key];
    if (value !== undefined && typeof value !== "string") throw invalid(`${key} must be a string`);
  }
  const retryable: unknown = failure.retryable;
  if (retryable !== undefined && typeof retryable !== "boolean") throw invalid("retryable must be a boolean");
}

/** A cause never makes a failure fail: what is not JSON is told as text. */
function causeJson(given: unknown, text: TextMap): Json {
  const cause = given instanceof Error ? given.message : given;
  const checked = frozenJson(cause, text);
  if ("value" in checked) return checked.value;
  try {
    return String(cause);
  } catch {
    return `not JSON: ${checked.fault.found}`;
  }
}

function jsonObject(value: unknown, part: string, text?: TextMap): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(`${part} must be an object, found ${typeName(value)}`);
  }
  const checked = frozenJson(value, text);
  if ("fault" in checked) {
    throw invalid(
      `${part}${checked.fault.path} must be JSON, found ${checked.fault.found}`,
      `/${part}${checked.fault.path}`,
    );
  }
  return checked.value as JsonObject;
}

function invalid(message: string, pointer?: string): ToolError {
  return new ToolError("INVALID_RESULT", message, pointer === undefined ? {} : { pointer });
}

function told(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeName(value);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
