import { readFileSync, writeFileSync } from "node:fs";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { type Ledger, openLedger } from "../../core/governance/ledger.ts";
import type { LedgerEntry } from "../../core/governance/ledger-lines.ts";
import { verifyOwnLedger } from "../../core/governance/ledger-own.ts";
import { ledgerPlaces } from "../../core/governance/ledger-places.ts";
import type { LedgerReport } from "../../core/governance/ledger-report.ts";
import { makeTree } from "../helpers/tree.ts";

const HASH = "0123456789abcdef".repeat(4);

/** An entry of a call of `demo` that succeeded, but for what is given. */
export function entry(facts: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    turn: "t1",
    call: "c1",
    tool: "demo",
    owner: "core",
    face: "test",
    agent: null,
    args: HASH,
    result: HASH,
    outcome: "success",
    code: null,
    decision: "run",
    approver: null,
    generation: 1,
    ...facts,
  };
}

/** The ledger of a fresh state directory, and all that is to be done with it. */
export function ledgerBench() {
  const state = makeTree({});
  const places = ledgerPlaces(state);
  const found: Diagnostic[] = [];
  const open = (run = "r1", patienceMs = 10_000): Ledger =>
    openLedger({
      places,
      run,
      patienceMs,
      display: (file) => file.slice(state.length + 1),
      report: (item) => found.push(item),
    });
  return {
    places,
    found,
    open,
    /** Enters calls with these ids and closes. @returns their ids in the ledger */
    async enter(...calls: readonly string[]): Promise<readonly (string | undefined)[]> {
      const ledger = open();
      const ids = [];
      for (const call of calls) ids.push(await ledger.enter(entry({ call })));
      await ledger.close();
      return ids;
    },
    lines: (): string[] => readFileSync(places.file, "utf8").split("\n").slice(0, -1),
    write: (lines: readonly string[]) => writeFileSync(places.file, lines.map((line) => `${line}\n`).join("")),
    verify: async (): Promise<LedgerReport> => await verifyOwnLedger(places),
  };
}
