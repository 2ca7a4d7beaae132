import { ToolError } from "toolroom";
import { nearMiss } from "./near-miss.ts";

/** Text that is to be replaced by another. */
export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
}

/** Where a replaced text stood: in which lines, from 1. */
export interface EditedLines {
  readonly from: number;
  readonly to: number;
}

/** So many places of a text that is found too often are named. */
const MAX_SHOWN = 10;
const MAX_COUNTED = 1000;

/**
 * Replaces texts, all or none. Each is looked for in the text as it is, and has to be there once; no two may overlap. Line
 * ends do not have to be the same to be found: what is put in gets those of the place where it is put.
 *
 * @param pointerOf the argument that an edit came in
 * @throws ToolError INVALID_PARAM
 */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  pointerOf: (index: number) => string,
): { readonly text: string; readonly lines: readonly EditedLines[] } {
  const plain = withoutReturns(text);
  const places = edits.map((edit, index) => placeOf(plain, edit, pointerOf(index)));
  const sorted = places.toSorted((a, b) => a.start - b.start);
  sorted.forEach((place, index) => {
    const before = sorted[index - 1];
    if (before && place.start < before.end) throw overlap(place, before);
  });
  let made = "";
  let from = 0;
  for (const { start, end, text: put } of sorted) {
    made += text.slice(from, start) + put;
    from = end;
  }
  return { text: made + text.slice(from), lines: places.map(({ lines }) => lines) };
}

interface Place {
  /** In the text as it is. */
  readonly start: number;
  readonly end: number;
  /** What is put there. */
  readonly text: string;
  readonly lines: EditedLines;
  readonly pointer: string;
}

/** A text whose line ends are all line feeds, and where its parts are in the one that it was made of. */
interface PlainText {
  readonly text: string;
  readonly original: string;
  place(offset: number): number;
}

function withoutReturns(original: string): PlainText {
  if (!original.includes("\r\n")) return { text: original, original, place: (offset) => offset };
  // Where, in the plain text, a line feed stands that had a carriage return.
  const returns: number[] = [];
  for (let at = original.indexOf("\r\n"); at >= 0; at = original.indexOf("\r\n", at + 2)) {
    returns.push(at - returns.length);
  }
  const before = (offset: number): number => {
    let [low, high] = [0, returns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((returns[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    text: original.replaceAll("\r\n", "\n"),
    original,
    place: (offset) => offset + before(offset),
  };
}

function placeOf(plain: PlainText, { old_string, new_string }: Edit, pointer: string): Place {
  const wanted = old_string.replaceAll("\r\n", "\n");
  const put = new_string.replaceAll("\r\n", "\n");
  if (wanted === "") {
    throw invalid(pointer, "expected the text to replace, found an empty one", "Name a text that stands in the file.");
  }
  if (wanted === put) {
    throw invalid(pointer, "old_string and new_string are the same, so nothing would change", "Say what it becomes.");
  }
  const found = occurrences(plain.text, wanted);
  const [at] = found;
  if (at === undefined) {
    const near = nearMiss(plain.text, wanted);
    const hint = near?.hint ?? "Read the file again, and copy the text from it, without line numbers.";
    throw invalid(pointer, `the text is not in the file${near ? `: ${near.message}` : ""}`, hint);
  }
  if (found.length > 1) throw foundOften(plain.text, found, pointer);
  const [start, end] = [plain.place(at), plain.place(at + wanted.length)];
  const from = lineAt(plain.text, at);
  const to = from + Math.max(0, wanted.split("\n").length - 1 - (wanted.endsWith("\n") ? 1 : 0));
  return { start, end, text: withLineEnds(put, plain.original, { start, end }), lines: { from, to }, pointer };
}

/** The line ends of what is replaced; where that has none, of the line that it stands in, or of the line before. */
function withLineEnds(put: string, text: string, { start, end }: { readonly start: number; readonly end: number }) {
  if (!put.includes("\n")) return put;
  const replaced = text.slice(start, end);
  const feed = replaced.includes("\n") ? start + replaced.indexOf("\n") : nearestFeed(text, start, end);
  return feed > 0 && text[feed - 1] === "\r" ? put.replaceAll("\n", "\r\n") : put;
}

function nearestFeed(text: string, start: number, end: number): number {
  const next = text.indexOf("\n", end);
  return next >= 0 || start === 0 ? next : text.lastIndexOf("\n", start - 1);
}

/** Where a text begins, overlapping ones as well. */
function occurrences(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length <= MAX_COUNTED; at = text.indexOf(wanted, at + 1)) {
    found.push(at);
  }
  return found;
}

function foundOften(text: string, found: readonly number[], pointer: string): ToolError {
  const lines = [...new Set(found.slice(0, MAX_SHOWN).map((at) => lineAt(text, at)))].join(", ");
  const times = found.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(found.length);
  const more = found.length > MAX_SHOWN ? ", …" : "";
  return invalid(
    pointer,
    `the text has to be in the file once, found it ${times} times (lines ${lines}${more})`,
    "Add lines before or after it, so that it names one place.",
  );
}

function overlap(place: Place, before: Place): ToolError {
  return invalid(
    place.pointer,
    `the texts of ${before.pointer} and ${place.pointer} overlap in line ${place.lines.from}`,
    "Join the two edits into one.",
  );
}

/** The number of the line that an offset lies in, from 1. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function invalid(pointer: string, message: string, hint: string): ToolError {
  return new ToolError("INVALID_PARAM", `${message}. Nothing was written`, { pointer, hint });
}
