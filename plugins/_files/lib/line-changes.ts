/** Lines of a text that others stand in place of in another one. Counted from 0; `to` is behind the last. */
export interface LineChange {
  readonly from: number;
  readonly to: number;
  /** In the other text. */
  readonly newFrom: number;
  readonly newTo: number;
}

/** With more lines that differ than this the part between the first and the last is told as one change. */
const MAX_DIFFERENT = 400;

/** In which lines two texts differ, as few as can be, in their order. None for the same lines. */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (old.length === 0 && now.length === 0) return [];
  const whole = { from: start, to: start + old.length, newFrom: start, newTo: start + now.length };
  if (old.length === 0 || now.length === 0) return [whole];
  const steps = shortestWay(old, now);
  return steps ? joined(steps, start) : [whole];
}

/** How far down a diagonal one comes, for each number of differences: the greedy way of Myers. */
function shortestWay(
  old: readonly string[],
  now: readonly string[],
): readonly (readonly [number, number])[] | undefined {
  const most = Math.min(MAX_DIFFERENT, old.length + now.length);
  const reached = new Map<number, number>([[1, 0]]);
  const before: Map<number, number>[] = [];
  for (let differences = 0; differences <= most; differences++) {
    before.push(new Map(reached));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      const from = comesFrom(reached, diagonal, differences);
      let x = (reached.get(from) ?? 0) + (from < diagonal ? 1 : 0);
      let y = x - diagonal;
      while (x < old.length && y < now.length && old[x] === now[y]) {
        x++;
        y++;
      }
      reached.set(diagonal, x);
      if (x >= old.length && y >= now.length) return wayBack(before, old.length, now.length);
    }
  }
  return undefined;
}

/** The diagonal that one comes from to another with one more difference. */
function comesFrom(reached: ReadonlyMap<number, number>, diagonal: number, differences: number): number {
  const [below, above] = [reached.get(diagonal - 1) ?? -1, reached.get(diagonal + 1) ?? -1];
  return diagonal === -differences || (diagonal !== differences && below < above) ? diagonal + 1 : diagonal - 1;
}

/** The lines that both have, as pairs of places, in their order, with the two ends behind. */
function wayBack(
  before: readonly ReadonlyMap<number, number>[],
  oldLength: number,
  newLength: number,
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [[oldLength, newLength]];
  let [x, y] = [oldLength, newLength];
  const down = (toX: number, toY: number): void => {
    while (x > toX && y > toY) pairs.push([--x, --y]);
  };
  for (let differences = before.length - 1; differences > 0; differences--) {
    const reached = before[differences] as ReadonlyMap<number, number>;
    const diagonal = comesFrom(reached, x - y, differences);
    const from = reached.get(diagonal) as number;
    down(from, from - diagonal);
    [x, y] = [from, from - diagonal];
  }
  down(0, 0);
  return pairs.reverse();
}

function joined(pairs: readonly (readonly [number, number])[], offset: number): readonly LineChange[] {
  const changes: LineChange[] = [];
  let [from, newFrom] = [0, 0];
  for (const [to, newTo] of pairs) {
    if (to > from || newTo > newFrom) {
      changes.push({ from: offset + from, to: offset + to, newFrom: offset + newFrom, newTo: offset + newTo });
    }
    [from, newFrom] = [to + 1, newTo + 1];
  }
  return changes;
}
