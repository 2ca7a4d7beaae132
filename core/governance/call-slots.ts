/** The place of one call among those that run at the same time. */
export interface CallSlot {
  /** Does something during which the call only waits for others, who need places too; afterwards it waits for one again. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** The call is over. */
  free(): void;
}

/** The places of all calls of a host. Who comes first is served first. */
export interface CallSlots {
  /**
   * @param options.max so many at the same time
   * @param options.signal ends the wait
   * @returns at once where there is a place
   * @throws the reason of the signal
   */
  take(options: { readonly max: number; readonly signal: () => AbortSignal }): CallSlot | Promise<CallSlot>;
}

export function createCallSlots(): CallSlots {
  const queue: { readonly max: number; begin(): void }[] = [];
  let running = 0;
  const next = (): void => {
    for (let first = queue[0]; first && running < first.max; first = queue[0]) {
      queue.shift();
      running += 1;
      first.begin();
    }
  };
  const give = (): void => {
    running -= 1;
    next();
  };
  const wait = (max: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(signal.reason);
        next();
      };
      const waiting = {
        max,
        begin() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(waiting);
      next();
    });
  const slotOf = (max: number, signal: () => AbortSignal): CallSlot => {
    let asides = 0;
    let isHeld = true;
    let isOver = false;
    const letGo = (): void => {
      if (isHeld) give();
      isHeld = false;
    };
    return {
      async aside(work) {
        asides += 1;
        letGo();
        try {
          return await work();
        } finally {
          asides -= 1;
          if (asides === 0 && !isOver) await again();
        }
      },
      free() {
        isOver = true;
        letGo();
      },
    };
    async function again(): Promise<void> {
      await wait(max, signal());
      if (isOver) give();
      else isHeld = true;
    }
  };
  return {
    take({ max, signal }) {
      if (queue.length === 0 && running < max) {
        running += 1;
        return slotOf(max, signal);
      }
      return wait(max, signal()).then(() => slotOf(max, signal));
    },
  };
}
