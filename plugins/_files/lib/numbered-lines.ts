import { isUtf8 } from "node:buffer";
import { ToolError } from "toolroom";
import { imageKind } from "./image-kind.ts";
import { oneLine } from "./one-line.ts";
import { encodingOf, isBinary } from "./text-file.ts";

/** So much is shown at once: more is not given to a model, and it could not go on where its part ends. */
const MAX_BYTES = 48 * 1024;
const LINE_FEED = 10;

/** Which lines are asked for. */
export interface LineRange {
  /** From 1. */
  readonly offset: number;
  /** Absent: all to the end. */
  readonly limit?: number | undefined;
  /** Whether the bytes can be asked for instead, with `"encoding": "base64"`. */
  readonly hasBytes: boolean;
}

/** Lines of a file as they are shown. */
export interface NumberedLines {
  readonly message: string;
  /** All that was asked for, as it stands in the file. */
  readonly complete: boolean;
  /** Of the whole file. */
  readonly lines: number;
  /** The first and the last line that are shown; 0 where there is none. */
  readonly from: number;
  readonly to: number;
}

/**
 * Lines of a text with their numbers, as many as can be shown at once, and a note which of how many these are. A line is what a
 * line feed ends, and an unterminated last one; a carriage return before the line feed is not shown.
 *
 * @param shown the path as messages name it
 * @throws ToolError BINARY_FILE
 */
export function numberedLines(bytes: Uint8Array, shown: string, { offset, limit, hasBytes }: LineRange): NumberedLines {
  const exact = isUtf8(bytes);
  refuseBinary(bytes, { shown, exact, hasBytes });
  if (bytes.length === 0) return { message: "", complete: true, lines: 0, from: 0, to: 0 };
  const last = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit - 1;
  const { begin, total, ends } = scan(bytes, offset, last);
  const { rows, size } = rowsOf(bytes, { begin, ends, offset, exact });
  const to = rows.length === 0 ? 0 : offset + rows.length - 1;
  const from = rows.length === 0 ? 0 : offset;
  const cut = rows.length > 0 && to < Math.min(last, total);
  const notes = [footer({ from, to, total, cut })];
  if (size.cutLine) notes.push(`[Line ${from} is too long to be shown whole: ${size.cutLine} bytes.]`);
  if (!exact) notes.push(`[${LOSSY}${hasBytes ? `; ${BYTES}` : ""}.]`);
  return {
    message: [...rows, "", ...notes].join("\n"),
    complete: exact && !cut && !size.cutLine,
    lines: total,
    from,
    to,
  };
}

const LOSSY = "Not valid UTF-8: what could not be decoded is shown as \uFFFD";
const BYTES = '"encoding": "base64" gives the bytes';

function refuseBinary(
  bytes: Uint8Array,
  { shown, exact, hasBytes }: { readonly shown: string; readonly exact: boolean; readonly hasBytes: boolean },
): void {
  const binary = isBinary(bytes);
  const image = binary || !exact ? imageKind(bytes, binary) : undefined;
  const encoding = encodingOf(bytes);
  if (!binary && image === undefined && encoding === undefined) return;
  const [found, use] =
    image !== undefined
      ? [`an image (${image})`, "Use a tool that looks at images"]
      : encoding !== undefined
        ? [`text in ${encoding}`, "Have it converted to UTF-8"]
        : ["binary content", "Use a tool for files of its kind"];
  throw new ToolError("BINARY_FILE", `expected text in UTF-8, found ${found} in ${oneLine(shown)}`, {
    pointer: hasBytes ? "/encoding" : "/path",
    hint: hasBytes ? `${use}; ${BYTES}, if they are of use.` : `${use}.`,
  });
}

/** Where the first line that is asked for begins, where it and those behind it end, and how many the file has. */
function scan(
  bytes: Uint8Array,
  offset: number,
  last: number,
): { readonly begin: number; readonly ends: readonly number[]; readonly total: number } {
  // Lines that cannot be shown any more are only counted.
  const ends: number[] = [];
  let begin = offset === 1 ? 0 : -1;
  let line = 1;
  let at = bytes.indexOf(LINE_FEED);
  for (; at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (line >= offset && line <= last && (ends.at(-1) ?? begin) - begin <= MAX_BYTES) ends.push(at);
    line++;
    if (line === offset) begin = at + 1;
  }
  const open = bytes.at(-1) !== LINE_FEED;
  if (open && line >= offset && line <= last && (ends.at(-1) ?? begin) - begin <= MAX_BYTES) ends.push(bytes.length);
  return { begin, ends, total: open ? line : line - 1 };
}

function rowsOf(
  bytes: Uint8Array,
  { begin, ends, offset, exact }: { begin: number; ends: readonly number[]; offset: number; exact: boolean },
): { readonly rows: readonly string[]; readonly size: { readonly cutLine?: number } } {
  const decoder = new TextDecoder();
  const rows: string[] = [];
  let room = MAX_BYTES;
  let start = begin;
  for (const [index, end] of ends.entries()) {
    // Numbers would promise an exactness that is gone: the lines are what could be decoded.
    const number = exact ? `${offset + index}: ` : "";
    room -= number.length + end - start + 1;
    if (room < 0 && index > 0) break;
    if (room < 0)
      return { rows: [`${number}${decoder.decode(wholeCharacters(bytes, start))}…`], size: { cutLine: end - start } };
    rows.push(number + decoder.decode(bytes.subarray(start, bytes[end - 1] === 13 ? end - 1 : end)));
    start = end + 1;
  }
  return { rows, size: {} };
}

/** As many bytes as can be shown of a line, and no part of a character. */
function wholeCharacters(bytes: Uint8Array, start: number): Uint8Array {
  let end = start + MAX_BYTES - 1024;
  while (end > start && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(start, end);
}

function footer({ from, to, total, cut }: { from: number; to: number; total: number; cut: boolean }): string {
  const size = `${total} line${total === 1 ? "" : "s"}`;
  if (from === 0) return `[No lines in this range: the file has ${size}.]`;
  if (cut) return `[Lines ${from} to ${to} of ${total}; go on with line ${to + 1}.]`;
  if (from === 1 && to === total) return `[${size}, all of the file.]`;
  return `[Lines ${from} to ${to} of ${total}.]`;
}
