import { createHash } from "node:crypto";
import { type LedgerKey, type SignatureCheck, signatureCheck } from "./ledger-key.ts";
import { isSigned, type LedgerLine, NO_LINE, readLine, witnessedText } from "./ledger-lines.ts";
import type { LedgerProblem, LedgerReport } from "./ledger-report.ts";

/** What a ledger is compared with. */
export interface VerifyOptions {
  /** The text of the last seal, noted beside the ledger; null where nothing is, absent where nothing has to be. */
  readonly head?: string | null;
  /** The key of this host, which tells whose the lines are that are not signed yet. */
  readonly key?: LedgerKey | undefined;
  /** Of a part of a ledger: the number of its first line, and the keys that were introduced before. */
  readonly from?: number;
  readonly keys?: readonly string[];
  /** The one key whose lines count: its id, or its public half. Absent: each that is introduced. */
  readonly only?: string | undefined;
}

/** So many problems are told. */
const MAX_PROBLEMS = 100;

/**
 * Checks the lines of a ledger: each for itself, their order, the chain, and the signatures.
 * @param lines without their ends; `whole` is false for a last one whose end is missing
 */
export async function verifyLedger(
  lines: AsyncIterable<{ readonly bytes: Buffer; readonly whole: boolean }>,
  options: VerifyOptions = {},
): Promise<LedgerReport> {
  const found = begin(options);
  for (const publicKey of options.keys ?? []) introduce(found, publicKey, options);
  for await (const { bytes, whole } of lines) {
    found.place++;
    if (!whole) {
      fault(found, "torn", "expected a line end, found the end of the file");
      break;
    }
    look(found, bytes, options);
  }
  return end(found, options);
}

/** What is known at a line. */
interface Found {
  readonly problems: LedgerProblem[];
  readonly notes: { line: number; message: string }[];
  readonly checks: Map<string, SignatureCheck>;
  readonly keys: { id: string; line: number }[];
  /** Keys that are not the one that counts, and are told already. */
  readonly strangers: Map<string, "new" | "told">;
  readonly ids: Set<string>;
  /** Numbers of lines that were not there where they should have been. */
  readonly gone: Set<number>;
  unsealed: { readonly place: number; readonly key: string }[];
  /** In the file, from 1. */
  place: number;
  /** The number of the next line. */
  expected: number;
  /** The line before could not be read, so whether it took a number is not known. */
  isGuess: boolean;
  /** The last line that stands where it was written. */
  last: { readonly hash: string; readonly isSound: boolean };
  calls: number;
  receipts: number;
  seals: number;
  isHeadThere: boolean;
}

function begin({ from = 1, head }: VerifyOptions): Found {
  return {
    problems: [],
    notes: [],
    checks: new Map(),
    keys: [],
    strangers: new Map(),
    ids: new Set(),
    gone: new Set(),
    unsealed: [],
    place: 0,
    expected: from,
    isGuess: false,
    last: { hash: NO_LINE, isSound: from === 1 },
    calls: 0,
    receipts: 0,
    seals: 0,
    isHeadThere: head === undefined || head === null,
  };
}

function fault(found: Found, what: LedgerProblem["what"], message: string, line: number = found.place): void {
  if (found.problems.length < MAX_PROBLEMS) found.problems.push({ line, what, message });
}

/** @returns the id of the key; undefined where it is none */
function introduce(found: Found, publicKey: string, { only }: VerifyOptions): string | undefined {
  const key = signatureCheck(publicKey);
  if (!key) return undefined;
  if (only !== undefined && only !== key.id && only !== publicKey) found.strangers.set(key.id, "new");
  found.checks.set(key.id, key.check);
  found.keys.push({ id: key.id, line: found.place });
  return key.id;
}

function look(found: Found, bytes: Buffer, options: VerifyOptions): void {
  const text = bytes.toString("utf8");
  const read = readLine(text);
  // Of the bytes: what is no UTF-8 is one and the same character in a text.
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (!("line" in read)) {
    fault(found, "changed", read.fault);
    found.expected++;
    found.isGuess = true;
    found.last = { hash, isSound: false };
    return;
  }
  const isSound = checkLine(found, { line: read.line, text }, options);
  if (!checkPlace(found, read.line)) return;
  if (isSound) take(found, read.line, text === options.head);
  found.last = { hash, isSound };
}

/** @returns whether the line is, for itself, what somebody with its key wrote */
function checkLine(
  found: Found,
  { line, text }: { readonly line: LedgerLine; readonly text: string },
  options: VerifyOptions,
): boolean {
  const { key: own, only } = options;
  if (line.kind === "key" && introduce(found, line.public, options) !== line.key) {
    fault(found, "changed", "expected a key and its id, found others");
    return false;
  }
  const check = found.checks.get(line.key);
  if (!check) {
    fault(found, "unsigned", `its key ${line.key} was not introduced by a line before`);
    return false;
  }
  if (found.strangers.get(line.key) === "new") {
    fault(found, "unsigned", `from here on the key ${line.key} signs, and only ${only} counts`);
    found.strangers.set(line.key, "told");
  }
  const witnessed = witnessedText(text);
  if (isSigned(line) && !check(witnessed, line.witness)) {
    fault(found, "changed", `its signature is not that of key ${line.key}`);
    return false;
  }
  if (!isSigned(line) && own?.id === line.key && own.seal(witnessed) !== line.witness) {
    fault(found, "changed", `no host with the key ${line.key} wrote it so`);
    return false;
  }
  return true;
}

/** @returns whether the line stands where it was written */
function checkPlace(found: Found, { n, prev }: LedgerLine): boolean {
  const { place, gone, last } = found;
  if (found.isGuess && n === found.expected - 1) found.expected = n;
  found.isGuess = false;
  if (n < found.expected) {
    fault(found, "order", gone.delete(n) ? `it was written as line ${n}` : `it is a second line of the number ${n}`);
    return false;
  }
  for (let missing = found.expected; missing < n && gone.size < MAX_PROBLEMS; missing++) gone.add(missing);
  if (n === found.expected && last.isSound && prev !== last.hash) {
    const message = place === 1 ? "a line was written before it" : `line ${place} was written behind another one`;
    fault(found, "changed", message, Math.max(1, place - 1));
  }
  found.expected = n + 1;
  return true;
}

/** Takes in what a sound line in its place says. */
function take(found: Found, line: LedgerLine, isHead: boolean): void {
  const { place, ids, notes } = found;
  if (line.kind === "seal") {
    found.seals++;
    found.unsealed = found.unsealed.filter(({ key }) => key !== line.key);
    found.isHeadThere ||= isHead;
    return;
  }
  found.unsealed.push({ place, key: line.key });
  if (line.kind === "call") {
    found.calls++;
    if (line.outcome === "success") found.receipts++;
    if (ids.has(line.id)) fault(found, "order", `the id ${line.id} is that of an earlier line`);
    ids.add(line.id);
  } else if (line.kind === "note") {
    if (line.note === "torn") notes.push({ line: place, message: line.message });
    else fault(found, line.note, `when it was written: ${line.message}`);
  } else if (line.reason === "lost") {
    notes.push({ line: place, message: `the key before could not be read any more; ${line.key} signs from here on` });
  }
}

function end(found: Found, { head, key: own }: VerifyOptions): LedgerReport {
  const { place, problems, notes, gone, unsealed, seals, isHeadThere, calls, receipts, keys } = found;
  for (const n of gone) fault(found, "missing", `line ${n} is missing`, n);
  for (const { place: at, key } of unsealed)
    if (key !== own?.id) fault(found, "unsigned", "no signature covers it", at);
  const last = keys.at(-1);
  if (own && last && last.id !== own.id)
    fault(found, "unsigned", `the key ${last.id} signs, which is not that of this root: ${own.id}`, last.line);
  if (head === null && seals > 0) fault(found, "head", "what was noted of the last seal is gone");
  if (!isHeadThere)
    fault(found, "cut", "expected the seal that was noted as the last one, found an end without it", place + 1);
  return {
    ok: problems.length === 0,
    lines: place,
    calls,
    receipts,
    unsigned: unsealed.length,
    keys,
    problems: problems.sort((a, b) => a.line - b.line),
    notes,
  };
}
