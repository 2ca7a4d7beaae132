import type { Diagnostic } from "../diagnostics.ts";
import { loadShelves, type OpenShelf } from "./chokidar.ts";
import { createEventWatches, type EventWatches } from "./event-watches.ts";
import { startPolling } from "./poll-loop.ts";
import { realDirectories } from "./real-directories.ts";
import { testEvents } from "./self-test.ts";
import { endsWatching, failedDiagnostic, limitDiagnostic, type NoEvents, pollingDiagnostic } from "./trouble.ts";

/** Tells which paths may have changed. It watches directories, each without what lies below it, and no files. */
export interface Watcher {
  /** `polling`: nothing calls `onChange`, `onPoll` finds everything. Goes from `events` to `polling` and never back. */
  readonly mode: "events" | "polling";
  /** What is watched now: as it was asked for, absolute, sorted. Empty while polling. */
  readonly directories: readonly string[];
  /**
   * Makes this the set of directories; those that come first are watched where the limit is reached. What does not
   * exist is passed over: give the nearest parent that does. A directory that was deleted, replaced or renamed since
   * the last call is watched anew, so call it when an event says that a directory came, went or was linked elsewhere.
   *
   * Calls are carried out one after the other. Resolves when the events of the new ones will come: what happened in
   * them before is the caller's to compare. Never rejects.
   */
  set(directories: Iterable<string>): Promise<void>;
  /** Nothing is called after it but the end of a poll that runs already. */
  close(): Promise<void>;
}

/** Options of {@link openWatcher}. No function among them may throw but `onPoll`. */
export interface WatcherOptions {
  /**
   * Something may have happened at this path: it came, went, changed, or was only touched. Absolute; by the directory
   * as it was asked for, once for each way in which it was. Temporary files of editors are left out.
   */
  onChange(path: string): void;
  /**
   * Compare everything with the disk. Never called while it still runs. A number that it resolves to says how long the
   * comparing took, in ms, where something else was done as well.
   */
  onPoll(): unknown;
  /** Each finding once. */
  report(found: Diagnostic): void;
  /** Pause between polls in polling mode. Default 500 ms; longer where polls would take more than 2 % of the time. */
  readonly pollMs?: number;
  /** Pause between polls where there are events, for what they missed. Default 30,000 ms. */
  readonly reconcileMs?: number;
  /** Forces a mode: `events` leaves the self-test out, `polling` does not load the watching. */
  readonly mode?: "events" | "polling";
  /** Directories, absolute, in which the self-test writes a file each: one beside each writable root. */
  readonly probes?: readonly string[];
  /** Most directories that are watched at once. Default 4,096, which is some 10 MB of heap. */
  readonly limit?: number;
  /** How a path is named in what is reported; the default is as it is. */
  display?(path: string): string;
  /** How directories are watched; the default is chokidar. */
  readonly create?: OpenShelf;
}

const POLL_MS = 500;
const RECONCILE_MS = 30_000;
const LIMIT = 4_096;

/**
 * Opens a watcher that watches nothing yet. Without events, found by the self-test within 1 s, it polls; when a
 * resource of the system is used up (EMFILE, ENOSPC) it goes over to polling. Both are reported as `WATCH_POLLING`.
 * On Linux it does not keep the process alive; elsewhere its watches do until `close`.
 */
export async function openWatcher(options: WatcherOptions): Promise<Watcher> {
  const { pollMs = POLL_MS, reconcileMs = RECONCILE_MS, limit = LIMIT } = options;
  const report = reportOnce(options.report);
  const words = { pollMs, display: options.display ?? String };
  let closed = false;
  let watches: EventWatches | undefined;
  let ending: Promise<void> = Promise.resolve();
  let turn: Promise<void> = Promise.resolve();

  const failed = (directory: string | undefined, error: unknown): void => {
    if (!closed) report(failedDiagnostic(directory === undefined ? undefined : words.display(directory), error));
  };
  const poll = (everyMs: number, now: boolean) =>
    startPolling({ everyMs, now, poll: () => options.onPoll(), failed: (error) => failed(undefined, error) });
  const giveUpEvents = (reason: NoEvents): void => {
    if (closed || !watches) return;
    ending = watches.close();
    watches = undefined;
    polls.stop();
    polls = poll(pollMs, true);
    report(pollingDiagnostic(reason, words));
  };
  const trouble = (error: unknown): void => {
    if (endsWatching(error)) giveUpEvents({ error });
    else failed((error as NodeJS.ErrnoException).path, error);
  };
  const renew = async (directories: readonly string[]): Promise<void> => {
    if (closed || !watches) return;
    try {
      const { found, failed: unseen } = await realDirectories(directories);
      for (const { directory, error } of unseen) failed(directory, error);
      const left = await watches?.set(found);
      if (left?.[0] !== undefined && !closed) report(limitDiagnostic(limit, left.length, words.display(left[0])));
    } catch (error) {
      trouble(error);
    }
  };

  const events = options.mode === "polling" ? undefined : await tryEvents(options);
  if (events?.open) {
    watches = createEventWatches({ open: events.open, limit, onChange: options.onChange, failed: trouble });
  } else if (events) {
    report(pollingDiagnostic(events.reason, words));
  }
  let polls = watches ? poll(reconcileMs, false) : poll(pollMs, false);

  return {
    get mode() {
      return watches ? "events" : "polling";
    },
    get directories() {
      return watches?.directories ?? [];
    },
    set: (directories) => {
      const list = [...directories];
      turn = turn.then(() => renew(list));
      return turn;
    },
    close: async () => {
      closed = true;
      polls.stop();
      await watches?.close();
      await turn;
      await ending;
    },
  };
}

async function tryEvents({
  create,
  mode,
  probes = [],
}: WatcherOptions): Promise<{ open: OpenShelf } | { open?: undefined; reason: NoEvents }> {
  try {
    const open = create ?? (await loadShelves());
    if (mode === "events") return { open };
    const { silent, errors } = await testEvents(probes, open);
    if (errors.length > 0) return { reason: { error: errors[0] } };
    return silent.length > 0 ? { reason: { silent } } : { open };
  } catch (error) {
    return { reason: { error } };
  }
}

/** The same finding comes again with every set. */
function reportOnce(report: (found: Diagnostic) => void): (found: Diagnostic) => void {
  const seen = new Set<string>();
  return (found) => {
    const key = found.code === "WATCH_FAILED" ? `${found.file ?? ""}\0${found.message}` : found.code;
    if (seen.has(key)) return;
    seen.add(key);
    report(found);
  };
}
