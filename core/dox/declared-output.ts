import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type CallErrorCode, isCallErrorCode } from "../sdk/errors.ts";
import { type Document, sectionOf } from "./document.ts";
import type { ModuleFacts, SourceAt } from "./module-sources.ts";
import type { Section } from "./sections.ts";

/** Compares what the section Output says of error codes and of `breakLoop` with the code. A section that is missing is not asked. */
export function outputFindings(document: Document, facts: ModuleFacts): readonly Diagnostic[] {
  const output = sectionOf(document, "Output");
  const { file } = document;
  return output ? [...codeFindings(file, output, facts), ...breakLoopFindings(file, output, facts)] : [];
}

/** Any call can end with these, whatever the tool does: they may be named, and need not. */
const OF_EVERY_CALL: ReadonlySet<CallErrorCode> = new Set([
  "INVALID_PARAM",
  "INVALID_JSON",
  "TIMEOUT",
  "ABORTED",
  "STOPPED",
  "EXECUTION_ERROR",
  "INTERNAL_ERROR",
  "TOOL_LOAD_FAILED",
  "INVALID_RESULT",
  "RATE_LIMITED",
  "CIRCUIT_OPEN",
  "SECRET_UNKNOWN",
  "SKIPPED",
  "DENIED_BY_POLICY",
  "DENIED_BY_PERSON",
  "DENIED_BY_EXTENSION",
  "NO_APPROVER",
  "APPROVAL_EXPIRED",
  "APPROVAL_MISMATCH",
] satisfies readonly CallErrorCode[]);

/** What a tool uses, by a word of its source, and the codes that can come of it and pass through. */
const PASSED_ON: readonly { readonly word: RegExp; readonly codes: readonly CallErrorCode[] }[] = [
  {
    word: /^(?:workspace|(?:node:)?fs(?:\/promises)?)$/u,
    codes: ["NOT_FOUND", "ACCESS_DENIED", "PERMISSION_DENIED", "IS_DIRECTORY", "BINARY_FILE", "TOO_LARGE", "CONFLICT"],
  },
  { word: /^(?:delegate|jobs)$/u, codes: ["NOT_FOUND", "CONFLICT", "NETWORK_ERROR", "UNKNOWN_TOOL"] },
];

/** The codes that a document has to name, sorted. */
export function codesToName({ given }: ModuleFacts): readonly CallErrorCode[] {
  return [...given.keys()].filter((code) => !OF_EVERY_CALL.has(code)).sort(compareText);
}

function codeFindings(file: string, output: Section, facts: ModuleFacts): readonly Diagnostic[] {
  const declared = new Map<CallErrorCode, number>();
  for (const { prose, line } of output.lines) {
    for (const word of prose.match(/\b[A-Z]+(?:_[A-Z]+)*\b/gu) ?? []) {
      if (isCallErrorCode(word) && !declared.has(word)) declared.set(word, line);
    }
  }
  const words = [...facts.words];
  const possible = PASSED_ON.flatMap(({ word, codes }) => (words.some((item) => word.test(item)) ? codes : []));
  const unknown = [...declared]
    .filter(([code]) => !OF_EVERY_CALL.has(code) && !facts.named.has(code) && !possible.includes(code))
    .map(([code, line]) => {
      const message = `expected error codes that the code gives, found ${code}, which stands nowhere in it`;
      const hint = "Take the code out of the document, or let the tool give it.";
      return diagnostic("DOX_CODE_UNKNOWN", { file, line, message, hint });
    });
  const undeclared = codesToName(facts)
    .filter((code) => !declared.has(code))
    .map((code) => {
      const message = `expected ${code} in the section Output, which ${placeOf(facts.given.get(code))} gives, found no word of it`;
      const hint = `Say when a call ends with \`${code}\`.`;
      return diagnostic("DOX_CODE_UNDECLARED", { file, line: output.line, message, hint });
    });
  return [...unknown, ...undeclared];
}

function breakLoopFindings(file: string, output: Section, facts: ModuleFacts): readonly Diagnostic[] {
  const said = output.lines.flatMap(({ prose, line }) =>
    [...prose.matchAll(/\bbreakLoop`?(?:\s+is|\s*[:=])?\s*`?(true|false)\b/gu)].map((match) => ({
      value: match[1],
      line,
    })),
  );
  const [first] = said;
  const truth = said.find(({ value }) => value === "true");
  const is = facts.breaksAt !== undefined;
  const where = is ? `${placeOf(facts.breaksAt)} sets it` : "nothing in the code sets it";
  const found = (line: number, message: string, hint: string) => [
    diagnostic("DOX_BREAK_LOOP", { file, line, message, hint }),
  ];
  if (!first) {
    const sentence = `\`breakLoop\` is ${is}.`;
    const message = "expected the section Output to say whether a result has `breakLoop`, found no word of it";
    return found(output.line, message, facts.breakLoopOpen ? "Say when it is true." : `Write: ${sentence}`);
  }
  if (facts.breakLoopOpen || (truth !== undefined) === is) return [];
  const message = `expected \`breakLoop\` to be ${is}, as ${where}, found ${is ? "false" : "true"}`;
  return found((truth ?? first).line, message, "Change the one that is wrong.");
}

function placeOf(at: SourceAt | undefined): string {
  return at === undefined ? "the code" : `${at.file}:${at.line}`;
}
