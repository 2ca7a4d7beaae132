import { readFileSync } from "node:fs";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { isDocument, parseDataFile } from "../discovery/data-file.ts";
import { checkFields, MAPPING, oneOf, TEXT, TEXTS } from "../discovery/fields.ts";
import type { Decision } from "../governance/decide.ts";
import type { JsonObject } from "../sdk/result.ts";

/** One row of a table of decisions. */
export interface PolicyCase {
  /** 1-based. */
  readonly line: number;
  /** `name` or `name:method`. */
  readonly tool: string;
  readonly args: JsonObject | undefined;
  readonly options: { readonly profile?: string; readonly face?: string; readonly allowedTools?: readonly string[] };
  readonly expected: { readonly decision: Decision; readonly code?: string; readonly rule?: string };
}

const FIELDS = {
  tool: TEXT,
  args: MAPPING,
  decision: oneOf("run", "ask", "block"),
  code: TEXT,
  rule: TEXT,
  profile: TEXT,
  face: TEXT,
  allowedTools: TEXTS,
};

/**
 * Reads a table of calls and what the policy has to say of each:
 *
 * ```yaml
 * - { tool: word_count, args: { path: README.md }, decision: run }
 * - { tool: shell, args: { command: "rm -rf ." }, decision: block, rule: block_high_risk }
 * ```
 *
 * @throws HostError POLICY_TEST_INVALID with all that is wrong in it
 */
export function readPolicyCases(file: string): readonly PolicyCase[] {
  const document = parseDataFile(textOf(file), { file, invalid: "POLICY_TEST_INVALID" });
  if (!isDocument(document)) throw hostError(document);
  if (!Array.isArray(document.value)) {
    throw invalid(file, "expected a list of rows, such as - { tool: word_count, decision: run }");
  }
  const faults: Diagnostic[] = [];
  const codes = { invalid: "POLICY_TEST_INVALID", unknown: "POLICY_TEST_INVALID" } as const;
  const cases = document.value.map((_, index): PolicyCase => {
    const { values, diagnostics } = checkFields({ document, file, fields: FIELDS, at: [index], ...codes });
    faults.push(...diagnostics);
    const { line } = document.position([index]);
    for (const key of ["tool", "decision"]) {
      if (values[key] !== undefined || diagnostics.some(({ message }) => message.startsWith(`${index}.${key}:`)))
        continue;
      faults.push(diagnostic("POLICY_TEST_INVALID", { file, line, message: `expected a row with ${key}, found none` }));
    }
    const { tool, args, profile, face, allowedTools, decision, code, rule } = values;
    return {
      line,
      tool: tool as string,
      args: args as JsonObject | undefined,
      options: given({ profile, face, allowedTools }),
      expected: { decision, ...given({ code, rule }) } as PolicyCase["expected"],
    };
  });
  const [first, ...more] = faults;
  if (!first) return cases;
  const others = more.map(({ line, message }) => `line ${line}: ${message}`);
  throw hostError({ ...first, message: [first.message, ...others].join("; ") });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw invalid(file, `it could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function invalid(file: string, message: string): Error {
  return hostError(diagnostic("POLICY_TEST_INVALID", { file, message }));
}

function given(values: Readonly<Record<string, unknown>>): Readonly<Record<string, never>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, never>;
}
