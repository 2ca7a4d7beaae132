import { homedir } from "node:os";
import { expandBraces } from "./braces.ts";
import type { SourceWord, WordPart } from "./parser.ts";
import type { Reading } from "./reading.ts";
import { shown } from "./refusal.ts";
import { type Piece, plainWord, type Word } from "./tree.ts";

/** What the shell makes of an argument: one word, more where braces say so; a pattern of file names stays one. */
export function readArgument(word: SourceWord, reading: Reading): readonly Word[] {
  if (word.parts?.some(({ type }) => type === "BraceExpansion")) return readBraces(word, reading);
  return [wordOf(readPieces(word, reading))];
}

/** A word that has to stand for itself, such as the target of a redirection: neither pattern nor braces mean anything there. */
export function readText(word: SourceWord, reading: Reading): string {
  return readPieces(word, reading)
    .map(({ text }) => text)
    .join("");
}

/** A pattern that texts are compared with: `*` stands for itself nowhere, braces always do. */
export function readPattern(word: SourceWord, reading: Reading): Word {
  return wordOf(readPieces(word, reading));
}

function wordOf(pieces: readonly Piece[]): Word {
  const text = pieces.map((piece) => piece.text).join("");
  const isPattern = pieces.some(({ pattern }) => pattern);
  return isPattern ? { pieces, text, isPattern } : plainWord(text);
}

function readPieces(word: SourceWord, reading: Reading): readonly Piece[] {
  const pieces = word.parts
    ? word.parts.flatMap((part) => piecesOf(part, reading))
    : [{ text: word.value, pattern: false }];
  return word.text.startsWith("~") ? withoutTilde(word, pieces, reading) : pieces;
}

function piecesOf(part: WordPart, reading: Reading): readonly Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [{ text: part.value, pattern: false }];
    case "DoubleQuoted":
      return part.parts.length === 0
        ? [{ text: "", pattern: false }]
        : part.parts.flatMap((inner) => piecesOf(inner, reading));
    case "Glob":
      if (part.kind !== "bracket" || PLAIN_BRACKET.test(part.text)) return [{ text: part.text, pattern: true }];
      return reading.refuse(
        "expansion",
        `the pattern ${shown(part.text)} is not understood; use * or name the files`,
        [],
      );
    // Where braces do not count they are text, as long as nothing in them does.
    case "BraceExpansion":
      if (PLAIN_BRACES.test(part.text)) return [{ text: part.text, pattern: false }];
      return reading.refuse(
        "expansion",
        `braces such as ${shown(part.text)} are not understood; write the words out`,
        [],
      );
    default:
      return reading.refuse(
        "expansion",
        `${shown(part.text)} is ${NAMES[part.type] ?? "not understood"}; ${WRITE_OUT}`,
        [],
      );
  }
}

const WRITE_OUT = "write out what it stands for, or put it in single quotes where it is text";

const NAMES: Readonly<Record<string, string>> = {
  SimpleExpansion: "the value of a variable",
  ParameterExpansion: "the value of a variable",
  CommandExpansion: "the output of a command",
  ArithmeticExpansion: "a computation",
  ProcessSubstitution: "a command in place of a file",
  AnsiCQuoted: "a text in $'…'",
  LocaleString: 'a text in $"…"',
  ExtendedGlob: "an extended pattern",
};

/** As all shells read them, with nothing quoted in them. */
const PLAIN_BRACKET = /^\[[!^]?\]?(?:[\w.,:@%+=-]|\[:[a-z]+:\])+\]$/u;
const PLAIN_BRACES = /^[\w./,{}+@%=:-]*$/u;
const BRACED_WORD = /^[\w./,{}+@%=:*?-]+$/u;

function readBraces(word: SourceWord, reading: Reading): readonly Word[] {
  const words = BRACED_WORD.test(word.text) ? expandBraces(word.text) : undefined;
  if (!words) {
    return reading.refuse("expansion", `the braces of ${shown(word.text)} are not understood; write the words out`, []);
  }
  return words.filter((text) => text !== "").map((text) => wordOf(splitPattern(text)));
}

function splitPattern(text: string): readonly Piece[] {
  return (text.match(/[*?]|[^*?]+/gu) ?? []).map((piece) => ({ text: piece, pattern: piece === "*" || piece === "?" }));
}

/** The person's own directory is put in here, so that what is looked at is what the program gets. */
function withoutTilde(word: SourceWord, pieces: readonly Piece[], reading: Reading): readonly Piece[] {
  const [first, ...rest] = pieces;
  const text = first?.text ?? "";
  if (!first || first.pattern || !(text === "~" ? rest.length === 0 : text.startsWith("~/"))) {
    return reading.refuse(
      "path",
      `${shown(word.text)} is the directory of somebody; write a path in the workspace`,
      [],
    );
  }
  return [{ text: homedir() + text.slice(1), pattern: false }, ...rest];
}
