import { isUtf8 } from "node:buffer";
import { ToolError } from "toolroom";
import { oneLine } from "./one-line.ts";

/** Where a NUL byte is looked for: text has none. */
const BINARY_PROBE_BYTES = 8192;
const MARK = "\ufeff";

/** A text file taken apart so that it can be put together again byte for byte. */
export interface TextFile {
  /** A byte-order mark, or nothing. */
  readonly mark: string;
  /** The rest, line ends as they are. */
  readonly text: string;
}

/**
 * @param shown the path as messages name it
 * @throws ToolError BINARY_FILE for what is no UTF-8 text
 */
export function readTextFile(bytes: Uint8Array, shown: string): TextFile {
  const file = textFileOf(bytes);
  if (file) return file;
  const encoding = encodingOf(bytes);
  const other = isBinary(bytes) ? "binary content" : "bytes that are not UTF-8";
  const found = encoding === undefined ? other : `text in ${encoding}`;
  throw new ToolError("BINARY_FILE", `expected text in UTF-8, found ${found} in ${oneLine(shown)}`, {
    pointer: "/path",
    hint: `It was left as it is. ${encoding === undefined ? "Only text can be changed in parts" : "Have it converted to UTF-8 first"}.`,
  });
}

/** Undefined for what is no UTF-8 text. */
export function textFileOf(bytes: Uint8Array): TextFile | undefined {
  if (isBinary(bytes) || !isUtf8(bytes)) return undefined;
  const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return whole.startsWith(MARK) ? { mark: MARK, text: whole.slice(1) } : { mark: "", text: whole };
}

/** Whether the first 8 KiB hold a NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

/** The encoding of bytes that begin with the byte-order mark of one that is not UTF-8. */
export function encodingOf(bytes: Uint8Array): "UTF-16" | "UTF-32" | undefined {
  const [first, second, third, fourth] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  if (isLittle && third === 0 && fourth === 0) return "UTF-32";
  return isLittle || (first === 0xfe && second === 0xff) ? "UTF-16" : undefined;
}

/** Which line ends a text has. */
export function lineEndsOf(text: string): "LF" | "CRLF" | "mixed" | "none" {
  const feeds = count(text, "\n");
  if (feeds === 0) return "none";
  const returns = count(text, "\r\n");
  if (returns === 0) return "LF";
  return returns === feeds ? "CRLF" : "mixed";
}

/** A line is what a line feed ends, and an unterminated last one. */
export function linesIn(text: string): number {
  return count(text, "\n") + (text === "" || text.endsWith("\n") ? 0 : 1);
}

export function many(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function count(text: string, what: string): number {
  let found = 0;
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + what.length)) found++;
  return found;
}
