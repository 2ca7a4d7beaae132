/** Options of {@link startPolling}. */
export interface PollOptions {
  /** Shortest time between the end of a poll and the next, in ms. */
  readonly everyMs: number;
  /** The share of the time that polling may take; beyond it the pause is stretched. Default 0.02. */
  readonly share?: number;
  /** Poll once right away instead of after the first pause. */
  readonly now?: boolean;
  /** A number that it resolves to says how much of its time counts for the share, in ms; default: all of it. */
  poll(): unknown;
  /** A poll threw; the next one comes all the same. */
  failed(error: unknown): void;
}

/** Polls again and again, one at a time, without keeping the process alive. `stop` lets a running poll end by itself. */
export function startPolling({ everyMs, share = 0.02, now = false, poll, failed }: PollOptions): { stop(): void } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    const began = performance.now();
    let counts: unknown;
    try {
      counts = await poll();
    } catch (error) {
      failed(error);
    }
    later(pauseAfter(typeof counts === "number" ? counts : performance.now() - began, everyMs, share));
  };
  const later = (ms: number): void => {
    if (!stopped) timer = setTimeout(() => void run(), ms).unref();
  };

  later(now ? 0 : everyMs);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** The pause after a poll that took so long, in ms. */
export function pauseAfter(tookMs: number, everyMs: number, share: number): number {
  return Math.max(everyMs, tookMs / share - tookMs);
}
