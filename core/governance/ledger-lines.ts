import { hash } from "node:crypto";
import type { Json } from "../sdk/json.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { LedgerKey } from "./ledger-key.ts";
import { isReceiptId } from "./receipt-id.ts";

/** The version that every line carries as `v`. */
const LEDGER_VERSION = 1;

/** What stands for the line before the first one. */
export const NO_LINE = "0".repeat(64);

/**
 * How a call ended. `denied`: a person, the lack of one, or an extension refused it; `blocked`: policy or a limit did;
 * `replaced`: a person's text stands in place of a result; `interrupted`: it was stopped, or somebody spoke; `unknown`: no
 * tool has the name; `skipped`: an earlier call of the reply ended the turn.
 */
export const LEDGER_OUTCOMES = [
  "success",
  "partial",
  "error",
  "denied",
  "blocked",
  "replaced",
  "interrupted",
  "unknown",
  "skipped",
] as const;
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number];

/** What is entered of a call. Nothing in it is a secret: texts are masked, digests are of masked texts. */
export interface LedgerEntry {
  readonly turn: string;
  /** The request's id. */
  readonly call: string;
  /** The tool's id; of a call that no tool answers for, the name that was asked for. */
  readonly tool: string;
  readonly owner: string;
  readonly face: string;
  /** The subordinate that asked; null for the agent that a person talks to, and for calls without one. */
  readonly agent: string | null;
  /** SHA-256, in hex, of the canonical JSON of the arguments, with placeholders in place of secrets. */
  readonly args: string;
  /** SHA-256, in hex, of the text that the model is given, without the line that names the receipt. */
  readonly result: string;
  readonly outcome: LedgerOutcome;
  /** The code of an error; null where there is none. */
  readonly code: string | null;
  /** What policy said: `run`, `ask` or `block`; null where it was not asked. */
  readonly decision: string | null;
  /** Who was asked and answered; null where nobody was. */
  readonly approver: string | null;
  readonly generation: number;
}

/** What every line has. */
interface Chained {
  readonly v: typeof LEDGER_VERSION;
  /** The number of the line, from 1. */
  readonly n: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The host that wrote it: random, drawn when it started. */
  readonly run: string;
  /** The id of its key. */
  readonly key: string;
  /** SHA-256, in hex, of the line before; of the first one 64 zeros. */
  readonly prev: string;
  /**
   * What stands for the rest of the line, in base64url: of a key and of a seal the signature ({@link LedgerKey.sign}), of
   * the others a code ({@link LedgerKey.seal}). Its name is the last one in the order of a canonical line.
   */
  readonly witness: string;
}

/** A call. `id` is its receipt where `outcome` is `success`. */
export interface CallLine extends Chained, LedgerEntry {
  readonly kind: "call";
  readonly id: string;
}

/** A key begins to serve. `lost`: the one before it could not be read any more. Signed with the key itself. */
export interface KeyLine extends Chained {
  readonly kind: "key";
  readonly public: string;
  readonly reason: "first" | "lost";
}

/** The signature of all lines before it that name its key: what they say, their order, and that none is missing. */
export interface SealLine extends Chained {
  readonly kind: "seal";
}

/**
 * What the writer found at the end of the file. `torn`: the last line was not whole, as a process leaves it that is
 * killed; it was taken out. `missing`: lines that had been sealed are gone. `forged`: a line that no seal covers yet was
 * not written by a host with the key.
 */
export interface NoteLine extends Chained {
  readonly kind: "note";
  readonly note: "torn" | "missing" | "forged";
  readonly message: string;
}

/** One line of a ledger. */
export type LedgerLine = CallLine | KeyLine | SealLine | NoteLine;

/** What of a line its author gives; the rest is made where it is written. */
export type LedgerContent =
  | ({ readonly kind: "call"; readonly id: string } & LedgerEntry)
  | Pick<KeyLine, "kind" | "public" | "reason">
  | Pick<SealLine, "kind">
  | Pick<NoteLine, "kind" | "note" | "message">;

/** Where a line stands. */
export type LinePlace = Pick<Chained, "n" | "time" | "run" | "prev">;

const WITNESS = ',"witness":"';

/** Writes a line: its canonical text, with its witness, without a line end. */
export function writeLine(content: LedgerContent, { n, time, run, prev }: LinePlace, key: LedgerKey): string {
  const body = { ...content, v: LEDGER_VERSION, n, time, run, prev, key: key.id };
  const text = canonicalJson(body as { readonly [name: string]: Json });
  const witness = isSigned(content) ? key.sign(text) : key.seal(text);
  return `${text.slice(0, -1)}${WITNESS}${witness}"}`;
}

/** Whether the witness of a line is a signature. */
export function isSigned({ kind }: Pick<LedgerLine, "kind">): boolean {
  return kind === "key" || kind === "seal";
}

/** The text that the witness of a line stands for. @param line in its canonical form */
export function witnessedText(line: string): string {
  return `${line.slice(0, line.lastIndexOf(WITNESS))}}`;
}

/** SHA-256 of a text, in hex. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

type Check = (value: unknown) => boolean;
const TEXT: Check = (value) => typeof value === "string";
const HEX: Check = (value) => typeof value === "string" && /^[0-9a-f]{64}$/u.test(value);
const COUNT: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const maybe =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const CHAINED = {
  v: oneOf(LEDGER_VERSION),
  kind: TEXT,
  n: COUNT,
  time: TEXT,
  run: TEXT,
  key: TEXT,
  prev: HEX,
  witness: TEXT,
};

/** What each kind of line must have; there is nothing else in it. */
const FIELDS: Readonly<Record<LedgerLine["kind"], Readonly<Record<string, Check>>>> = {
  call: {
    ...CHAINED,
    id: (value) => typeof value === "string" && isReceiptId(value),
    turn: TEXT,
    call: TEXT,
    tool: TEXT,
    owner: TEXT,
    face: TEXT,
    agent: maybe(TEXT),
    args: HEX,
    result: HEX,
    outcome: oneOf(...LEDGER_OUTCOMES),
    code: maybe(TEXT),
    decision: maybe(TEXT),
    approver: maybe(TEXT),
    generation: COUNT,
  },
  key: { ...CHAINED, public: TEXT, reason: oneOf("first", "lost") },
  seal: { ...CHAINED },
  note: { ...CHAINED, note: oneOf("torn", "missing", "forged"), message: TEXT },
};

/** Reads a line. It counts only in its canonical form, so that no byte of it can change unseen. */
export function readLine(text: string): { readonly line: LedgerLine } | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: "it is not an object" };
    if (canonicalJson(value as Json) !== text) return { fault: "it is not in the form in which lines are written" };
  } catch (error) {
    return { fault: `it is not JSON (${(error as Error).message})` };
  }
  const { kind } = value as { kind?: unknown };
  if (typeof kind !== "string" || !Object.hasOwn(FIELDS, kind)) return { fault: "it is no kind of line" };
  const fields = FIELDS[kind as LedgerLine["kind"]];
  const wrong = [...new Set([...Object.keys(fields), ...Object.keys(value)])].find(
    (name) => !fields[name]?.((value as Record<string, unknown>)[name]),
  );
  return wrong === undefined ? { line: value as LedgerLine } : { fault: `its ${wrong} is not what a ledger has there` };
}
