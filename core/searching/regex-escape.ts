import type { CharSet } from "./pattern-tree.ts";
import { regexError } from "./regex-error.ts";
import { propertySet, type SetFlags, shorthand } from "./regex-sets.ts";

/** What a backslash and what follows it stand for. */
export type Escape = {
  /** Behind it. */
  readonly next: number;
  /** The same for ripgrep. */
  readonly rust: string;
} & ({ readonly codePoint: number } | { readonly set: CharSet } | { readonly edge: "word-edge" | "no-word-edge" });

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };

/** What is refused, by the letter behind the backslash. */
const REFUSED: readonly (readonly [letters: RegExp, what: string, hint: string])[] = [
  [/[0-9k]/u, "backreferences are not understood", "Search for the parts, and compare what is found."],
  [/[AzZG]/u, "there are no anchors for the whole text", "Use ^ and $, which stand for line ends."],
  [/[<>]/u, "word anchors of this form are not understood", "Use \\b."],
  [/[QE]/u, "quoting is not understood", "Write \\ before each character that is meant as it is."],
];

/** @param at where the backslash lies */
export function readEscape(pattern: readonly string[], at: number, flags: SetFlags): Escape {
  const letter = pattern[at + 1];
  if (letter === undefined) throw regexError("it ends with a backslash", "Write \\\\ for a backslash.");
  const next = at + 2;
  if (/[wWdDsS]/u.test(letter)) return { set: shorthand(letter), rust: `\\${letter}`, next };
  if (letter === "b" || letter === "B") {
    if (pattern[next] === "{" && /[a-z]/u.test(pattern[next + 1] ?? "")) {
      throw regexError(`\\${letter}{…} is not understood`, "Use \\b.");
    }
    return { edge: letter === "b" ? "word-edge" : "no-word-edge", rust: `\\${letter}`, next };
  }
  if (letter === "p" || letter === "P") return property(pattern, at, flags);
  if (letter === "x" || letter === "u") return numbered(pattern, at);
  const control = CONTROLS[letter];
  if (control !== undefined) return { codePoint: control, rust: literalForRust(control), next };
  const refused = REFUSED.find(([letters]) => letters.test(letter));
  if (refused) throw regexError(`\\${letter}: ${refused[1]}`, refused[2]);
  if (/[A-Za-z]/u.test(letter)) throw regexError(`\\${letter} has no meaning`, "Leave the backslash out.");
  const codePoint = letter.codePointAt(0) as number;
  return { codePoint, rust: literalForRust(codePoint), next };
}

/** A character as ripgrep takes it, whatever it means there. */
export function literalForRust(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /[\p{L}\p{N}_ ]/u.test(character) ? character : `\\x{${codePoint.toString(16)}}`;
}

/** `\p{name}`, `\pL`. */
function property(pattern: readonly string[], at: number, flags: SetFlags): Escape {
  const letter = pattern[at + 1] as string;
  const braced = pattern[at + 2] === "{";
  const end = braced ? pattern.indexOf("}", at) : at + 2;
  if (end < 0 || pattern[end] === undefined) throw regexError(`\\${letter} has no name`, "Write it as in \\p{Lu}.");
  const name = braced ? pattern.slice(at + 3, end).join("") : (pattern[end] as string);
  return { set: propertySet(name, letter === "P", flags), rust: `\\${letter}{${name}}`, next: end + 1 };
}

/** `\x41`, `\x{41}`, `\u0041`, `\u{41}`. */
function numbered(pattern: readonly string[], at: number): Escape {
  const letter = pattern[at + 1] as string;
  const braced = pattern[at + 2] === "{";
  const end = braced ? pattern.indexOf("}", at) : at + (letter === "x" ? 4 : 6);
  const digits = pattern.slice(at + (braced ? 3 : 2), end).join("");
  const codePoint = /^[0-9A-Fa-f]{1,6}$/u.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
  const whole = braced || digits.length === (letter === "x" ? 2 : 4);
  if (!whole || !(codePoint <= 0x10ffff) || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
    throw regexError(`\\${letter} is followed by no number of a character`, "Write it as in \\x41 or \\u{1F600}.");
  }
  return { codePoint, rust: literalForRust(codePoint), next: braced ? end + 1 : end };
}
