/** A search for many texts at once. Positions are of UTF-16 units. */
export interface PatternSearch {
  /** The length of the shortest pattern; a text below it holds none. */
  readonly shortest: number;
  /**
   * Visits every place before `before` where a pattern begins, from left to right, with the length and the index of the
   * longest one that begins there.
   */
  each(text: string, before: number, visit: (start: number, length: number, index: number) => void): void;
  /** The first place from which `text` to its end could be the beginning of a longer pattern; its length where there is none. */
  openEnd(text: string): number;
}

/** The last so many units of a window decide how far it can be moved on. */
const BLOCK = 3;

/** Shorter texts are copied unit by unit: a call into Node costs more. */
const SHORT_TEXT = 32;

/** A buffer for texts of this length is kept for the next one. */
const MAX_KEPT = 128 * 1024;

/** So many bytes behind a text may be read, but do not count. */
const BEHIND = 1024;

/** The low bytes of a text's units, to be written one by one and read four at a time. */
interface Units {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function createUnits(length: number): Units {
  const bytes = Buffer.alloc(length + BEHIND);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/**
 * Wu and Manber's search: a window of the shortest pattern's length is moved over the text, and a table says for its
 * last three units how far it may be moved without missing anything; most of the text is never looked at. Where the
 * table says 0 the few patterns whose window ends like this are compared.
 *
 * The window moves over the low bytes of the units, which are several times faster to read than the text itself; two
 * units that share one only lead to a comparison in vain.
 *
 * @param patterns distinct, each of at least 3 units; at least one
 */
export function createPatternSearch(patterns: readonly string[]): PatternSearch {
  const shortest = Math.min(...patterns.map((pattern) => pattern.length));
  const longest = Math.max(...patterns.map((pattern) => pattern.length));
  const blocks = shortest - BLOCK + 1;
  const longestStep = Math.min(255, blocks);
  // Far more slots than blocks: two that share a slot only make the steps shorter.
  const bits = Math.min(16, Math.max(10, Math.ceil(Math.log2(patterns.length * blocks * 16))));
  const down = 32 - bits;
  const steps = new Uint8Array(1 << bits).fill(longestStep);
  const beginnings = new Uint8Array(1 << bits);
  const buckets = new Map<number, number[]>();
  // Compared before the whole, which is far slower.
  const firsts = new Uint16Array(patterns.map((pattern) => pattern.charCodeAt(0)));
  const lasts = new Uint16Array(patterns.map((pattern) => pattern.charCodeAt(pattern.length - 1)));

  let kept = createUnits(1024);

  /** The low bytes of a text. What lies behind them is anything. */
  const unitsOf = (text: string): Units => {
    const { length } = text;
    const fits = kept.bytes.length >= length + BEHIND;
    const units = fits ? kept : createUnits(length * (length > MAX_KEPT ? 1 : 2));
    if (!fits && length <= MAX_KEPT) kept = units;
    if (length > SHORT_TEXT) units.bytes.write(text, 0, "latin1");
    else for (let at = 0; at < length; at++) units.bytes[at] = text.charCodeAt(at);
    return units;
  };

  const slotAt = ({ view }: Units, at: number): number => Math.imul(view.getInt32(at, true) << 8, 0x9e3779b1) >>> down;

  const longestFirst = [...patterns.entries()].sort(([, a], [, b]) => b.length - a.length);
  for (const [index, pattern] of longestFirst) {
    const units = unitsOf(pattern);
    beginnings[slotAt(units, 0)] = 1;
    for (let at = 0; at < blocks; at++) {
      const slot = slotAt(units, at);
      steps[slot] = Math.min(steps[slot] as number, blocks - 1 - at);
    }
    const slot = slotAt(units, blocks - 1);
    const bucket = buckets.get(slot);
    if (bucket) bucket.push(index);
    else buckets.set(slot, [index]);
  }

  const sorted = [...patterns].sort((a, b) => (a < b ? -1 : 1));
  const shortBeginnings = new Set(patterns.flatMap((pattern) => [pattern.slice(0, 1), pattern.slice(0, 2)]));

  /** Whether a text is the beginning of a longer pattern. */
  const begins = (text: string): boolean => {
    if (text.length < BLOCK) return shortBeginnings.has(text);
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as string) <= text) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(text) ?? false;
  };

  return {
    shortest,
    each(text, before, visit) {
      if (text.length < shortest) return;
      const units = unitsOf(text);
      const end = Math.min(before + blocks - 1, text.length - BLOCK + 1);
      let at = blocks - 1;
      while (at < end) {
        // Most steps are the longest. A constant is added before the table has answered, because the processor bets on
        // it, and four times without a look at the end: what is seen behind it does not matter.
        if (steps[slotAt(units, at)] === longestStep) {
          at += longestStep;
          if (steps[slotAt(units, at)] !== longestStep) continue;
          at += longestStep;
          if (steps[slotAt(units, at)] !== longestStep) continue;
          at += longestStep;
          if (steps[slotAt(units, at)] !== longestStep) continue;
          at += longestStep;
          continue;
        }
        const slot = slotAt(units, at);
        const step = steps[slot] as number;
        if (step > 0) {
          at += step;
          continue;
        }
        const start = at - blocks + 1;
        const first = text.charCodeAt(start);
        for (const index of buckets.get(slot) as number[]) {
          if (firsts[index] !== first) continue;
          const pattern = patterns[index] as string;
          const { length } = pattern;
          if (text.charCodeAt(start + length - 1) !== lasts[index] || !text.startsWith(pattern, start)) continue;
          visit(start, length, index);
          break;
        }
        at++;
      }
    },
    openEnd(text) {
      const from = Math.max(0, text.length - longest + 1);
      const tail = text.slice(from);
      const units = unitsOf(tail);
      for (let at = 0; at < tail.length; at++) {
        if (at + BLOCK <= tail.length && beginnings[slotAt(units, at)] === 0) continue;
        if (begins(tail.slice(at))) return from + at;
      }
      return text.length;
    },
  };
}
