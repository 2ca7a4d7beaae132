/** What a text that was not found comes closest to. */
export interface NearMiss {
  /** What differs, where, and what stands there. */
  readonly message: string;
  readonly hint: string;
}

/** Larger files are not searched: it would take too long, and who changes one has to have read it anyway. */
const MAX_CHARACTERS = 1_000_000;
/** Nor longer ones for lines that only resemble. */
const MAX_LINES = 20_000;
const MAX_SHOWN_LINES = 5;
const MAX_SHOWN_CHARACTERS = 400;
const MIN_ALIKE = 0.6;

interface Difference {
  readonly name: string;
  readonly hint: string;
  /** Makes texts that differ in this alone the same. Lines stay lines. */
  fold(text: string): string;
  /** What is changed in the wanted text only. Default: as `fold`. */
  wanted?(text: string): string;
}

const COPY = "Copy the text as it stands in the file.";
const SAME = (text: string): string => text;

/** From what is most often the reason to what is least. */
const DIFFERENCES: readonly Difference[] = [
  {
    name: "the line numbers in front of its lines",
    hint: "Leave out the numbers that reading shows.",
    fold: SAME,
    wanted: (text) => text.replace(/^[ \t]*\d+(?:: ?|\t|\| ?)/gmu, ""),
  },
  { name: "line ends", hint: COPY, fold: (text) => text.replaceAll("\r", "\n") },
  {
    name: "characters that are escaped once too often",
    hint: "Write a line feed as one, not as a backslash and an n.",
    fold: SAME,
    wanted: (text) =>
      text.replace(/\\(?:([nt"'\\]))/gu, (_, what: string) => (what === "n" ? "\n" : what === "t" ? "\t" : what)),
  },
  { name: "indentation", hint: "Copy the white space at the beginning of each line.", fold: withoutIndentation },
  { name: "white space", hint: "Copy the white space as it stands in the file.", fold: withoutSpace },
  { name: "white space", hint: "Copy the white space as it stands in the file.", fold: noSpace },
  { name: "quotation marks or dashes", hint: COPY, fold: plainMarks },
  { name: "upper and lower case", hint: COPY, fold: (text) => text.toLowerCase() },
  {
    name: "white space, quotation marks and case",
    hint: COPY,
    fold: (text) => withoutSpace(plainMarks(text)).toLowerCase(),
  },
];

/**
 * Why a text is not found that nearly is: in what it differs, and from which lines.
 * @param text with line feeds as line ends, as `wanted`
 */
export function nearMiss(text: string, wanted: string): NearMiss | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const lines = text.split("\n");
  for (const { name, hint, fold, wanted: foldWanted = fold } of DIFFERENCES) {
    const [there, sought] = [fold(text), foldWanted(wanted)];
    // A text of white space alone resembles everything.
    if (sought.trim() === "") continue;
    const at = there.indexOf(sought);
    if (at < 0) continue;
    // Where nothing but the ends of lines was changed, the file counts and not what it was made to.
    const [counted, part] = there.length === text.length ? [text, text.slice(at, at + sought.length)] : [there, sought];
    const from = counted.slice(0, at).split("\n").length;
    const to = from + part.replace(/\n$/u, "").split("\n").length - 1;
    return { message: `it differs in ${name} from ${shown(lines, from, to)}`, hint };
  }
  return nearestLine(lines, wanted);
}

function shown(lines: readonly string[], from: number, to: number): string {
  const last = Math.min(to, from + MAX_SHOWN_LINES - 1);
  const actual = visible(
    lines
      .slice(from - 1, last)
      .join("\n")
      .slice(0, MAX_SHOWN_CHARACTERS),
  );
  return `${from === to ? `line ${from}` : `lines ${from} to ${to}`}, which ${last < to ? `begin${from === last ? "s" : ""} with` : from === to ? "is" : "are"} ${actual}`;
}

/** As JSON, so that tabs and ends of lines are seen; what looks like a space and is none as well. */
function visible(text: string): string {
  return JSON.stringify(text).replace(
    /[\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function withoutIndentation(text: string): string {
  return text.replace(/^[^\S\n]+/gmu, "");
}

function withoutSpace(text: string): string {
  return text
    .replace(/[^\S\n]+/gu, " ")
    .replace(/^ | $/gmu, "")
    .replace(/[\u200b-\u200d\u2060\ufeff]/gu, "");
}

function noSpace(text: string): string {
  return text.replace(/[^\S\n]+/gu, "");
}

function plainMarks(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032\u00b4`]/gu, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/gu, '"')
    .replace(/[\u2010-\u2015\u2212]/gu, "-")
    .replace(/\u2026/gu, "...");
}

/** The line that is most like the first one of the text that is more than a few signs. */
function nearestLine(lines: readonly string[], wanted: string): NearMiss | undefined {
  if (lines.length > MAX_LINES) return undefined;
  const sought = wanted.split("\n").find((line) => line.trim().length > 3) ?? "";
  const pairs = pairsOf(sought);
  if (pairs.size === 0) return undefined;
  let best = { line: 0, alike: 0 };
  lines.forEach((line, index) => {
    // A line that is much longer or shorter cannot be that much alike.
    if (line.length > sought.length * 3 || line.length * 3 < sought.length) return;
    const alike = likeness(pairs, pairsOf(line));
    if (alike > best.alike) best = { line: index + 1, alike };
  });
  if (best.alike < MIN_ALIKE) return undefined;
  return { message: `what comes nearest is ${shown(lines, best.line, best.line)}`, hint: COPY };
}

function pairsOf(line: string): ReadonlySet<string> {
  const plain = line.trim().toLowerCase().slice(0, 200);
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, index) => plain.slice(index, index + 2)));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / (a.size + b.size);
}
