import { setMaxListeners } from "node:events";
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
  /** Milliseconds that the work was held so far, counted from whenever: they do not count. */
  readonly heldMs?: (() => number) | undefined;
}

/** The longest delay that a timer of Node takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2_147_483_647;
/** Work that is held is looked at again after at least so long. */
const HELD_LOOK_MS = 50;

/** @param parent its firing stops the work too; a reason that is a ToolError is kept, any other becomes ABORTED */
export function createCancellation(parent?: AbortSignal): Cancellation {
  return new WorkCancellation(parent);
}

/** A class, because one is made for every call: a literal with accessors costs ten times as much. */
class WorkCancellation implements Cancellation {
  reason: ToolError | undefined;
  readonly #parent: AbortSignal | undefined;
  readonly #waiting: ((reason: ToolError) => void)[] = [];
  #controller: AbortController | undefined;

  constructor(parent: AbortSignal | undefined) {
    this.#parent = parent;
    this.reason = parent?.aborted ? reasonOf(parent) : undefined;
    if (!parent || this.reason) return;
    // One signal may stop any number of calls at a time; that is no leak, and no reason for a warning.
    setMaxListeners(0, parent);
    parent.addEventListener("abort", this);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.reason && !this.#controller.signal.aborted) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  /** The parent fired. */
  handleEvent(): void {
    if (this.#parent) this.abort(reasonOf(this.#parent));
  }

  abort(reason: ToolError): void {
    if (this.reason) return;
    this.reason = reason;
    // Those who wait hear it first: what the work makes of its signal comes too late to count.
    for (const stop of this.#waiting.splice(0)) stop(reason);
    this.#controller?.abort(reason);
  }

  race<T>(work: () => T | PromiseLike<T>, deadline?: Deadline): T | Promise<T> {
    if (this.reason) throw this.reason;
    const value = work();
    if (!isPromiseLike(value)) return value;
    return new Promise<T>((resolve, reject) => {
      const disarm = deadline && arm(deadline, () => this.abort(deadline.expired()));
      const done = (): void => {
        disarm?.();
        const place = this.#waiting.indexOf(stop);
        if (place >= 0) this.#waiting.splice(place, 1);
      };
      const stop = (why: ToolError): void => {
        done();
        reject(why);
      };
      this.#waiting.push(stop);
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
      if (this.reason) stop(this.reason);
    });
  }

  close(): void {
    this.#parent?.removeEventListener("abort", this);
  }
}

/** @returns a function that takes the deadline back */
function arm({ ms, heldMs }: Deadline, expire: () => void): () => void {
  const began = heldMs ? performance.now() : 0;
  const heldBefore = heldMs?.() ?? 0;
  const look = (): void => {
    const left = heldMs ? ms - (performance.now() - began) + (heldMs() - heldBefore) : 0;
    if (left > 1) timer = setTimeout(look, Math.min(Math.max(left, HELD_LOOK_MS), MAX_DELAY_MS));
    else expire();
  };
  let timer = setTimeout(look, Math.min(ms, MAX_DELAY_MS));
  return () => clearTimeout(timer);
}

function reasonOf({ reason }: AbortSignal): ToolError {
  if (isToolError(reason)) return reason;
  const said = reason instanceof Error && reason.name !== "AbortError" ? `: ${reason.message}` : "";
  return new ToolError("ABORTED", `the call was stopped${said}`);
}

/** Whether something is still to come. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined | null)?.then === "function";
}
