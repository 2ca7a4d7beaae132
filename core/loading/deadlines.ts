/** Deadlines of one length for many waits, on one timer: arming one for each of 1,000 short loads shows. */
export interface Deadlines {
  /** Waits for `settled`, but no longer than the deadline: then rejects with what `expired` returns. */
  wait(settled: Promise<void>, expired: () => Error): Promise<void>;
  /** Lets go of the timer; waits that are open have no deadline any more. */
  close(): void;
}

interface Wait {
  readonly until: number;
  readonly expire: () => void;
}

export function createDeadlines(ms: number): Deadlines {
  // In the order of their ends, since all are of one length.
  const waits = new Set<Wait>();
  let timer: NodeJS.Timeout | undefined;

  const fire = (): void => {
    timer = undefined;
    const now = performance.now();
    for (const wait of waits) {
      if (wait.until > now) {
        timer = setTimeout(fire, Math.ceil(wait.until - now));
        return;
      }
      waits.delete(wait);
      wait.expire();
    }
  };
  const add = (wait: Wait): void => {
    waits.add(wait);
    // An idle timer that still runs is taken up again: it fires early, and then waits for the rest.
    if (timer) timer.ref();
    else timer = setTimeout(fire, ms);
  };
  const remove = (wait: Wait): void => {
    waits.delete(wait);
    if (waits.size === 0) timer?.unref();
  };

  return {
    wait: (settled, expired) =>
      new Promise((resolve, reject) => {
        const wait: Wait = { until: performance.now() + ms, expire: () => reject(expired()) };
        add(wait);
        settled.then(
          () => {
            remove(wait);
            resolve();
          },
          (error: unknown) => {
            remove(wait);
            reject(error);
          },
        );
      }),
    close: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
