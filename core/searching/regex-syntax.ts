import { type Assertion, type CharSet, choice, EMPTY, type PatternTree, sequence } from "./pattern-tree.ts";
import { readClass } from "./regex-class.ts";
import { regexError } from "./regex-error.ts";
import { literalForRust, readEscape } from "./regex-escape.ts";
import { characterSet, dotSet, withoutLineBreaks } from "./regex-sets.ts";

/** How a regular expression is read. */
export interface RegexFlags {
  readonly ignoreCase: boolean;
  /** Whether matches lie within lines: then no set holds a line break, and one that is asked for is refused. */
  readonly linewise: boolean;
}

/** A regular expression that was read, and the same as ripgrep reads it. */
export interface ReadRegex {
  readonly tree: PatternTree;
  readonly rust: string;
}

const MAX_DEPTH = 100;
const MAX_REPEAT = 1_000;

/**
 * Reads the syntax that ripgrep has without look-around and backreferences. What JavaScript and others mean by
 * something else is refused in words that name it; a brace that begins no count is a character.
 * @throws ToolError INVALID_PARAM
 */
export function readRegexSyntax(source: string, { ignoreCase, linewise }: RegexFlags): ReadRegex {
  const pattern = [...source];
  let at = 0;
  let flags = { ignoreCase, dotAll: false };
  const rust: string[] = [];

  const chars = (set: CharSet): PatternTree => ({ kind: "chars", set: linewise ? withoutLineBreaks(set) : set });
  const assertion = (what: Assertion): PatternTree => ({ kind: "assert", what });

  const alternatives = (depth: number): PatternTree => {
    if (depth > MAX_DEPTH)
      throw regexError(`it has more than ${MAX_DEPTH} groups in one another`, "Use a simpler one.");
    const branches = [branch(depth)];
    while (pattern[at] === "|") {
      rust.push("|");
      at++;
      branches.push(branch(depth));
    }
    return choice(branches);
  };

  const branch = (depth: number): PatternTree => {
    const parts: PatternTree[] = [];
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") parts.push(repeated(atom(depth)));
    return sequence(parts);
  };

  const character = (codePoint: number): PatternTree => {
    if (linewise && (codePoint === 10 || codePoint === 13)) {
      throw regexError("a line break cannot be found within a line", "Set multiline to true, or use $.");
    }
    rust.push(literalForRust(codePoint));
    return chars(characterSet(codePoint, flags));
  };

  const escaped = (): PatternTree => {
    const read = readEscape(pattern, at, flags);
    at = read.next;
    if ("codePoint" in read) return character(read.codePoint);
    rust.push(read.rust);
    return "set" in read ? chars(read.set) : assertion(read.edge);
  };

  const bracket = (): PatternTree => {
    const { set, next, rust: text, onlyLineBreaks } = readClass(pattern, at, flags);
    if (linewise && onlyLineBreaks) {
      throw regexError("a line break cannot be found within a line", "Set multiline to true, or use $.");
    }
    at = next;
    rust.push(text);
    return chars(set);
  };

  const group = (depth: number): PatternTree => {
    const before = flags;
    const head = /^\((?:\?(?:P?<(?<name>[A-Za-z_]\w*)>|(?<flags>[a-zA-Z]*(?:-[a-zA-Z]+)?)(?<end>[:)])))?/u.exec(
      pattern.slice(at, at + 80).join(""),
    ) as RegExpExecArray;
    if (head[0] === "(" && pattern[at + 1] === "?") throw foreignGroup(pattern.slice(at, at + 4).join(""));
    at += head[0].length;
    const given = head.groups?.flags ?? "";
    flags = withFlags(flags, given);
    if (head.groups?.end === ")") {
      rust.push(head[0]);
      return EMPTY;
    }
    rust.push(head.groups?.end ? head[0] : "(?:");
    const tree = alternatives(depth + 1);
    if (pattern[at] !== ")") throw regexError("a ( has no )", "Write \\( for the character.");
    at++;
    rust.push(")");
    flags = before;
    return tree;
  };

  const atom = (depth: number): PatternTree => {
    const symbol = pattern[at] as string;
    switch (symbol) {
      case "\\":
        return escaped();
      case "[":
        return bracket();
      case "(":
        return group(depth);
      case "*":
      case "+":
      case "?":
        throw regexError(`there is nothing before ${symbol} to repeat`, `Write \\${symbol} for the character.`);
      default:
    }
    at++;
    if (symbol === "^" || symbol === "$") {
      rust.push(symbol);
      return assertion(symbol === "^" ? "line-start" : "line-end");
    }
    if (symbol === ".") {
      rust.push(".");
      return chars(dotSet(flags.dotAll));
    }
    const codePoint = symbol.codePointAt(0) as number;
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) throw regexError("it holds half a character", "Write it whole.");
    return character(codePoint);
  };

  const repeated = (of: PatternTree): PatternTree => {
    const count = readCount(pattern, at);
    if (!count) return of;
    if (of.kind === "assert" || of === EMPTY) throw regexError("a place cannot be repeated", "Leave the count out.");
    const { min, max } = count;
    at = count.next;
    rust.push(count.rust);
    const greedy = pattern[at] !== "?";
    if (!greedy) {
      at++;
      rust.push("?");
    }
    if (readCount(pattern, at)) {
      throw regexError(
        "a repetition is followed by another (as possessive quantifiers are)",
        "Put the first in (?:…).",
      );
    }
    return { kind: "repeat", of, min, max, greedy };
  };

  const tree = alternatives(0);
  if (at < pattern.length) throw regexError("a ) has no (", "Write \\) for the character.");
  return { tree, rust: `${ignoreCase ? "(?i)" : ""}${rust.join("")}` };
}

interface Count {
  readonly min: number;
  readonly max: number;
  readonly next: number;
  readonly rust: string;
}

/** `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`; undefined where there is none. */
function readCount(pattern: readonly string[], at: number): Count | undefined {
  const symbol = pattern[at] ?? "";
  const next = at + 1;
  if (symbol === "*") return { min: 0, max: Number.POSITIVE_INFINITY, next, rust: symbol };
  if (symbol === "+") return { min: 1, max: Number.POSITIVE_INFINITY, next, rust: symbol };
  if (symbol === "?") return { min: 0, max: 1, next, rust: symbol };
  const read = symbol === "{" ? /^\{(\d+)(,(\d*))?\}/u.exec(pattern.slice(at, at + 24).join("")) : null;
  if (!read) return undefined;
  const min = Number(read[1]);
  const max = read[2] === undefined ? min : read[3] === "" ? Number.POSITIVE_INFINITY : Number(read[3]);
  if (min > max) throw regexError(`the count ${read[0]} ends before it begins`, "Turn the numbers round.");
  if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Number.POSITIVE_INFINITY)) {
    throw regexError(`the count ${read[0]} is over ${MAX_REPEAT}`, "Use + or a smaller one.");
  }
  return { min, max, next: at + read[0].length, rust: read[0] };
}

type Flags = { readonly ignoreCase: boolean; readonly dotAll: boolean };

/** `i` and `s`, given or taken; `m` is always there. */
function withFlags(before: Flags, given: string): Flags {
  const [on = "", off = ""] = given.split("-");
  for (const letter of on + off) {
    if ("is".includes(letter) || (letter === "m" && on.includes("m"))) continue;
    throw regexError(`the flag ${letter} is not understood`, "Known are i and s.");
  }
  const value = (letter: string, was: boolean): boolean =>
    on.includes(letter) ? true : off.includes(letter) ? false : was;
  return { ignoreCase: value("i", before.ignoreCase), dotAll: value("s", before.dotAll) };
}

/** A group that begins with `(?` and is none of those that are understood. */
function foreignGroup(head: string): Error {
  if (/^\(\?<?[=!]/u.test(head)) {
    const what = `${head.slice(0, head.startsWith("(?<") ? 4 : 3)}…): look-around is not understood`;
    return regexError(what, "Search for more, and look through what is found.");
  }
  if (head.startsWith("(?>")) return regexError("(?>…): atomic groups are not understood", "Use (?:…).");
  return regexError(`a group that begins with ${head} is not understood`, "Use (…) or (?:…).");
}
