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
