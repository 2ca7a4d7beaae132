import { type Alphabet, decodeAt, KIND, kindBefore, STRAY } from "./alphabet.ts";
import { holds } from "./assertions.ts";
import type { Pace } from "./pace.ts";
import { OP, type Program } from "./program.ts";

/** So much is done between two looks at the clock. */
const WORK_BETWEEN = 50_000;

/** Where a match lies, in bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in the program, and where the match began that is at it. */
interface Thread {
  readonly place: number;
  readonly start: number;
}

/**
 * The first match at or behind a place, and of those that begin there the one that the pattern prefers. It reads each
 * character once for all ways that a match can take.
 */
export async function firstMatch(
  program: Program,
  alphabet: Alphabet,
  { bytes, from, pace }: { readonly bytes: Uint8Array; readonly from: number; readonly pace: Pace },
): Promise<Span | undefined> {
  const { op, a, b, starts } = program;
  const seen = new Int32Array(op.length).fill(-1);
  let threads: Thread[] = [];
  let found: Span | undefined;
  let before = kindBefore(bytes, from);
  let work = 0;
  for (let at = from; ; ) {
    const decoded = at < bytes.length ? decodeAt(bytes, at) : 0;
    const symbol = decoded < 0 ? STRAY : decoded === 0 && at >= bytes.length ? 0 : alphabet.symbolOf(decoded >> 3);
    const after = at >= bytes.length ? KIND.edge : alphabet.kindOf(symbol);
    const next: Thread[] = [];
    // In order of preference; who began here comes last.
    const stack = threads.toReversed();
    if (!found) stack.unshift({ place: starts[0] as number, start: at });
    while (stack.length > 0) {
      const { place, start } = stack.pop() as Thread;
      if (seen[place] === at) continue;
      seen[place] = at;
      work++;
      if (op[place] === OP.chars) {
        if (at < bytes.length && alphabet.isIn(symbol, a[place] as number))
          next.push({ place: b[place] as number, start });
      } else if (op[place] === OP.split) {
        stack.push({ place: b[place] as number, start }, { place: a[place] as number, start });
      } else if (op[place] === OP.assert) {
        if (holds(a[place] as number, before, after)) stack.push({ place: b[place] as number, start });
      } else {
        found = { start, end: at };
        // Whatever is preferred less has lost.
        break;
      }
    }
    threads = next;
    if (at >= bytes.length || (found && threads.length === 0)) return found;
    before = after;
    at += decoded < 0 ? 1 : decoded & 7;
    work++;
    if (work > WORK_BETWEEN) {
      work = 0;
      await pace.check();
    }
  }
}
