import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type CallLine, type LedgerLine, type LedgerOutcome, readLine } from "./ledger-lines.ts";

/** A file is looked through backwards in pieces of this size: what is asked for was mostly written last. */
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Which calls are asked for; all of what is given must fit. */
export interface LedgerFilter {
  /** A tool's id. */
  readonly tool?: string;
  readonly outcome?: LedgerOutcome;
  readonly turn?: string;
  readonly run?: string;
  /** ISO 8601: not before this. */
  readonly since?: string;
  /** Only calls that have a receipt. */
  readonly receipts?: boolean;
}

/**
 * The lines of a file as bytes, without their ends, the last one also where its end is missing; `whole` is false then.
 * @throws the error of the file system
 */
export async function* linesOf(file: string): AsyncGenerator<{ readonly bytes: Buffer; readonly whole: boolean }> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield { bytes: Buffer.concat([...rest, chunk.subarray(from, at)]), whole: true };
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), whole: false };
}

/**
 * The last calls of a ledger that fit, newest first. What is no line is passed over: the verification names it.
 * @throws the error of the file system, but for a ledger that is not there
 */
export async function lastCalls(file: string, filter: LedgerFilter, limit: number): Promise<readonly CallLine[]> {
  const found: CallLine[] = [];
  for await (const text of linesFromEnd(file)) {
    const line = callIn(text);
    if (line && fits(line, filter)) found.push(line);
    if (found.length >= limit) break;
  }
  return found;
}

/** The calls with these ids, by id. @throws as {@link lastCalls} */
export async function callsWith(file: string, ids: Iterable<string>): Promise<ReadonlyMap<string, CallLine>> {
  const wanted = new Set(ids);
  const found = new Map<string, CallLine>();
  for await (const text of linesFromEnd(file)) {
    if (found.size === wanted.size) break;
    const id = /"id":"([^"]*)"/u.exec(text)?.[1] ?? "";
    const line = wanted.has(id) ? callIn(text) : undefined;
    if (line && wanted.has(line.id)) found.set(line.id, line);
  }
  return found;
}

function callIn(text: string): CallLine | undefined {
  const read = readLine(text);
  return "line" in read && isCall(read.line) ? read.line : undefined;
}

function isCall(line: LedgerLine): line is CallLine {
  return line.kind === "call";
}

function fits(line: CallLine, { tool, outcome, turn, run, since, receipts }: LedgerFilter): boolean {
  return (
    (tool === undefined || line.tool === tool) &&
    (outcome === undefined || line.outcome === outcome) &&
    (turn === undefined || line.turn === turn) &&
    (run === undefined || line.run === run) &&
    (since === undefined || line.time >= since) &&
    (!receipts || line.outcome === "success")
  );
}

/** The whole lines of a file, last first. */
async function* linesFromEnd(file: string): AsyncGenerator<string> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!handle) return;
  try {
    let rest = "";
    // What is behind the last line end is no line.
    let isBehind = true;
    for (let end = (await handle.stat()).size; end > 0; ) {
      const from = Math.max(0, end - CHUNK_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - from), 0, end - from, from);
      // One unit a byte: a character may lie across two pieces.
      const pieces = (buffer.toString("latin1", 0, bytesRead) + rest).split("\n");
      if (isBehind && pieces.length > 1) isBehind = pieces.pop() === undefined;
      rest = pieces.shift() ?? "";
      for (const piece of pieces.reverse()) yield textOf(piece);
      end = from;
    }
    if (!isBehind) yield textOf(rest);
  } finally {
    await handle.close();
  }
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
