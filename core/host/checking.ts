import { resolve } from "node:path";
import { type Diagnostic, hostError, type Severity, uniqueDiagnostics } from "../diagnostics.ts";
import { displayPath } from "../discovery/paths.ts";
import { baselineOf, formatBaseline, parseBaseline, shrunk, staleEntries, withoutKnown } from "../dox/baseline.ts";
import { sameChange, scopeOf } from "../dox/changes.ts";
import { CHECK_AREAS, type CheckArea, checkAreas, type Findings, repairsFor } from "../dox/check.ts";
import { createWorkspace } from "../governance/workspace.ts";
import { HostError } from "../sdk/errors.ts";
import { changeSince } from "./check-since.ts";
import { type CheckParts, subjectOf } from "./check-subject.ts";

/** What `check` takes. */
export interface CheckOptions {
  /** Default: all. */
  readonly areas?: readonly CheckArea[];
  /** Default: every profile that is on, hidden ones too. */
  readonly profile?: string;
  /** Holds the person's own directories to the rules of documents, too. Default false. */
  readonly usr?: boolean;
  /** Writes what can be derived into the files of the root first, and takes out of the baseline what is gone. Default false. */
  readonly fix?: boolean;
  /**
   * A commit: only what changed since then is told, and where the contract of a tool changed, its document, its fragment
   * and its tests have to be in the change. New files count, what git ignores does not.
   */
  readonly since?: string;
  /** A file of known findings, which are not told; relative to the root. With `fix`, one that does not exist is written. */
  readonly baseline?: string;
}

/** The answer of `check`. */
export interface CheckReport {
  /** Sorted by file, line and code. */
  readonly diagnostics: readonly Diagnostic[];
  /** What `fix` wrote, in its order. */
  readonly fixed: readonly Fixed[];
  readonly summary: { readonly errors: number; readonly warnings: number; readonly infos: number };
}

/** One file that was written. */
export interface Fixed {
  /** Display path. */
  readonly file: string;
  /** What was done, in a few words. */
  readonly description: string;
}

/**
 * Looks at code, prompts and documents, and tells all that does not agree.
 * @param fixed what was written before
 * @throws HostError USAGE, BASELINE_INVALID
 */
export async function checkContent(
  parts: CheckParts,
  options: CheckOptions,
  fixed: readonly Fixed[],
): Promise<CheckReport> {
  const { areas = CHECK_AREAS, usr = false, since, baseline } = options;
  const subject = await subjectOf(parts, usr);
  const change = since === undefined ? undefined : await changeSince(subject, since);
  const findings = await checkAreas(subject, areas);
  const held = baseline === undefined ? undefined : await heldTo(findings, { ...options, baseline, root: parts.root });
  const inScope = change ? scopeOf(subject, change) : () => true;
  const together = change && areas.includes("dox") ? sameChange(subject, change) : [];
  const told = [...together, ...[...(held?.findings ?? findings).values()].flat().filter(inScope)];
  // Only who looks at everything can say what is not found any more.
  const stale = change || options.profile !== undefined ? [] : (held?.stale ?? []);
  const diagnostics = uniqueDiagnostics([...told, ...stale]);
  const count = (severity: Severity) => diagnostics.filter((item) => item.severity === severity).length;
  return {
    diagnostics,
    fixed: [...fixed, ...(held?.fixed ?? [])],
    summary: { errors: count("error"), warnings: count("warning"), infos: count("info") },
  };
}

/**
 * Writes what can be derived in some areas.
 * @returns what was written; where nothing was, all that can be derived is there
 * @throws HostError FIX_REFUSED for a file that cannot be written, or that lies outside of the root
 */
export async function fixContent(
  parts: CheckParts,
  { areas = CHECK_AREAS, usr = false }: CheckOptions,
): Promise<readonly Fixed[]> {
  const edits = await repairsFor(await subjectOf(parts, usr), areas);
  for (const { file, text } of edits) await write(parts.root, file, text);
  return edits.map(({ file, description }) => ({ file, description }));
}

interface Held {
  readonly findings: Findings;
  readonly stale: readonly Diagnostic[];
  readonly fixed: readonly Fixed[];
}

/** Holds findings to a baseline. @throws HostError USAGE (usage) without the file, BASELINE_INVALID */
async function heldTo(
  findings: Findings,
  {
    root,
    baseline: file,
    fix = false,
    profile,
    since,
  }: CheckOptions & { readonly baseline: string; readonly root: string },
): Promise<Held> {
  const shown = displayPath(root, resolve(root, file));
  const workspace = await createWorkspace({ root });
  const text = await workspace.readText(file).catch((error: { code?: string; message: string }) => {
    if (error.code === "NOT_FOUND") return undefined;
    throw new HostError("USAGE", `USAGE: --baseline: ${error.message}`, { kind: "usage", cause: error });
  });
  if (text === undefined) {
    if (!fix || profile !== undefined || since !== undefined) {
      const message = `USAGE: --baseline: expected a file at ${shown}, found none; \`check --fix --baseline ${shown}\` writes it`;
      throw new HostError("USAGE", message, { kind: "usage" });
    }
    const first = baselineOf(findings);
    await write(root, file, formatBaseline(first));
    const fixed = [{ file: shown, description: "write the baseline" }];
    return { findings: withoutKnown(findings, first), stale: [], fixed };
  }
  const parsed = parseBaseline(text, shown);
  if ("severity" in parsed) throw hostError(parsed);
  const { baseline } = parsed;
  const stale = staleEntries(baseline, findings, shown);
  const left = withoutKnown(findings, baseline);
  if (!fix || stale.length === 0 || profile !== undefined || since !== undefined) {
    return { findings: left, stale, fixed: [] };
  }
  await write(root, file, formatBaseline(shrunk(baseline, findings)));
  return { findings: left, stale: [], fixed: [{ file: shown, description: "take out what is not found any more" }] };
}

/** @throws HostError FIX_REFUSED */
async function write(root: string, file: string, text: string): Promise<void> {
  const workspace = await createWorkspace({ root });
  try {
    await workspace.write(file, text);
  } catch (error) {
    const { message } = error as Error;
    throw new HostError(
      "FIX_REFUSED",
      `FIX_REFUSED: ${file}: expected a file of the root that can be written: ${message}`,
    );
  }
}
