/**
 * The closed table of error codes that a tool call can end with.
 *
 * `class` says whose fault it is: `model` (the request was wrong: mend it and ask again), `tool` (the
 * tool's own code failed), `infrastructure` (the machine, the network, a deadline), `policy` (somebody or
 * some rule said no). `retryable` is the default of `error.retryable`: whether the very same request can
 * succeed later with nothing else changed.
 */
export const CALL_CODES = {
  NOT_FOUND: { class: "model", retryable: false, meaning: "what the arguments name does not exist" },
  ACCESS_DENIED: { class: "policy", retryable: false, meaning: "the path lies outside the workspace" },
  PERMISSION_DENIED: { class: "infrastructure", retryable: false, meaning: "the operating system refused" },
  INVALID_PARAM: { class: "model", retryable: false, meaning: "the arguments do not fit the schema" },
  INVALID_JSON: { class: "model", retryable: false, meaning: "the arguments are not JSON" },
  TIMEOUT: { class: "infrastructure", retryable: true, meaning: "the call's deadline passed" },
  ABORTED: { class: "infrastructure", retryable: true, meaning: "the call's signal fired or an intervention came" },
  STOPPED: { class: "policy", retryable: false, meaning: "somebody stopped the agent" },
  EXECUTION_ERROR: { class: "tool", retryable: false, meaning: "the tool failed" },
  INTERNAL_ERROR: { class: "infrastructure", retryable: false, meaning: "the host failed" },
  IS_DIRECTORY: { class: "model", retryable: false, meaning: "a file was expected, a directory found" },
  BINARY_FILE: { class: "model", retryable: false, meaning: "text was expected, binary content found" },
  TOO_LARGE: { class: "model", retryable: false, meaning: "the input or output is over a limit" },
  CONFLICT: { class: "model", retryable: false, meaning: "the target changed since it was read" },
  UNKNOWN_TOOL: { class: "model", retryable: false, meaning: "no tool has this name" },
  TOOL_LOAD_FAILED: { class: "tool", retryable: false, meaning: "the tool's file exists but did not load" },
  INVALID_RESULT: { class: "tool", retryable: false, meaning: "the tool returned something that is not a result" },
  RATE_LIMITED: { class: "infrastructure", retryable: true, meaning: "a limit of calls or of costs is reached" },
  CIRCUIT_OPEN: { class: "infrastructure", retryable: true, meaning: "the tool is resting after repeated failures" },
  SECRET_UNKNOWN: { class: "model", retryable: false, meaning: "the arguments name a secret that does not exist" },
  SKIPPED: { class: "policy", retryable: false, meaning: "an earlier call of the same reply ended the turn" },
  DENIED_BY_POLICY: { class: "policy", retryable: false, meaning: "a rule of the risk profile said no" },
  DENIED_BY_PERSON: { class: "policy", retryable: false, meaning: "a person said no" },
  DENIED_BY_EXTENSION: { class: "policy", retryable: false, meaning: "an extension said no, or the gate failed" },
  NO_APPROVER: { class: "policy", retryable: false, meaning: "an approval is needed and nobody can be asked" },
  APPROVAL_EXPIRED: { class: "policy", retryable: true, meaning: "nobody answered the approval in time" },
  APPROVAL_MISMATCH: { class: "policy", retryable: false, meaning: "what was approved is not what would run" },
  NETWORK_ERROR: { class: "infrastructure", retryable: true, meaning: "a remote system could not be reached" },
} as const satisfies Record<string, CallCodeRow>;

/** Whose fault an error is: see {@link CALL_CODES}. */
export type CallErrorClass = "model" | "tool" | "infrastructure" | "policy";

interface CallCodeRow {
  readonly class: CallErrorClass;
  readonly retryable: boolean;
  readonly meaning: string;
}

/** A code of {@link CALL_CODES}. */
export type CallErrorCode = keyof typeof CALL_CODES;

/** Whether `code` is in {@link CALL_CODES}. */
export function isCallErrorCode(code: unknown): code is CallErrorCode {
  return typeof code === "string" && Object.hasOwn(CALL_CODES, code);
}

/** What may accompany the code and message of a failure. */
export interface FailureDetails {
  /** What to do next, in one sentence for the model. */
  readonly hint?: string;
  /** JSON pointer (RFC 6901) of the argument at fault, for example `/path`. */
  readonly pointer?: string;
  /** Overrides the default of the code's row in {@link CALL_CODES}. */
  readonly retryable?: boolean;
  /** What lies behind the failure: JSON data, an `Error` (its message is kept), or a diagnostic. */
  readonly cause?: unknown;
  /** Structured payload for programs; default `{}`. Checked like the data of a success. */
  readonly data?: Readonly<Record<string, unknown>>;
}

const ERROR_BRAND = Symbol.for("toolroom.ToolError");

/**
 * An error with a code of {@link CALL_CODES}. A tool may throw it instead of returning `this.failure(…)`;
 * the methods of `this.workspace` throw it. The dispatcher turns it into the same `error` result.
 * Any other thrown value becomes EXECUTION_ERROR.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: CallErrorCode;
  readonly details: FailureDetails;

  /**
   * @param code a code of {@link CALL_CODES}
   * @param message what was expected, what was found, and where, in words for the model
   */
  constructor(code: CallErrorCode, message: string, details: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
    Object.defineProperty(this, ERROR_BRAND, { value: true });
  }
}

/** Whether `value` is a {@link ToolError} of this or of another copy of the SDK. */
export function isToolError(value: unknown): value is ToolError {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (value as Record<symbol, unknown>)[ERROR_BRAND] === true;
  } catch {
    // Content may throw a proxy that throws at every look.
    return false;
  }
}

/** What is known of a model's provider that gave no reply. */
export interface ProviderTrouble {
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** Whether the very same request may succeed a moment later: an overload, a lost connection. */
  readonly transient: boolean;
  /** How long the provider asked to be left alone. */
  readonly retryAfterMs?: number;
}

/**
 * A failure of the host itself that a caller of the library has to handle: wrong options, a missing root,
 * an unreachable model. The `code` is a code of the diagnostics table; the message says what was expected,
 * what was found and what to do.
 */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: string;
  /** `usage`: the caller's words are wrong (exit code 2 of the CLI); `failure`: anything else (exit code 1). */
  readonly kind: "usage" | "failure";
  /** With the codes MODEL_UNREACHABLE and MODEL_REFUSED. */
  readonly provider: ProviderTrouble | undefined;

  constructor(code: string, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = options.kind ?? "failure";
    this.provider = options.provider;
  }
}

/** What a {@link HostError} may carry besides its code and message. `kind` is `failure` where nothing else is said. */
export interface HostErrorOptions {
  readonly kind?: "usage" | "failure";
  readonly cause?: unknown;
  readonly provider?: ProviderTrouble;
}
