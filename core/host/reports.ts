import type { Diagnostic } from "../diagnostics.ts";

/** What went wrong while something ran; what is wrong on the disk is in the views. */
export interface Reports {
  add(item: Diagnostic): void;
  /** Each finding once, however often it came; the first that came first. */
  all(): readonly Diagnostic[];
}

/** A host may run for weeks, and an extension may fail at every call with other words: the newest are kept. */
const MAX_REPORTS = 500;

/** An empty list of reports. */
export function createReports(): Reports {
  const found = new Map<string, Diagnostic>();
  return {
    add(item) {
      const { code, file, line, column, message } = item;
      const key = JSON.stringify([code, file, line, column, message]);
      if (found.has(key)) return;
      found.set(key, item);
      const [oldest] = found.keys();
      if (found.size > MAX_REPORTS && oldest !== undefined) found.delete(oldest);
    },
    all: () => [...found.values()],
  };
}
