import { compareText } from "../diagnostics.ts";

/**
 * The candidate that `word` was most likely meant to be, or undefined when none is near. Capitals, hyphens and
 * underscores do not count; of equally near ones the first in code-unit order is taken.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  return nearestAll(word, candidates, 1)[0];
}

/** As {@link nearest}: up to `count` candidates, nearest first. */
export function nearestAll(word: string, candidates: Iterable<string>, count: number): readonly string[] {
  const wanted = plain(word);
  if (wanted === "" || wanted.length > MAX_LENGTH) return [];
  const ranked: { name: string; distance: number }[] = [];
  for (const name of new Set(candidates)) {
    const distance = distanceOf(wanted, plain(name));
    if (distance <= tolerance(wanted)) ranked.push({ name, distance });
  }
  ranked.sort((a, b) => a.distance - b.distance || compareText(a.name, b.name));
  return ranked.slice(0, count).map(({ name }) => name);
}

/** Nobody mistypes a word of this length into another one. */
const MAX_LENGTH = 100;

/** One slip in a short word, about one in three letters of a longer one. */
function tolerance(word: string): number {
  return Math.max(1, Math.floor(word.length / 3));
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > tolerance(a)) return Number.POSITIVE_INFINITY;
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (older[j - 2] ?? 0) + 1);
      row.push(best);
    }
    older = old;
    old = row;
  }
  return old[b.length] ?? 0;
}
