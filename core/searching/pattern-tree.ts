/** A set of characters. Two sets with the same key hold the same characters. */
export interface CharSet {
  readonly key: string;
  has(codePoint: number): boolean;
  /** Whether it also holds bytes that belong to no character, as names of files may have them. Default false. */
  readonly stray?: boolean;
}

/** What may be asked of a place between two characters. Lines end at `\n`, `\r` and `\r\n`, words are those of Unicode. */
export type Assertion = "line-start" | "line-end" | "word-edge" | "no-word-edge";

/** A pattern, be it a regular expression, a glob or a line of an ignore file. */
export type PatternTree =
  | { readonly kind: "empty" }
  | { readonly kind: "chars"; readonly set: CharSet }
  | { readonly kind: "sequence"; readonly parts: readonly PatternTree[] }
  | { readonly kind: "choice"; readonly branches: readonly PatternTree[] }
  | {
      readonly kind: "repeat";
      readonly of: PatternTree;
      readonly min: number;
      /** `Infinity`: without end. */
      readonly max: number;
      /** Whether it takes as much as it can; this decides where a match ends. */
      readonly greedy: boolean;
    }
  | { readonly kind: "assert"; readonly what: Assertion };

export const EMPTY: PatternTree = { kind: "empty" };

/** One character. */
export function literal(codePoint: number): PatternTree {
  return { kind: "chars", set: { key: `=${codePoint}`, has: (found) => found === codePoint } };
}

export function sequence(parts: readonly PatternTree[]): PatternTree {
  return parts.length === 1 ? (parts[0] as PatternTree) : { kind: "sequence", parts };
}

export function choice(branches: readonly PatternTree[]): PatternTree {
  return branches.length === 1 ? (branches[0] as PatternTree) : { kind: "choice", branches };
}

/** `of` so often as there are. */
export function anyNumber(of: PatternTree): PatternTree {
  return { kind: "repeat", of, min: 0, max: Number.POSITIVE_INFINITY, greedy: true };
}

/** Whether a pattern also matches where nothing is. */
export function matchesNothing(tree: PatternTree): boolean {
  switch (tree.kind) {
    case "chars":
      return false;
    case "sequence":
      return tree.parts.every(matchesNothing);
    case "choice":
      return tree.branches.some(matchesNothing);
    case "repeat":
      return tree.min === 0 || matchesNothing(tree.of);
    default:
      return true;
  }
}
