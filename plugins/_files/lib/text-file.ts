import { isUtf8 } from "node:buffer";
import { ToolError } from "toolroom";

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
  const found = isBinary(bytes) ? "binary content" : "bytes that are not UTF-8";
  throw new ToolError("BINARY_FILE", `expected UTF-8 text, found ${found} in ${shown}`, {
    pointer: "/path",
    hint: "It was left as it is. Only text can be changed in parts.",
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
