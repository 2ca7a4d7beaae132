import type { SearchedLine } from "../sdk/workspace-search.ts";
import type { Found } from "./matching.ts";

const NEWLINE = 10;
const RETURN = 13;
/** Longer lines are shown in part. */
const MAX_LINE_BYTES = 1_000;

/** Which lines of a file are shown. */
export interface ShownOptions {
  /** So many lines before and behind each that matches. */
  readonly before: number;
  readonly after: number;
  /** So many matching lines are shown. */
  readonly limit: number;
}

/** Lines to show. */
export interface ShownLines {
  readonly lines: readonly SearchedLine[];
  /** Whether the limit left none out. */
  readonly complete: boolean;
}

/**
 * The lines of what was found, with those around them, each once and in order.
 * @param found in order; where there is one more than the limit, it only ends the lines behind the last
 */
export function shownLines(
  bytes: Uint8Array,
  found: readonly Found[],
  { before, after, limit }: ShownOptions,
): ShownLines {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const lines: SearchedLine[] = [];
  let matching = 0;
  /** Where the first line begins that was not shown yet. */
  let shownTo = 0;
  let counted = { at: 0, line: 1 };

  const numberAt = (start: number): number => {
    let { at, line } = counted;
    for (let feed = text.indexOf(NEWLINE, at); feed >= 0 && feed < start; feed = text.indexOf(NEWLINE, feed + 1)) {
      line++;
      at = feed + 1;
    }
    counted = { at, line };
    return line;
  };
  /** @returns where the next line begins */
  const show = (start: number, match: boolean, place: number): number => {
    const end = endOfLine(text, start);
    const { shown, shortened } = textOf(text, { start, end, place: place > start && place <= end ? place : start });
    lines.push({ line: numberAt(start), text: shown, match, ...(shortened ? { shortened } : {}) });
    shownTo = end + 1;
    return shownTo;
  };

  for (const [index, { start, end, at }] of found.entries()) {
    if (matching >= limit) return { lines, complete: false };
    const first = startOfLine(text, start);
    const around: number[] = [];
    for (let line = first; around.length < before && line > shownTo; ) {
      line = startOfLine(text, line - 1);
      around.unshift(line);
    }
    for (const line of around) show(line, false, line);
    // A match that spans lines may begin in one that is there already.
    const last = startOfLine(text, Math.max(start, end - 1));
    for (let line = Math.max(first, shownTo); line <= last && line < text.length; matching++) {
      if (matching >= limit) return { lines, complete: false };
      line = show(line, true, at);
    }
    const following = found[index + 1];
    const border = following ? startOfLine(text, following.start) : text.length;
    for (let line = shownTo, count = 0; count < after && line < border && line < text.length; count++) {
      line = show(line, false, line);
    }
  }
  return { lines, complete: true };
}

function startOfLine(text: Buffer, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf(NEWLINE, at - 1) + 1;
}

function endOfLine(text: Buffer, start: number): number {
  const feed = text.indexOf(NEWLINE, start);
  return feed < 0 ? text.length : feed;
}

interface Part {
  readonly start: number;
  readonly end: number;
  /** What is shown of a line that is too long lies around here. */
  readonly place: number;
}

function textOf(text: Buffer, { start, end, place }: Part): { readonly shown: string; readonly shortened: boolean } {
  const past = end > start && text[end - 1] === RETURN ? end - 1 : end;
  if (past - start <= MAX_LINE_BYTES) return { shown: text.toString("utf8", start, past), shortened: false };
  const from = Math.max(start, Math.min(place - MAX_LINE_BYTES / 2, past - MAX_LINE_BYTES));
  const first = from === start ? start : beginning(text, from);
  const last = beginning(text, Math.min(past, first + MAX_LINE_BYTES));
  const shown = text.toString("utf8", first, last);
  return { shown: `${first > start ? "…" : ""}${shown}${last < past ? "…" : ""}`, shortened: true };
}

/** The place, or the next behind it at which a character begins. */
function beginning(text: Buffer, at: number): number {
  let place = at;
  while (place < text.length && place < at + 3 && ((text[place] as number) & 0xc0) === 0x80) place++;
  return place;
}
