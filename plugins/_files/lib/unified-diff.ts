import { type LineChange, lineChanges } from "./line-changes.ts";

/** What {@link unifiedDiff} gives. */
export interface UnifiedDiff {
  /** Empty where no line differs. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Not all of it is in `text`. */
  readonly cut: boolean;
}

/** How much of a difference is shown. */
export interface DiffSize {
  readonly lines: number;
  readonly characters: number;
}

/** For programs, and for the model. */
export const SMALL: DiffSize = { lines: 100, characters: 10_000 };
/** For a person who has to decide by it. */
export const LARGE: DiffSize = { lines: 1000, characters: 100_000 };

const CONTEXT = 3;
const MAX_LINE = 500;

/**
 * The difference of two texts in the unified form.
 * @param before undefined: there was no file
 * @param path as the heading names it
 */
export function unifiedDiff(
  before: string | undefined,
  after: string,
  { path, size = SMALL }: { readonly path: string; readonly size?: DiffSize },
): UnifiedDiff {
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  const changes = lineChanges(old, now);
  const removed = changes.reduce((sum, { from, to }) => sum + to - from, 0);
  const added = changes.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0);
  if (changes.length === 0) return { text: "", added, removed, cut: false };
  const heading = [before === undefined ? "--- /dev/null" : `--- a/${path}`, `+++ b/${path}`];
  const lines = [...heading, ...hunksOf(changes, old.length).flatMap((hunk) => hunkLines(hunk, old, now))];
  return { ...bounded(lines, size), added, removed };
}

/** Lines without their ends; a last one that has none is marked, so that it differs from one that has. */
function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += NO_END;
  return lines;
}

const NO_END = "\n\\ No newline at end of file";

/** Changes that stand so near that their surroundings meet are one. */
function hunksOf(changes: readonly LineChange[], length: number): readonly (readonly LineChange[])[] {
  const hunks: LineChange[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const last = hunk?.at(-1);
    if (hunk && last && change.from - last.to <= 2 * CONTEXT && last.to < length) hunk.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function hunkLines(hunk: readonly LineChange[], old: readonly string[], now: readonly string[]): readonly string[] {
  const [first, last] = [hunk[0] as LineChange, hunk.at(-1) as LineChange];
  const before = Math.min(CONTEXT, first.from);
  const after = Math.min(CONTEXT, old.length - last.to);
  const [from, to] = [first.from - before, last.to + after];
  const [newFrom, newTo] = [first.newFrom - before, last.newTo + after];
  const rows = (lines: readonly string[], sign: string): readonly string[] =>
    lines.map((line) => shortened(sign + line));
  const changed = hunk.flatMap((change, index) => [
    ...rows(old.slice(hunk[index - 1]?.to ?? from, change.from), " "),
    ...rows(old.slice(change.from, change.to), "-"),
    ...rows(now.slice(change.newFrom, change.newTo), "+"),
  ]);
  const heading = `@@ -${range(from, to)} +${range(newFrom, newTo)} @@`;
  return [heading, ...changed, ...rows(old.slice(last.to, to), " ")];
}

function range(from: number, to: number): string {
  const length = to - from;
  return length === 1 ? String(from + 1) : `${length === 0 ? from : from + 1},${length}`;
}

function shortened(line: string): string {
  const plain = line.replace(/\r$/u, "").replace(`\r${NO_END}`, NO_END);
  return plain.length > MAX_LINE + NO_END.length ? `${plain.slice(0, MAX_LINE)}…` : plain;
}

function bounded(lines: readonly string[], { lines: most, characters }: DiffSize): { text: string; cut: boolean } {
  let kept = 0;
  for (let length = 0; kept < Math.min(lines.length, most); kept++) {
    length += (lines[kept] as string).length + 1;
    if (length > characters) break;
  }
  if (kept === lines.length) return { text: `${lines.join("\n")}\n`, cut: false };
  return { text: `${[...lines.slice(0, kept), `… (${lines.length - kept} more lines)`].join("\n")}\n`, cut: true };
}
