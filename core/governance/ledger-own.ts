import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { readLedgerKey } from "./ledger-key.ts";
import type { LedgerPlaces } from "./ledger-places.ts";
import { linesOf } from "./ledger-reader.ts";
import type { LedgerReport } from "./ledger-report.ts";
import { verifyLedger } from "./ledger-verify.ts";

/**
 * Checks the ledger of a root against its head and its key. Where there never was one, nothing is wrong.
 * @param only see {@link verifyLedger}
 * @throws the error of the file system
 */
export async function verifyOwnLedger(places: LedgerPlaces, only?: string): Promise<LedgerReport> {
  // First the head: what is written meanwhile is then only more than it tells.
  const head = (await textOf(places.head)) ?? null;
  const key = readLedgerKey(places.key);
  const isThere = existsSync(places.file);
  const report = await verifyLedger(isThere ? linesOf(places.file) : noLines(), { head, key, only });
  if (isThere || head !== null || !key) return report;
  const problem = { line: 1, what: "cut", message: "the ledger is gone: its key is there" } as const;
  return { ...report, ok: false, problems: [problem] };
}

async function* noLines(): AsyncGenerator<never> {}

/** @returns undefined where there is no such file */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
