import { anyNumber, type CharSet, choice, EMPTY, literal, type PatternTree, sequence } from "./pattern-tree.ts";

/** A part of one segment of a glob: a character, any number of them, one of them, or one of a set. */
export type GlobToken =
  | { readonly kind: "char"; readonly codePoint: number }
  | { readonly kind: "star" }
  | { readonly kind: "any" }
  | { readonly kind: "class"; readonly set: CharSet };

const SLASH = 47;
const DOT = 46;
/** What `*` takes: anything in a name, bytes that are not UTF-8 included. */
const NAME: CharSet = { key: "[^/]", has: (found) => found !== SLASH, stray: true };
const NAME_NO_DOT: CharSet = { key: "[^/.]", has: (found) => found !== SLASH && found !== DOT, stray: true };
const NEVER: PatternTree = { kind: "chars", set: { key: "[]", has: () => false } };

/** Thrown where a segment cannot match anything: a class or an escape that does not end. */
export class BrokenGlob extends Error {}

/** @throws BrokenGlob */
export function readSegment(text: string): readonly GlobToken[] {
  const characters = [...text];
  const tokens: GlobToken[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (character === "?") tokens.push({ kind: "any" });
    else if (character === "[") {
      const read = readClass(characters, at);
      tokens.push({ kind: "class", set: read.set });
      at = read.end;
    } else {
      if (character === "\\") at++;
      if (at >= characters.length) throw new BrokenGlob("it ends with a backslash");
      tokens.push({ kind: "char", codePoint: codePointOf(characters[at] as string) });
    }
  }
  return tokens;
}

/** @param dots whether a wildcard at the beginning of a name takes a dot */
export function segmentTree(tokens: readonly GlobToken[], dots: boolean): PatternTree {
  if (dots) return sequence(tokens.map((token) => tokenTree(token, NAME)));
  const [first, ...rest] = tokens;
  if (!first || first.kind === "char") return segmentTree(tokens, true);
  return guarded(first, rest);
}

/** The segment `**`: names with a slash behind each. */
export function directoriesTree(dots: boolean): PatternTree {
  return anyNumber(sequence([nameTree(dots), literal(SLASH)]));
}

/** Any name. */
export function nameTree(dots: boolean): PatternTree {
  const first: PatternTree = { kind: "chars", set: dots ? NAME : NAME_NO_DOT };
  return sequence([first, anyNumber({ kind: "chars", set: NAME })]);
}

/** A segment that begins with a wildcard, where a name must not begin with a dot. */
function guarded(first: GlobToken, rest: readonly GlobToken[]): PatternTree {
  if (first.kind === "char") return first.codePoint === DOT ? NEVER : segmentTree([first, ...rest], true);
  if (first.kind !== "star") return sequence([tokenTree(first, NAME_NO_DOT), segmentTree(rest, true)]);
  const some = sequence([{ kind: "chars", set: NAME_NO_DOT }, tokenTree(first, NAME), segmentTree(rest, true)]);
  const [second, ...others] = rest;
  return choice([some, second ? guarded(second, others) : EMPTY]);
}

function tokenTree(token: GlobToken, name: CharSet): PatternTree {
  switch (token.kind) {
    case "char":
      return literal(token.codePoint);
    case "star":
      return anyNumber({ kind: "chars", set: name });
    case "any":
      return { kind: "chars", set: name };
    case "class": {
      const { set } = token;
      const both = { key: `${set.key}&${name.key}`, has: (found: number) => set.has(found) && name.has(found) };
      return { kind: "chars", set: { ...both, stray: set.stray === true } };
    }
  }
}

/** A class, and where its `]` lies; the first `]` in it is one of its characters. */
function readClass(characters: readonly string[], start: number): { readonly set: CharSet; readonly end: number } {
  let at = start + 1;
  const negated = characters[at] === "!" || characters[at] === "^";
  if (negated) at++;
  const ranges: [number, number][] = [];
  for (let isFirst = true; isFirst || characters[at] !== "]"; isFirst = false) {
    const low = readMember(characters, at);
    at = low.next;
    let high = low.codePoint;
    if (characters[at] === "-" && characters[at + 1] !== undefined && characters[at + 1] !== "]") {
      const end = readMember(characters, at + 1);
      high = end.codePoint;
      at = end.next;
    }
    ranges.push([low.codePoint, high]);
  }
  const has = (found: number): boolean => ranges.some(([low, high]) => found >= low && found <= high) !== negated;
  return { set: { key: `${negated ? "!" : ""}[${ranges.join(";")}]`, has, stray: negated }, end: at };
}

function readMember(
  characters: readonly string[],
  start: number,
): { readonly codePoint: number; readonly next: number } {
  const at = characters[start] === "\\" ? start + 1 : start;
  const character = characters[at];
  if (character === undefined) throw new BrokenGlob("a [ has no ]");
  return { codePoint: codePointOf(character), next: at + 1 };
}

function codePointOf(character: string): number {
  return character.codePointAt(0) as number;
}
