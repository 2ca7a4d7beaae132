import { fstatSync, readSync } from "node:fs";
import { type LedgerLine, NO_LINE, readLine, sha256 } from "./ledger-lines.ts";

/** Seals are a few dozen lines apart. */
const CHUNK_BYTES = 64 * 1024;

/** The end of a ledger: what a writer goes on from. */
export interface LedgerTail {
  /** Of the whole lines. */
  readonly bytes: number;
  /** Of the line behind them that is not whole; 0 where there is none. */
  readonly torn: number;
  /** The number of the last line, 0 in an empty ledger, and its hash. */
  readonly n: number;
  readonly hash: string;
  /** The last line; absent in an empty ledger, and where it is none. */
  readonly last?: LedgerLine;
  /** Lines behind the last seal, oldest first. */
  readonly unsealed: readonly { readonly line: LedgerLine; readonly text: string }[];
  /** The number of the last seal, and its text; absent where there is none. */
  readonly seal?: { readonly n: number; readonly text: string };
}

/**
 * Reads the end of an open ledger, from the last seal on. What is no line there counts for the chain like any other: the
 * verification names it, and the writer goes on behind it.
 */
export function readTail(descriptor: number): LedgerTail {
  const { size } = fstatSync(descriptor);
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const from = Math.max(0, size - length);
    const bytes = readAt(descriptor, from, size - from);
    const tail = tailOf(bytes, { from, size, count: () => newlines(descriptor, size) });
    if (tail.seal || from === 0) return tail;
  }
}

function tailOf(
  bytes: Buffer,
  { from, size, count }: { readonly from: number; readonly size: number; count(): number },
): LedgerTail {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const begin = from === 0 ? 0 : bytes.indexOf(0x0a) + 1;
  const texts = begin >= end ? [] : bytes.toString("utf8", begin, end - 1).split("\n");
  const unsealed: { line: LedgerLine; text: string }[] = [];
  let seal: LedgerTail["seal"];
  for (const text of texts.toReversed()) {
    const read = readLine(text);
    if (!("line" in read)) continue;
    if (read.line.kind === "seal") {
      seal = { n: read.line.n, text };
      break;
    }
    unsealed.unshift({ line: read.line, text });
  }
  const last = texts.at(-1);
  const read = last === undefined ? undefined : readLine(last);
  const known = read && "line" in read ? { last: read.line } : {};
  const n = read === undefined ? 0 : (known.last?.n ?? count());
  const hash = last === undefined ? NO_LINE : sha256(last);
  return { bytes: from + end, torn: size - from - end, n, hash, unsealed, ...known, ...(seal ? { seal } : {}) };
}

/** The number of whole lines, counted: the last one does not say which it is. */
function newlines(descriptor: number, size: number): number {
  let count = 0;
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    for (const byte of readAt(descriptor, at, Math.min(CHUNK_BYTES, size - at))) if (byte === 0x0a) count++;
  }
  return count;
}

function readAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const read = readSync(descriptor, bytes, got, length - got, from + got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}
