import { join } from "node:path";

/** Where the parts of a ledger are, absolute. */
export interface LedgerPlaces {
  /** Private to its owner. */
  readonly directory: string;
  /** The lines, oldest first. */
  readonly file: string;
  /** A copy of the last seal: what tells that the end of the ledger is gone. */
  readonly head: string;
  /** The private key, PEM, readable by its owner only. */
  readonly key: string;
  /** Holds the lock of the process that writes. */
  readonly lock: string;
}

/** @param state the host's state directory */
export function ledgerPlaces(state: string): LedgerPlaces {
  const directory = join(state, "ledger");
  return {
    directory,
    file: join(directory, "ledger.jsonl"),
    head: join(directory, "head.json"),
    key: join(directory, "key.pem"),
    lock: join(directory, "lock"),
  };
}
