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
