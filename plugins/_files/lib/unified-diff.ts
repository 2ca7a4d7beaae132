import { type LineChange, lineChanges } from "./line-changes.ts";
import { oneLine } from "./one-line.ts";

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
  const lines = [before === undefined ? "--- /dev/null" : `--- ${oneLine(`a/${path}`)}`, `+++ ${oneLine(`b/${path}`)}`];
  let total = lines.length;
  for (const hunk of hunksOf(changes, old.length).map((parts) => hunkOf(parts, old.length))) {
    total += 1 + hunk.to - hunk.from + hunk.added;
    // Not a line more than can be shown: there may be hundreds of thousands.
    for (const row of hunkRows(hunk, old, now)) {
      if (lines.length >= size.lines) break;
      lines.push(shortened(row));
    }
  }
  return { ...bounded(lines, { total, ...size }), added, removed };
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

/** Changes with the lines around them. */
interface Hunk {
  readonly changes: readonly LineChange[];
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
  readonly added: number;
}

function hunkOf(changes: readonly LineChange[], length: number): Hunk {
  const [first, last] = [changes[0] as LineChange, changes.at(-1) as LineChange];
  const before = Math.min(CONTEXT, first.from);
  const after = Math.min(CONTEXT, length - last.to);
  return {
    changes,
    from: first.from - before,
    to: last.to + after,
    newFrom: first.newFrom - before,
    newTo: last.newTo + after,
    added: changes.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
  };
}

function* hunkRows(
  { changes, from, to, newFrom, newTo }: Hunk,
  old: readonly string[],
  now: readonly string[],
): Generator<string> {
  yield `@@ -${range(from, to)} +${range(newFrom, newTo)} @@`;
  let at = from;
  for (const change of changes) {
    for (; at < change.from; at++) yield ` ${old[at]}`;
    for (; at < change.to; at++) yield `-${old[at]}`;
    for (let added = change.newFrom; added < change.newTo; added++) yield `+${now[added]}`;
  }
  for (; at < to; at++) yield ` ${old[at]}`;
}

function range(from: number, to: number): string {
  const length = to - from;
  return length === 1 ? String(from + 1) : `${length === 0 ? from : from + 1},${length}`;
}

function shortened(line: string): string {
  const plain = line.replace(/\r$/u, "").replace(`\r${NO_END}`, NO_END);
  return plain.length > MAX_LINE + NO_END.length ? `${plain.slice(0, MAX_LINE)}…` : plain;
}

function bounded(
  lines: readonly string[],
  { total, characters }: { readonly total: number; readonly characters: number },
): { readonly text: string; readonly cut: boolean } {
  let kept = 0;
  for (let length = 0; kept < lines.length; kept++) {
    length += (lines[kept] as string).length + 1;
    if (length > characters) break;
  }
  if (kept === total) return { text: `${lines.join("\n")}\n`, cut: false };
  return { text: `${[...lines.slice(0, kept), `… (${total - kept} more lines)`].join("\n")}\n`, cut: true };
}
