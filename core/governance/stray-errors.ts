const EVENTS: readonly unknown[] = ["uncaughtException", "unhandledRejection"];

/**
 * Keeps content from taking the errors of the process for itself: its listener would hear the host's too, and could
 * end it. A refused listener is gone before anything else runs.
 *
 * @param refuse runs in the asynchronous context of the code that adds the listener; false means that it may stay
 * @returns a function that takes it out again
 */
export function refuseErrorListeners(refuse: (event: string) => boolean): () => void {
  const onNewListener = (event: string | symbol, listener: (...args: never[]) => void): void => {
    if (!EVENTS.includes(event) || !refuse(String(event))) return;
    // It is told before the listener is there.
    process.nextTick(() => process.removeListener(event, listener as () => void));
  };
  process.on("newListener", onNewListener);
  return () => void process.off("newListener", onNewListener);
}

/**
 * Takes the errors that nobody caught. Those that `blame` accepts end there; for all others the process does what it
 * would have done without us.
 *
 * @param blame runs in the asynchronous context of the code that threw; false means that the error is not content's
 * @returns a function that takes it out again
 */
export function catchStrayErrors(blame: (error: unknown) => boolean): () => void {
  const onException = (error: unknown): void => {
    if (!blame(error)) passOn("uncaughtException", error);
  };
  const onRejection = (reason: unknown): void => {
    if (!blame(reason)) passOn("unhandledRejection", reason);
  };
  const remove = (): void => {
    process.off("uncaughtException", onException);
    process.off("unhandledRejection", onRejection);
    if (globalThis.queueMicrotask === queue) globalThis.queueMicrotask = original;
  };

  /** Other listeners have seen the error already; where there are none, it ends the process as it always did. */
  const passOn = (event: "uncaughtException" | "unhandledRejection", error: unknown): void => {
    if (process.listenerCount(event) > 1) return;
    remove();
    setImmediate(() => {
      throw error;
    });
  };

  // The one place where Node has lost the asynchronous context when the error surfaces.
  const original = globalThis.queueMicrotask;
  const queue = (callback: () => void): void =>
    original(() => {
      try {
        callback();
      } catch (error) {
        if (!blame(error)) throw error;
      }
    });

  process.on("uncaughtException", onException);
  process.on("unhandledRejection", onRejection);
  globalThis.queueMicrotask = queue;
  return remove;
}
