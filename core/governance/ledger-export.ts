import { readFile } from "node:fs/promises";
import { diagnostic, hostError } from "../diagnostics.ts";
import type { HostError } from "../sdk/errors.ts";
import type { Json } from "../sdk/json.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type LedgerKey, signatureCheck } from "./ledger-key.ts";
import { readLine } from "./ledger-lines.ts";
import { linesOf } from "./ledger-reader.ts";
import type { LedgerProblem, LedgerReport } from "./ledger-report.ts";
import { verifyLedger } from "./ledger-verify.ts";

const FORMAT = "toolroom-ledger";

/** Lines of a ledger with all that is needed to check them elsewhere. It ends with a seal, which signs what is before. */
export interface LedgerExport {
  readonly format: typeof FORMAT;
  readonly v: 1;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The number of the first line. */
  readonly from: number;
  /** The public keys, SPKI in base64, that the lines are signed with. */
  readonly keys: readonly string[];
  /** As they stand in the ledger, to the byte. */
  readonly lines: readonly string[];
  /** The signature of the canonical JSON of all of this, so that nothing can be left out at its end. */
  readonly sig: string;
}

/**
 * The sealed lines of a ledger; with an id those from that entry to the next seal.
 * @returns undefined where no line is sealed, or no sealed one has the id
 * @throws the error of the file system
 */
export async function exportLedger(
  file: string,
  { key, id, now = new Date() }: { readonly key: LedgerKey; readonly id?: string | undefined; readonly now?: Date },
): Promise<LedgerExport | undefined> {
  const keys = new Set<string>();
  let lines: string[] = [];
  let sealed = 0;
  let from = id === undefined ? 1 : 0;
  for await (const { bytes } of linesOf(file)) {
    const text = bytes.toString("utf8");
    const read = readLine(text);
    const line = "line" in read ? read.line : undefined;
    if (line?.kind === "key") keys.add(line.public);
    if (from === 0 && line?.kind === "call" && line.id === id) from = line.n;
    if (from === 0) continue;
    lines.push(text);
    if (line?.kind === "seal") sealed = lines.length;
    if (id !== undefined && sealed > 0) break;
  }
  lines = lines.slice(0, sealed);
  if (sealed === 0) return undefined;
  keys.add(key.publicKey);
  const body = { format: FORMAT, v: 1, time: now.toISOString(), from, keys: [...keys], lines } as const;
  return { ...body, sig: key.sign(canonicalJson(body)) };
}

/**
 * Checks a file that somebody else made: an export, or a ledger as it is.
 * @param options.shown how messages name the file; `only`: see {@link verifyLedger}
 * @throws HostError LEDGER_UNREADABLE
 */
export async function verifyFile(
  file: string,
  { shown, only }: { readonly shown: string; readonly only?: string | undefined },
): Promise<LedgerReport> {
  const beginning = await firstBytes(file, shown);
  if (!beginning.includes(`"format":"${FORMAT}"`)) return await verifyLedger(linesOf(file), { only });
  const exported = readExport(await readFile(file, "utf8"), shown);
  const { sig, ...body } = exported;
  const { from, keys, lines } = exported;
  const report = await verifyLedger(bytesOf(lines), { from, keys, only });
  const text = canonicalJson(body as unknown as Json);
  const isSigned = keys.some((key) => {
    const known = signatureCheck(key);
    return known?.check(text, sig) && (only === undefined || only === known.id || only === key);
  });
  if (isSigned) return report;
  const whose = only === undefined ? "one of its keys" : `the key ${only}`;
  const message = `the export as a whole is not signed with ${whose}: it was changed, lines were left out, or somebody else made it`;
  const problem: LedgerProblem = { line: lines.length, what: "cut", message };
  return { ...report, ok: false, problems: [...report.problems, problem] };
}

async function firstBytes(file: string, shown: string): Promise<string> {
  try {
    for await (const { bytes } of linesOf(file)) return bytes.toString("utf8");
  } catch (error) {
    throw unreadable(shown, (error as NodeJS.ErrnoException).code ?? String(error));
  }
  throw unreadable(shown, "an empty file");
}

function readExport(text: string, shown: string): LedgerExport {
  let value: Partial<Record<keyof LedgerExport, unknown>>;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(shown, `text that is no JSON (${(error as Error).message})`);
  }
  const { keys, lines, from, sig } = value;
  const areTexts = [keys, lines].every((list) => Array.isArray(list) && list.every((item) => typeof item === "string"));
  if (!areTexts || !Number.isSafeInteger(from) || typeof sig !== "string") throw unreadable(shown, "other fields");
  return value as LedgerExport;
}

async function* bytesOf(lines: readonly string[]): AsyncGenerator<{ bytes: Buffer; whole: boolean }> {
  for (const line of lines) yield { bytes: Buffer.from(line), whole: true };
}

function unreadable(file: string, found: string): HostError {
  const message = `expected a ledger, or an export of one, found ${found}`;
  return hostError(diagnostic("LEDGER_UNREADABLE", { file, message, hint: "receipts export writes one." }));
}
