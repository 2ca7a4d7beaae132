import { type Assertion, type CharSet, matchesNothing, type PatternTree } from "./pattern-tree.ts";

/** What an instruction does; `a` and `b` are its operands. */
export const OP = {
  /** Takes one character of set `a` and goes on at `b`. */
  chars: 0,
  /** Goes on at `a`, and where that fails at `b`. */
  split: 1,
  /** Goes on at `b` where assertion `a` holds. */
  assert: 2,
  /** Pattern `a` has matched. */
  match: 3,
} as const;

/** Patterns as instructions for a machine that takes all ways at once, so that no text makes it slow. */
export interface Program {
  readonly op: readonly number[];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly sets: readonly CharSet[];
  /** Where each pattern begins, in the order given. */
  readonly starts: readonly number[];
  /** Whether anything is asked of places between characters. */
  readonly asserts: boolean;
}

/** The order is that of operand `a` of an assertion. */
const ASSERTIONS: readonly Assertion[] = ["line-start", "line-end", "word-edge", "no-word-edge"];

/** More instructions than this make a pattern too big. */
const MAX_INSTRUCTIONS = 10_000;

/** Thrown where the repetitions of a pattern come to too many instructions. */
export class PatternTooBig extends Error {}

/**
 * @param trees one or several patterns; the place of one is its number in what matches
 * @param limit how many instructions there may be; default 10,000
 * @throws PatternTooBig
 */
export function compileProgram(trees: readonly PatternTree[], limit = MAX_INSTRUCTIONS): Program {
  const op: number[] = [];
  const a: number[] = [];
  const b: number[] = [];
  const sets: CharSet[] = [];
  const known = new Map<string, number>();
  let asserts = false;

  const add = (kind: number, first: number, second: number): number => {
    if (op.length >= limit) throw new PatternTooBig(`more than ${limit} steps`);
    op.push(kind);
    a.push(first);
    b.push(second);
    return op.length - 1;
  };
  const setIndex = (set: CharSet): number => {
    const found = known.get(set.key) ?? sets.push(set) - 1;
    known.set(set.key, found);
    return found;
  };

  /** Instructions for `tree` that go on at `next`; answers with where they begin. */
  const emit = (tree: PatternTree, next: number): number => {
    switch (tree.kind) {
      case "empty":
        return next;
      case "chars":
        return add(OP.chars, setIndex(tree.set), next);
      case "assert":
        asserts = true;
        return add(OP.assert, ASSERTIONS.indexOf(tree.what), next);
      case "sequence":
        return tree.parts.reduceRight((after, part) => emit(part, after), next);
      case "choice": {
        const entries = tree.branches.map((branch) => emit(branch, next));
        return entries.reduceRight((after, entry) => add(OP.split, entry, after));
      }
      case "repeat":
        return repeat(tree, next);
    }
  };

  const split = (way: number, past: number, greedy: boolean): number =>
    greedy ? add(OP.split, way, past) : add(OP.split, past, way);

  /** One or more. */
  const loop = (of: PatternTree, next: number, greedy: boolean): number => {
    const again = split(-1, next, greedy);
    const entry = emit(of, again);
    (greedy ? a : b)[again] = entry;
    return entry;
  };

  const repeat = ({ of, min, max, greedy }: Extract<PatternTree, { kind: "repeat" }>, next: number): number => {
    let after = next;
    let rest = min;
    if (max === Number.POSITIVE_INFINITY) {
      if (min > 0) {
        rest = min - 1;
        after = loop(of, next, greedy);
      } else if (matchesNothing(of)) {
        // As one or more, or nothing: going round once with nothing must not hide the other ways.
        after = split(loop(of, next, greedy), next, greedy);
      } else {
        const again = split(-1, next, greedy);
        (greedy ? a : b)[again] = emit(of, again);
        after = again;
      }
    } else {
      for (let count = min; count < max; count++) after = split(emit(of, after), next, greedy);
    }
    for (; rest > 0; rest--) after = emit(of, after);
    return after;
  };

  const starts = trees.map((tree, index) => emit(tree, add(OP.match, index, 0)));
  return { op, a, b, sets, starts, asserts };
}
