import { compareText, type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostics.ts";
import { isObject } from "../dispatch/schema-rules.ts";
import type { CheckArea, Findings } from "./check.ts";

/**
 * Findings that are known and are not told: how many of a code in a file, by area. Lines are not kept, since they move
 * with every edit. A baseline may only shrink: what is no longer found has to be taken out (BASELINE_STALE).
 */
export type Baseline = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

/** How findings without a file are kept. */
const NO_FILE = "-";

/** Reads a baseline; a text that is none is told. @param file how it is shown */
export function parseBaseline(text: string, file: string): { readonly baseline: Baseline } | Diagnostic {
  const refuse = (found: string): Diagnostic =>
    diagnostic("BASELINE_INVALID", {
      file,
      message: `expected {"version": 1, "findings": {area: {file: {code: count}}}}, found ${found}`,
      hint: "Remove the file, and have it written again with --fix.",
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(`no JSON (${(error as Error).message})`);
  }
  if (!isObject(value) || value.version !== 1) return refuse("another version, or none");
  const { findings } = value;
  const fits = isObject(findings) && Object.values(findings).every((files) => isObject(files) && holdsCounts(files));
  return fits ? { baseline: findings as Baseline } : refuse("something else");
}

function holdsCounts(files: Readonly<Record<string, unknown>>): boolean {
  return Object.values(files).every(
    (codes) =>
      isObject(codes) && Object.values(codes).every((count) => Number.isSafeInteger(count) && Number(count) > 0),
  );
}

/** The text of a baseline; the same findings give the same bytes. */
export function formatBaseline(baseline: Baseline): string {
  return `${JSON.stringify({ version: 1, findings: baseline }, null, 2)}\n`;
}

/** A baseline of all that was found; what is only worth knowing is not among it. */
export function baselineOf(findings: Findings): Baseline {
  const sorted = [...findings].sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(
    sorted.flatMap(([area, list]) => {
      const counts = countsOf(list);
      return counts.size === 0 ? [] : [[area, mapped(counts)]];
    }),
  );
}

function mapped(counts: Counts): Record<string, Record<string, number>> {
  const files = [...counts].sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(
    files.map(([file, codes]) => [file, Object.fromEntries([...codes].sort(([a], [b]) => compareText(a, b)))]),
  );
}

type Counts = ReadonlyMap<string, ReadonlyMap<DiagnosticCode, number>>;

function countsOf(list: readonly Diagnostic[]): Counts {
  const files = new Map<string, Map<DiagnosticCode, number>>();
  for (const { file = NO_FILE, code, severity } of list) {
    if (severity === "info") continue;
    const codes = files.get(file) ?? new Map<DiagnosticCode, number>();
    files.set(file, codes.set(code, (codes.get(code) ?? 0) + 1));
  }
  return files;
}

/**
 * What is left of findings when those that a baseline knows are taken out. Where a file has more of a code than the
 * baseline knows, all of them are told, since nobody can say which is the new one.
 */
export function withoutKnown(findings: Findings, baseline: Baseline): Findings {
  return new Map(
    [...findings].map(([area, list]) => {
      const counts = countsOf(list);
      const isKnown = ({ file = NO_FILE, code }: Diagnostic) =>
        (counts.get(file)?.get(code) ?? 0) <= knownIn(baseline, area, { file, code });
      return [area, list.filter((item) => item.severity === "info" || !isKnown(item))];
    }),
  );
}

function knownIn(baseline: Baseline, area: CheckArea, { file, code }: { file: string; code: string }): number {
  const files = Object.hasOwn(baseline, area) ? baseline[area] : undefined;
  const codes = files && Object.hasOwn(files, file) ? files[file] : undefined;
  return codes && Object.hasOwn(codes, code) ? (codes[code] ?? 0) : 0;
}

/** The baseline without what is not found any more, in the areas that were looked at. Nothing is added. */
export function shrunk(baseline: Baseline, findings: Findings): Baseline {
  return Object.fromEntries(
    Object.entries(baseline).flatMap(([area, files]) => {
      const list = findings.get(area as CheckArea);
      if (!list) return [[area, files]];
      const counts = countsOf(list);
      const left = Object.entries(files).flatMap(([file, codes]) => {
        const kept = Object.entries(codes).flatMap(([code, known]) => {
          const count = Math.min(known, counts.get(file)?.get(code as DiagnosticCode) ?? 0);
          return count > 0 ? [[code, count] as const] : [];
        });
        return kept.length > 0 ? [[file, Object.fromEntries(kept)] as const] : [];
      });
      return left.length > 0 ? [[area, Object.fromEntries(left)]] : [];
    }),
  );
}

/** What a baseline knows and nobody finds any more. @param file how the baseline is shown */
export function staleEntries(baseline: Baseline, findings: Findings, file: string): readonly Diagnostic[] {
  const left = shrunk(baseline, findings);
  return Object.entries(baseline).flatMap(([area, files]) =>
    Object.entries(files).flatMap(([of, codes]) =>
      Object.entries(codes).flatMap(([code, known]) => {
        const found = knownIn(left, area as CheckArea, { file: of, code });
        if (found === known) return [];
        return diagnostic("BASELINE_STALE", {
          file,
          message: `expected ${known} of ${code} in ${of}, as the baseline says of ${area}; found ${found}`,
          hint: "A baseline may only shrink: take it out, or let --fix do so.",
        });
      }),
    ),
  );
}
