import { randomInt } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type LedgerFile, type LedgerFinding, type LedgerMark, openLedgerFile } from "./ledger-file.ts";
import type { LedgerEntry } from "./ledger-lines.ts";
import type { LedgerPlaces } from "./ledger-places.ts";
import { atExit } from "./process-exit.ts";
import { type LockHolder, type ProcessLock, takeLock } from "./process-lock.ts";
import { createReceiptIds } from "./receipt-id.ts";

/** So long a process has the ledger for itself before it seals what it wrote and lets others write. */
const HELD_MS = 50;
/** So long it keeps away where others wanted to write meanwhile. */
const PAUSE_MS = 15;
/** So long a call waits for others. */
const PATIENCE_MS = 10_000;

/** Where every call of a host is entered: one ledger for all hosts of a root. */
export interface Ledger {
  /**
   * Enters a call. The line is with the operating system when this is done, so that a process that is killed afterwards
   * has not lost it. There is no promise unless another process writes right now.
   *
   * @returns the id of the entry; undefined where it could not be written, which is reported
   */
  enter(entry: LedgerEntry): string | undefined | Promise<string | undefined>;
  /** Resolves when everything so far is signed and on the disk. Never rejects. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** What {@link openLedger} takes. */
export interface LedgerOptions {
  readonly places: LedgerPlaces;
  /** The host: see {@link LedgerEntry}. */
  readonly run: string;
  /** How a file is named in messages. */
  display(file: string): string;
  report(item: Diagnostic): void;
  /** Default: now. */
  readonly now?: () => Date;
  /** How long a call waits for others who write, in milliseconds; default 10 seconds. */
  readonly patienceMs?: number;
}

interface Held {
  readonly file: LedgerFile;
  readonly lock: ProcessLock;
  readonly until: number;
  /** Of the directory of locks when it was taken: who tries to take it changes that. */
  readonly stamp: number;
}

/** Nothing is made and no key is read before the first entry. */
export function openLedger(options: LedgerOptions): Ledger {
  const { places, run, display, report, now = () => new Date(), patienceMs = PATIENCE_MS } = options;
  const drawId = createReceiptIds();
  let held: Held | undefined;
  let mark: LedgerMark | undefined;
  let holder: LockHolder | undefined;
  let timer: NodeJS.Timeout | undefined;
  let notBefore = 0;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isDirty = false;
  let isClosed = false;
  let release: (() => void) | undefined;

  const fail = (error: unknown): undefined => {
    const message = `a call could not be entered: ${error instanceof Error ? error.message : String(error)}`;
    const hint = "Until it can be written, calls have no receipts.";
    report(diagnostic("LEDGER_UNWRITABLE", { file: display(places.file), message, hint }));
    return undefined;
  };
  const found = ({ what, message }: LedgerFinding): void => {
    report(diagnostic(CODES[what], { file: display(places.file), message, hint: "See it with receipts verify." }));
  };
  /** @param seal false where a line could not be written. @throws the error of the file system */
  const letGo = (seal = true): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!held) return;
    const { file, lock, stamp } = held;
    held = undefined;
    try {
      if (seal) file.seal();
    } finally {
      mark = file.close();
      if (stampOf(places.lock) !== stamp) notBefore = performance.now() + PAUSE_MS;
      lock.release();
    }
  };
  const letGoQuietly = (): void => {
    try {
      letGo();
    } catch (error) {
      fail(error);
    }
  };
  /** @returns whether the ledger is this process's now. @throws the error of the file system */
  const hold = (): boolean => {
    if (held && performance.now() > held.until) letGo();
    if (held) return true;
    if (performance.now() < notBefore) return false;
    mkdirSync(places.directory, { recursive: true, mode: 0o700 });
    const taken = takeLock(places.lock);
    holder = "holder" in taken ? taken.holder : undefined;
    if ("holder" in taken) return false;
    try {
      const file = openLedgerFile({ places, run, mark, now, found });
      held = { file, lock: taken, until: performance.now() + HELD_MS, stamp: stampOf(places.lock) };
    } catch (error) {
      taken.release();
      throw error;
    }
    timer = setTimeout(letGoQuietly, HELD_MS).unref();
    release ??= atExit(letGoQuietly);
    return true;
  };
  const write = (entry: LedgerEntry): string => {
    const id = drawId();
    try {
      held?.file.append({ kind: "call", id, ...entry });
    } catch (error) {
      // Half of a line may be there: the end is looked at again before the next one.
      letGo(false);
      throw error;
    }
    isDirty = true;
    return id;
  };
  const later = async (entry: LedgerEntry, deadline: number): Promise<string | undefined> => {
    try {
      while (!hold()) {
        if (performance.now() > deadline) throw new Error(busyWords(holder, display));
        await wait(1 + randomInt(5));
      }
      return write(entry);
    } catch (error) {
      return fail(error);
    } finally {
      waiting--;
    }
  };

  return {
    enter(entry) {
      if (isClosed) return undefined;
      try {
        if (waiting === 0 && hold()) return write(entry);
      } catch (error) {
        return fail(error);
      }
      waiting++;
      const deadline = performance.now() + patienceMs;
      const entered = queue.then(() => later(entry, deadline));
      queue = entered;
      return entered;
    },
    async flush() {
      await queue;
      letGoQuietly();
      if (!isDirty) return;
      isDirty = false;
      try {
        await sync(places);
      } catch (error) {
        fail(error);
      }
    },
    async close() {
      await this.flush();
      isClosed = true;
      release?.();
    },
  };
}

const CODES = {
  torn: "LEDGER_REPAIRED",
  missing: "LEDGER_BROKEN",
  forged: "LEDGER_BROKEN",
  lost: "LEDGER_KEY_LOST",
} as const satisfies Record<LedgerFinding["what"], string>;

function busyWords(holder: LockHolder | undefined, display: (file: string) => string): string {
  if (!holder) return "another process writes to it all the time";
  const { pid, here, file } = holder;
  const hint = here ? "" : ` of another machine; if it is gone, delete ${display(file)}`;
  return `it is in the hands of process ${pid}${hint}`;
}

function stampOf(directory: string): number {
  return statSync(directory).mtimeMs;
}

async function sync({ file, directory }: LedgerPlaces): Promise<void> {
  for (const path of [file, directory]) {
    // Some systems open no directory; theirs keep names by themselves.
    const handle = await open(path, "r").catch(() => undefined);
    await handle?.sync().finally(() => handle.close());
  }
}
