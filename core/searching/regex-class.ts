import type { CharSet } from "./pattern-tree.ts";
import { regexError } from "./regex-error.ts";
import { literalForRust, readEscape } from "./regex-escape.ts";
import { type ClassItem, classSet, posixSet, type SetFlags } from "./regex-sets.ts";

/** A class in brackets. */
export interface ReadClass {
  readonly set: CharSet;
  /** Behind its `]`. */
  readonly next: number;
  readonly rust: string;
  /** Whether it names nothing but line breaks. */
  readonly onlyLineBreaks: boolean;
}

/** @param start where the `[` lies; a `]` at once behind it, or behind `[^`, is one of the characters */
export function readClass(pattern: readonly string[], start: number, flags: SetFlags): ReadClass {
  const negated = pattern[start + 1] === "^";
  const items: ClassItem[] = [];
  const rust: string[] = [];
  let at = start + (negated ? 2 : 1);
  for (let isFirst = true; isFirst || pattern[at] !== "]"; isFirst = false) {
    const low = readMember(pattern, at, flags);
    at = low.next;
    const isRange = pattern[at] === "-" && pattern[at + 1] !== "]" && pattern[at + 1] !== undefined;
    if (!isRange) {
      items.push(low.item);
      rust.push(low.rust);
      continue;
    }
    const high = readMember(pattern, at + 1, flags);
    at = high.next;
    items.push(rangeOf(low.item, high.item));
    rust.push(`${low.rust}-${high.rust}`);
  }
  const onlyLineBreaks = !negated && items.every((item) => !("has" in item) && isBreak(item[0]) && isBreak(item[1]));
  return {
    set: classSet(items, negated, flags),
    next: at + 1,
    rust: `[${negated ? "^" : ""}${rust.join("")}]`,
    onlyLineBreaks,
  };
}

interface Member {
  readonly item: ClassItem;
  readonly rust: string;
  readonly next: number;
}

function readMember(pattern: readonly string[], at: number, flags: SetFlags): Member {
  const character = pattern[at];
  if (character === undefined) throw regexError("a [ has no ]", "Write \\[ for the character.");
  if (character === "[") return named(pattern, at, flags);
  if ((character === "&" || character === "-" || character === "~") && pattern[at + 1] === character) {
    throw regexError(
      `${character}${character} in a class is not understood`,
      `Write \\${character} for the character.`,
    );
  }
  if (character !== "\\") return single(character.codePointAt(0) as number, at + 1);
  const read = readEscape(pattern, at, flags);
  if ("edge" in read) throw regexError("\\b in a class is not understood", "Name the characters.");
  return "set" in read ? { item: read.set, rust: read.rust, next: read.next } : single(read.codePoint, read.next);
}

function single(codePoint: number, next: number): Member {
  return { item: [codePoint, codePoint], rust: literalForRust(codePoint), next };
}

/** `[:alpha:]`; any other `[` in a class would be a class of its own elsewhere. */
function named(pattern: readonly string[], at: number, flags: SetFlags): Member {
  const name = /^\[:(\^?[a-z]+):\]/u.exec(pattern.slice(at, at + 16).join(""))?.[1];
  if (name === undefined) throw regexError("a [ in a class is not understood", "Write \\[ for the character.");
  return { item: posixSet(name, flags), rust: `[:${name}:]`, next: at + name.length + 4 };
}

function rangeOf(low: ClassItem, high: ClassItem): ClassItem {
  if ("has" in low || "has" in high || low[0] > high[0]) {
    throw regexError("a range in a class has no beginning or no end", "Write \\- for the character.");
  }
  return [low[0], high[0]];
}

function isBreak(codePoint: number): boolean {
  return codePoint === 10 || codePoint === 13;
}
