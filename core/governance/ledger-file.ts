import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { type LedgerKey, makeLedgerKey, readLedgerKey } from "./ledger-key.ts";
import {
  isSigned,
  type LedgerContent,
  type LedgerLine,
  type NoteLine,
  readLine,
  sha256,
  witnessedText,
  writeLine,
} from "./ledger-lines.ts";
import type { LedgerPlaces } from "./ledger-places.ts";
import { type LedgerTail, readTail } from "./ledger-tail.ts";

/** What a writer finds wrong at the end of a ledger, and writes into it: see {@link NoteLine}. */
interface LedgerNote {
  readonly what: NoteLine["note"];
  readonly message: string;
}

/** `lost`: the key that served before is gone. */
export type LedgerFinding = LedgerNote | { readonly what: "lost"; readonly message: string };

const LOST = "the one before it cannot be read any more";

/** A ledger in the hands of one process, which alone may write to it meanwhile. */
export interface LedgerFile {
  /** Writes a line, at once and whole. @throws the error of the file system */
  append(content: LedgerContent): void;
  /** Signs what is not signed yet, and notes the head. @throws the error of the file system */
  seal(): void;
  /** Lines without a seal. */
  readonly unsealed: number;
  /** What whoever opens it next may go on from, as long as the file is as it was left. */
  close(): LedgerMark;
}

/** How a writer left the file. */
export interface LedgerMark {
  readonly key: LedgerKey;
  readonly ino: number;
  readonly bytes: number;
  readonly n: number;
  readonly hash: string;
}

/** What {@link openLedgerFile} takes. */
export interface LedgerFileOptions {
  readonly places: LedgerPlaces;
  /** The host: see {@link LedgerLine}. */
  readonly run: string;
  /** How it was left by this host. */
  readonly mark?: LedgerMark | undefined;
  now(): Date;
  /** Is told what was wrong. */
  found(finding: LedgerFinding): void;
}

/**
 * Opens the ledger for writing; the lock is the caller's. What others left at its end is looked at: a line that is not
 * whole is taken out, lines without a seal are taken over, and what is not as it should be is written down, so that it
 * stays known.
 *
 * @throws the error of the file system
 */
export function openLedgerFile({ places, run, mark, now, found }: LedgerFileOptions): LedgerFile {
  const descriptor = openSync(places.file, "a+", 0o600);
  try {
    const { ino, size } = fstatSync(descriptor);
    const isSame = mark !== undefined && mark.ino === ino && mark.bytes === size;
    const tail = isSame ? undefined : readTail(descriptor);
    const known = isSame ? mark.key : readLedgerKey(places.key);
    const key = known ?? makeLedgerKey(places.key);
    let { bytes, n, hash } = (tail ?? mark) as Pick<LedgerMark, "bytes" | "n" | "hash">;
    let unsealed = tail?.unsealed.length ?? 0;

    const append = (content: LedgerContent): void => {
      const text = writeLine(content, { n: n + 1, time: now().toISOString(), run, prev: hash }, key);
      const line = Buffer.from(`${text}\n`);
      writeWhole(descriptor, line, bytes);
      bytes += line.length;
      n += 1;
      hash = sha256(text);
      unsealed = content.kind === "seal" ? 0 : unsealed + 1;
      if (content.kind === "seal") writeHead(places.head, text);
    };
    if (tail) {
      if (tail.torn > 0) ftruncateSync(descriptor, tail.bytes);
      const faults = [...faultsOf(tail, { places, key, isNew: known === undefined })];
      if (introduces(tail, places.file, key)) {
        append({ kind: "key", public: key.publicKey, reason: tail.n === 0 ? "first" : "lost" });
        if (tail.n > 0) found({ what: "lost", message: `from line ${n} on the key ${key.id} signs: ${LOST}` });
      }
      for (const fault of faults) {
        append({ kind: "note", note: fault.what, message: fault.message });
        found(fault);
      }
    }
    return {
      append,
      seal: () => {
        if (unsealed > 0) append({ kind: "seal" });
      },
      get unsealed() {
        return unsealed;
      },
      close() {
        closeSync(descriptor);
        return { key, ino, bytes, n, hash };
      },
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** The last seal as it was noted beside the ledger; undefined where none is, or what is there is none. */
function readHead(file: string): LedgerLine | undefined {
  try {
    const read = readLine(readFileSync(file, "utf8"));
    return "line" in read ? read.line : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function writeHead(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}

/** Whether the ledger does not know the key yet. */
function introduces({ n, last }: LedgerTail, file: string, key: LedgerKey): boolean {
  if (n === 0) return true;
  return last?.key !== key.id && !readFileSync(file, "utf8").includes(`"public":"${key.publicKey}"`);
}

/** What is wrong at the end of a ledger. @param writer `isNew`: there was no key any more */
function* faultsOf(
  { torn, n, last, seal, unsealed }: LedgerTail,
  { places, key, isNew }: { readonly places: LedgerPlaces; readonly key: LedgerKey; readonly isNew: boolean },
): Generator<LedgerNote> {
  const head = readHead(places.head);
  if (torn > 0) {
    const message = `expected a line end behind line ${n}, found ${torn} bytes of a line that was cut short; they were taken out`;
    yield { what: "torn", message };
  }
  if (head && head.n > (seal?.n ?? 0)) {
    yield {
      what: "missing",
      message: `expected line ${head.n}, which was sealed, found a ledger that ends at line ${n}`,
    };
  }
  // Whoever was killed right behind the first seal has noted none.
  if (seal && !head && sealsIn(places.file) > 1) {
    yield { what: "missing", message: `expected a note of the last seal, found none; the ledger ends at line ${n}` };
  }
  if (last && last.key !== key.id && !isNew) {
    const message = `expected lines of the key ${key.id}, which was not lost, found line ${n} of ${last.key}`;
    yield { what: "forged", message };
  }
  // Who is not the author of the lines may still have made their chain: that takes no key.
  for (const { line, text } of unsealed) {
    if (line.key !== key.id || isSigned(line) || line.witness === key.seal(witnessedText(text))) continue;
    yield {
      what: "forged",
      message: `expected a line that a host with the key wrote, found another one: line ${line.n}`,
    };
  }
}

function sealsIn(file: string): number {
  return readFileSync(file, "utf8").split('"kind":"seal"').length - 1;
}

/** All of it or nothing: half a line would spoil the next one. */
function writeWhole(descriptor: number, bytes: Buffer, end: number): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  } catch (error) {
    try {
      ftruncateSync(descriptor, end);
    } catch {
      // Whoever opens it next takes out what is left of the line.
    }
    throw error;
  }
}
