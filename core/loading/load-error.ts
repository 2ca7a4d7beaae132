import type { Diagnostic } from "../diagnostics.ts";

/**
 * Why a module did not load, travelling as an exception through the author's own import statements.
 *
 * `code` is Node's where Node has one (`ERR_MODULE_NOT_FOUND`), so that content that guards an optional import
 * with `catch (error) { if (error.code === … ) }` works as it does elsewhere.
 */
export class LoadError extends Error {
  override readonly name = "LoadError";
  readonly diagnostic: Diagnostic;
  readonly code: string;

  constructor(diagnostic: Diagnostic, code: string = diagnostic.code) {
    super(diagnostic.hint ? `${diagnostic.message} ${diagnostic.hint}` : diagnostic.message);
    this.diagnostic = diagnostic;
    this.code = code;
  }
}

/** Content may throw a proxy that throws at every look. */
export function isLoadError(error: unknown): error is LoadError {
  try {
    return error instanceof LoadError;
  } catch {
    return false;
  }
}

/** What was thrown, in one line: `TypeError: x is not a function`, or the value where it is no error. */
export function describeThrown(thrown: unknown): string {
  if (typeof thrown === "string") return JSON.stringify(firstLine(thrown));
  try {
    if (!isErrorLike(thrown)) return typeof thrown === "object" && thrown ? OTHER_OBJECT : String(thrown);
    const { name, message } = thrown;
    const kind = typeof name === "string" && name !== "" ? name : "Error";
    const text = firstLine(String(message ?? ""));
    return text === "" ? kind : `${kind}: ${text}`;
  } catch {
    return OTHER_OBJECT;
  }
}

const OTHER_OBJECT = "an object that is not an Error";

/** An `Error` of this or of another realm. */
export function isErrorLike(value: unknown): value is { name?: unknown; message?: unknown; stack?: unknown } {
  return typeof value === "object" && value !== null && "message" in value;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
