import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { checkReceiptClaims, type ReceiptClaims, type ReceiptWarning } from "../agent/receipt-claims.ts";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import type { CallLedger } from "../dispatch/environment.ts";
import type { Ledger } from "../governance/ledger.ts";
import type { LedgerExport } from "../governance/ledger-export.ts";
import type { CallLine } from "../governance/ledger-lines.ts";
import { ledgerPlaces } from "../governance/ledger-places.ts";
import type { LedgerFilter } from "../governance/ledger-reader.ts";
import type { LedgerReport } from "../governance/ledger-report.ts";
import type { Masker } from "../governance/mask.ts";

/** What was entered of calls, for people and programs. It is there whether receipts are on now or not. */
export interface Receipts {
  /** The last calls that fit, newest first; at most 50 where nothing else is said. */
  list(filter?: LedgerFilter & { readonly limit?: number }): Promise<readonly CallLine[]>;
  /** The entry with this id. @throws HostError RECEIPT_UNKNOWN */
  show(id: string): Promise<CallLine>;
  /**
   * Checks the root's ledger, or a file: an export, or a ledger of somebody else.
   * @param options.key the one key whose lines count, by its id or its public half; default: each that is introduced
   * @throws HostError LEDGER_UNREADABLE for a file that is neither
   */
  verify(options?: { readonly file?: string; readonly key?: string }): Promise<LedgerReport>;
  /**
   * What somebody else can verify without this host: all sealed lines, or those from one entry to its seal.
   * @throws HostError RECEIPT_UNKNOWN, LEDGER_UNREADABLE where there is no ledger or no key
   */
  export(id?: string): Promise<LedgerExport>;
}

/** The ledger of one host. */
export interface HostReceipts {
  /** Enters the calls of one turn. @param agent how its superior names who asks; undefined for the agent itself */
  enterFor(turn: string, agent: string | undefined): CallLedger;
  /** Looks at what a model said of receipts. */
  check(claims: Omit<ReceiptClaims, "find">): Promise<readonly ReceiptWarning[]>;
  /** Resolves when what was entered is signed and on the disk. */
  flush(): Promise<void>;
  readonly store: Receipts;
  close(): Promise<void>;
}

/** What {@link createHostReceipts} takes. */
export interface HostReceiptsOptions {
  /** The host's state directory. */
  readonly state: string;
  readonly masker: Pick<Masker, "maskJson">;
  /** How a file is named in messages. */
  display(file: string): string;
  report(item: Diagnostic): void;
}

/** The setting that turns them on. */
export const RECEIPTS = "receipts.enabled";

const DEFAULT_LIMIT = 50;

/** Imports what writes with the first call that is entered, and what reads when somebody asks. */
export function createHostReceipts({ state, masker, display, report }: HostReceiptsOptions): HostReceipts {
  const places = ledgerPlaces(state);
  let opening: Promise<Ledger> | undefined;
  let ledger: Ledger | undefined;
  const open = async (): Promise<Ledger> => {
    const { openLedger } = await import("../governance/ledger.ts");
    ledger = openLedger({ places, run: randomBytes(8).toString("hex"), display, report });
    return ledger;
  };
  const flush = async (): Promise<void> => await (await opening)?.flush();
  const find = async (ids: readonly string[]) => {
    const { callsWith } = await import("../governance/ledger-reader.ts");
    return await callsWith(places.file, ids);
  };

  const enter: CallLedger["enter"] = (entry) => {
    if (ledger) return ledger.enter(entry);
    opening ??= open();
    return opening.then((opened) => opened.enter(entry));
  };

  const store: Receipts = {
    async list({ limit = DEFAULT_LIMIT, ...filter } = {}) {
      const { lastCalls } = await import("../governance/ledger-reader.ts");
      return masker.maskJson(await lastCalls(places.file, filter, limit));
    },
    async show(id) {
      const found = (await find([id])).get(id);
      if (found) return masker.maskJson(found);
      const message = `expected the id of an entry of ${display(places.file)}, found ${JSON.stringify(id)}`;
      throw hostError(diagnostic("RECEIPT_UNKNOWN", { message, hint: "receipts list shows them." }));
    },
    async verify({ file, key: only } = {}) {
      await flush();
      if (file !== undefined) {
        const { verifyFile } = await import("../governance/ledger-export.ts");
        return await verifyFile(file, { shown: file, only });
      }
      const { verifyOwnLedger } = await import("../governance/ledger-own.ts");
      return await verifyOwnLedger(places, only);
    },
    async export(id) {
      await flush();
      const [{ exportLedger }, { readLedgerKey }] = await Promise.all([
        import("../governance/ledger-export.ts"),
        import("../governance/ledger-key.ts"),
      ]);
      const key = readLedgerKey(places.key);
      if (!key || !existsSync(places.file)) {
        const message = `expected a ledger and its key in ${display(places.directory)}, found none`;
        const hint = "A call makes them when the setting receipts.enabled is true.";
        throw hostError(diagnostic("LEDGER_UNREADABLE", { message, hint }));
      }
      const made = await exportLedger(places.file, { key, id });
      if (made) return made;
      const message = id === undefined ? "no line of the ledger is signed yet" : `no signed entry has the id ${id}`;
      throw hostError(diagnostic("RECEIPT_UNKNOWN", { message, hint: "receipts verify tells what is not signed." }));
    },
  };

  return {
    enterFor: (turn, agent) => ({ turn, agent: agent ?? null, enter }),
    check: async (claims) => await checkReceiptClaims({ ...claims, find }),
    flush,
    store,
    close: async () => await (await opening)?.close(),
  };
}
