/** The name that a person most likely meant: the closest one within a third of its length, or undefined. */
export function nearest(found: string, names: Iterable<string>): string | undefined {
  const wanted = found.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(found.length / 3)) + 1;
  for (const name of names) {
    const away = distance(wanted, name.toLowerCase(), bestDistance);
    if (away < bestDistance) {
      best = name;
      bestDistance = away;
    }
  }
  return best;
}

/** Levenshtein distance; `limit` where it is not smaller. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[b.length] ?? limit;
}
