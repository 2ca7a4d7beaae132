import { isWordCharacter } from "./alphabet.ts";
import type { CharSet } from "./pattern-tree.ts";
import { regexError } from "./regex-error.ts";

/** A part of a class: a range, or a set that has a name. */
export type ClassItem = readonly [low: number, high: number] | CharSet;

/** Sets of a regular expression, as the flags have it that hold where they stand. */
export interface SetFlags {
  readonly ignoreCase: boolean;
}

const WORD: CharSet = { key: "\\w", has: isWordCharacter };
const DIGIT: CharSet = { key: "\\d", has: (found) => hasProperty(/^\p{Nd}$/u, found) };
const SPACE: CharSet = { key: "\\s", has: (found) => hasProperty(/^\p{White_Space}$/u, found) };

/** The sets of `\w`, `\d`, `\s` and their opposites; upper and lower case of a character are in the same ones. */
export function shorthand(letter: string): CharSet {
  const set = { w: WORD, d: DIGIT, s: SPACE }[letter.toLowerCase()] as CharSet;
  return letter === letter.toLowerCase() ? set : opposite(set);
}

/** `.` */
export function dotSet(lineBreaks: boolean): CharSet {
  return lineBreaks ? { key: "any", has: () => true } : { key: ".", has: (found) => found !== 10 && found !== 13 };
}

/** One character. */
export function characterSet(codePoint: number, { ignoreCase }: SetFlags): CharSet {
  const exact = { key: `=${codePoint}`, has: (found: number) => found === codePoint };
  return ignoreCase ? rangesSet([[codePoint, codePoint]], { ignoreCase }, exact) : exact;
}

/** What is in one of the items, or in none. */
export function classSet(items: readonly ClassItem[], negated: boolean, flags: SetFlags): CharSet {
  const ranges = items.filter((item): item is readonly [number, number] => !isSet(item));
  const sets = items.filter(isSet);
  const all = ranges.length > 0 ? [rangesSet(ranges, flags), ...sets] : sets;
  const key = `[${all.map((set) => set.key).join("|")}]`;
  const joined = { key, has: (found: number) => all.some((set) => set.has(found)) };
  return negated ? opposite(joined) : joined;
}

/** The set of `\p{name}`. @throws ToolError INVALID_PARAM for a name that is not known */
export function propertySet(name: string, negated: boolean, { ignoreCase }: SetFlags): CharSet {
  const test = [name, `Script=${name}`].map((one) => compiled(one, ignoreCase)).find((found) => found !== undefined);
  if (!/^[A-Za-z_]+(?:=[A-Za-z_]+)?$/u.test(name) || !test) {
    throw regexError(
      `\\p{${name}} names no property of Unicode`,
      "Write it as in \\p{Lu}, \\p{Greek} or \\p{Alphabetic}.",
    );
  }
  const set = { key: `\\p{${name}}${ignoreCase ? "i" : ""}`, has: (found: number) => hasProperty(test, found) };
  return negated ? opposite(set) : set;
}

const POSIX: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  alpha: [
    [65, 90],
    [97, 122],
  ],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: [[48, 57]],
  graph: [[33, 126]],
  lower: [[97, 122]],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [[65, 90]],
  word: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
};

/** The set of `[:name:]` or `[:^name:]`. @throws ToolError INVALID_PARAM for a name that is not known */
export function posixSet(name: string, flags: SetFlags): CharSet {
  const negated = name.startsWith("^");
  const ranges = POSIX[negated ? name.slice(1) : name];
  if (!ranges) throw regexError(`[:${name}:] is no class`, `Known are ${Object.keys(POSIX).join(", ")}.`);
  const set = rangesSet(ranges, flags);
  return negated ? opposite(set) : set;
}

/** The same without line breaks, which no match may hold where lines are searched one by one. */
export function withoutLineBreaks(set: CharSet): CharSet {
  if (set.key.startsWith("=")) return set;
  return { key: `${set.key}-`, has: (found) => found !== 10 && found !== 13 && set.has(found) };
}

function rangesSet(ranges: readonly (readonly [number, number])[], { ignoreCase }: SetFlags, exact?: CharSet): CharSet {
  const key = `${ranges.map(([low, high]) => `${low}-${high}`).join(";")}`;
  if (!ignoreCase) return { key, has: (found) => ranges.some(([low, high]) => found >= low && found <= high) };
  const source = ranges.map(([low, high]) => `\\u{${low.toString(16)}}-\\u{${high.toString(16)}}`).join("");
  const test = new RegExp(`^[${source}]$`, "iu");
  // What has no other case is the same either way, and can be looked for as it is.
  if (exact && !hasCase(ranges[0]?.[0] as number)) return exact;
  return { key: `i${key}`, has: (found) => hasProperty(test, found) };
}

function hasCase(codePoint: number): boolean {
  return (
    hasProperty(/^\p{Changes_When_Casemapped}$/u, codePoint) || hasProperty(/^\p{Changes_When_Casefolded}$/u, codePoint)
  );
}

function hasProperty(test: RegExp, codePoint: number): boolean {
  return test.test(String.fromCodePoint(codePoint));
}

function compiled(name: string, ignoreCase: boolean): RegExp | undefined {
  try {
    return new RegExp(`^\\p{${name}}$`, ignoreCase ? "iu" : "u");
  } catch {
    return undefined;
  }
}

function opposite(set: CharSet): CharSet {
  return { key: `!${set.key}`, has: (found) => !set.has(found) };
}

function isSet(item: ClassItem): item is CharSet {
  return "has" in item;
}
