/**
 * What is wrong at a line. `changed`: it is not what was written; `missing`: lines are gone; `order`: it stands where it
 * was not written, or was put in; `unsigned`: nobody with a known key signed it; `torn`: its end is missing; `cut`: the end
 * of the ledger is gone; `head`: what was noted of the last seal is gone; `forged`: see the note of its writer.
 */
export interface LedgerProblem {
  /** Of the file, from 1. */
  readonly line: number;
  readonly what: "changed" | "missing" | "order" | "unsigned" | "torn" | "cut" | "head" | "forged";
  readonly message: string;
}

/** What a verification found. */
export interface LedgerReport {
  /** There is no problem. */
  readonly ok: boolean;
  readonly lines: number;
  /** Calls that were entered, and how many of them have a receipt. */
  readonly calls: number;
  readonly receipts: number;
  /** Lines that no seal covers yet, because their host runs or was killed. */
  readonly unsigned: number;
  /** Keys that signed, with the line that introduced each. */
  readonly keys: readonly { readonly id: string; readonly line: number }[];
  readonly problems: readonly LedgerProblem[];
  /** What is no fault of the ledger, but worth knowing. */
  readonly notes: readonly { readonly line: number; readonly message: string }[];
}
