import { Script } from "node:vm";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { AuthorPlace, AuthorStack } from "./author-stack.ts";
import { describeThrown, isErrorLike, LoadError } from "./load-error.ts";
import { type Display, syntaxError } from "./load-faults.ts";
import type { ModuleMap, ModuleRecord } from "./module-map.ts";
import type { Position } from "./positions.ts";
import { syntaxErrorPosition } from "./stack-frames.ts";

/**
 * Why an evaluation failed, in the author's terms. An error that came up through an import is blamed on the
 * module where it began, however many modules passed it on.
 */
export function blame(record: ModuleRecord, error: unknown, parts: BlameParts): Diagnostic {
  try {
    return blamed(record, error, parts);
  } catch {
    // Content may throw a proxy that throws at every look.
    const message = `the top level threw: ${describeThrown(error)}`;
    return diagnostic("LOAD_THREW", { file: parts.display(record.file), message, hint: "Throw an Error." });
  }
}

interface BlameParts {
  readonly map: ModuleMap;
  readonly stack: AuthorStack;
  readonly display: Display;
}

function blamed(record: ModuleRecord, error: unknown, parts: BlameParts): Diagnostic {
  if (error instanceof LoadError) return error.diagnostic;
  for (const file of record.imports) {
    const failure = parts.map.records.get(file)?.failure;
    if (failure && Object.is(failure.error, error)) return failure.diagnostic;
  }
  if (!record.module && isSyntaxFault(error)) return blameSyntax(record, error, parts);
  return blameThrow(record, error, parts);
}

/** V8 refused the text before anything ran. */
function blameSyntax(
  record: ModuleRecord,
  error: { message?: unknown; stack?: unknown },
  { stack, display }: { stack: AuthorStack; display: Display },
): Diagnostic {
  const at = syntaxErrorPosition(String(error.stack), record.file) ?? compilePosition(record);
  const position = at && stack.place(record.file, at)?.position;
  const fault = { message: String(error.message), line: position?.line, column: position?.column };
  return syntaxError(record.file, fault, display).diagnostic;
}

/** The engine loses the place of some errors: compiling the same text again tells it. */
function compilePosition(record: ModuleRecord): Position | undefined {
  if (record.code === undefined) return undefined;
  try {
    new Script(`(async function (require, module, exports) {${record.code}})`, { filename: record.file });
    return undefined;
  } catch (error) {
    return isErrorLike(error) ? syntaxErrorPosition(String(error.stack), record.file) : undefined;
  }
}

function blameThrow(
  record: ModuleRecord,
  error: unknown,
  { stack, display }: { stack: AuthorStack; display: Display },
): Diagnostic {
  const places = isErrorLike(error) ? stack.places(String(error.stack)) : [];
  const own = places.find((place) => place.file === record.file);
  const [inner] = places;
  const elsewhere = inner && inner.file !== record.file ? ` (thrown in ${show(inner, display)})` : "";
  const missing = isErrorLike(error) && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String((error as { code?: unknown }).code));
  return diagnostic(missing ? "LOAD_UNRESOLVED" : "LOAD_THREW", {
    file: display(record.file),
    ...own?.position,
    message: `${missing ? "a package that it imports did not load" : "the top level threw"}: ${describeThrown(error)}${elsewhere}`,
    hint: missing
      ? "Install what is missing in the plugin's directory."
      : "Mend the line; work that can fail belongs into execute.",
  });
}

function show({ file, position }: AuthorPlace, display: Display): string {
  return position ? `${display(file)}:${position.line}` : display(file);
}

function isSyntaxFault(error: unknown): error is { name: unknown; message?: unknown; stack?: unknown } {
  return isErrorLike(error) && error.name === "SyntaxError";
}
