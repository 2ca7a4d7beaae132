import { isToolError, ToolError } from "../sdk/errors.ts";

/** The end of one piece of work: by its deadline, by whoever started it, or because it is done. */
export interface Cancellation {
  /** Fires with {@link reason}. Made when it is first asked for: most work never looks at it. */
  readonly signal: AbortSignal;
  /** Why the work was stopped; undefined while it may go on. */
  readonly reason: ToolError | undefined;
  /** Stops the work; the first reason counts. */
  abort(reason: ToolError): void;
  /**
   * Waits for `work`, but no longer than until it is stopped or its deadline passes; work that does not heed
   * its signal is left to itself, and what becomes of it is ignored. What settles at once is handed through at once.
   *
   * @param deadline `expired` gives the reason when `ms` milliseconds have passed
   * @throws the {@link reason} when the work is stopped, else what `work` throws
   */
  race<T>(work: () => T | PromiseLike<T>, deadline?: Deadline): T | Promise<T>;
  /** Stops listening to the parent. Call it when all is done. */
  close(): void;
}

export interface Deadline {
  readonly ms: number;
  expired(): ToolError;
}

/** The longest delay that a timer of Node takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2_147_483_647;

/** @param parent its firing stops the work too; a reason that is a ToolError is kept, any other becomes ABORTED */
export function createCancellation(parent?: AbortSignal): Cancellation {
  const waiting = new Set<(reason: ToolError) => void>();
  let reason = parent?.aborted ? reasonOf(parent) : undefined;
  let controller: AbortController | undefined;

  const abort = (why: ToolError): void => {
    if (reason) return;
    reason = why;
    // Those who wait hear it first: what the work makes of its signal comes too late to count.
    for (const stop of waiting) stop(why);
    controller?.abort(why);
  };
  const onParent = (): void => abort(reasonOf(parent as AbortSignal));
  if (!reason) parent?.addEventListener("abort", onParent);

  return {
    get signal() {
      controller ??= new AbortController();
      if (reason && !controller.signal.aborted) controller.abort(reason);
      return controller.signal;
    },
    get reason() {
      return reason;
    },
    abort,
    race<T>(work: () => T | PromiseLike<T>, deadline?: Deadline): T | Promise<T> {
      if (reason) throw reason;
      const value = work();
      if (!isPromiseLike(value)) return value;
      return new Promise<T>((resolve, reject) => {
        const timer = deadline && setTimeout(() => abort(deadline.expired()), Math.min(deadline.ms, MAX_DELAY_MS));
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(stop);
        };
        const stop = (why: ToolError): void => {
          done();
          reject(why);
        };
        waiting.add(stop);
        value.then(
          (result) => {
            done();
            resolve(result);
          },
          (error: unknown) => {
            done();
            reject(error);
          },
        );
        // `work` itself may have stopped it.
        if (reason) stop(reason);
      });
    },
    close: () => parent?.removeEventListener("abort", onParent),
  };
}

function reasonOf({ reason }: AbortSignal): ToolError {
  if (isToolError(reason)) return reason;
  const said = reason instanceof Error && reason.name !== "AbortError" ? `: ${reason.message}` : "";
  return new ToolError("ABORTED", `the call was stopped${said}`);
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined | null)?.then === "function";
}
