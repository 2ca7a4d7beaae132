/** What lies between the lines that two texts begin and end with. */
export interface LineDifference {
  /** The number of the first line that differs, from 1. */
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** The part in which two texts differ; both lists are empty for the same text. An absent text has no lines. */
export function lineDifference(before: string | undefined, after: string | undefined): LineDifference {
  const [old, now] = [before, after].map((text) => (text === undefined ? [] : text.replace(/\n$/u, "").split("\n")));
  const [removed = [], added = []] = [old, now];
  const shorter = Math.min(removed.length, added.length);
  let start = 0;
  while (start < shorter && removed[start] === added[start]) start++;
  let end = 0;
  while (end < shorter - start && removed.at(-1 - end) === added.at(-1 - end)) end++;
  return {
    line: start + 1,
    removed: removed.slice(start, removed.length - end),
    added: added.slice(start, added.length - end),
  };
}

/** Above this product of lines the part that differs is told as a whole. */
const MAX_CELLS = 1_000_000;

/**
 * The parts in which two texts differ, in their order; `line` is that of `before`. The lines between them are the longest
 * list that both have in common. None for the same text.
 */
export function lineDifferences(before: string, after: string): readonly LineDifference[] {
  const whole = lineDifference(before, after);
  const { removed: old, added: now } = whole;
  if (old.length === 0 && now.length === 0) return [];
  if (old.length * now.length > MAX_CELLS) return [whole];
  const common = commonTails(old, now);
  const at = (i: number, j: number): number => common[i * (now.length + 1) + j] ?? 0;
  const found: { line: number; removed: string[]; added: string[] }[] = [];
  let open: (typeof found)[number] | undefined;
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      open = undefined;
      i++;
      j++;
      continue;
    }
    if (!open) {
      open = { line: whole.line + i, removed: [], added: [] };
      found.push(open);
    }
    if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) open.removed.push(old[i++] ?? "");
    else open.added.push(now[j++] ?? "");
  }
  return found;
}

/** For each pair of places the length of the longest list of lines that both have in common from there on. */
function commonTails(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const below = common[(i + 1) * width + j] ?? 0;
      const right = common[i * width + j + 1] ?? 0;
      common[i * width + j] = old[i] === now[j] ? (common[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(below, right);
    }
  }
  return common;
}
