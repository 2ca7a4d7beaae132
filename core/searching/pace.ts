import { throwIfAborted } from "../governance/file-errors.ts";

/** So long a search works without letting others have their turn. */
const SLICE_MS = 8;

/** Thrown by {@link Pace.check} where the time for the whole is over. */
export class OutOfTime extends Error {}

/** Lets long work take turns with the rest of the host, and end in time. */
export interface Pace {
  /** Whether it is time to wait for {@link turn} or {@link check}. Cheap. */
  due(): boolean;
  /** Lets everybody else have their turn. @throws ToolError the signal's reason, ABORTED */
  turn(): Promise<void>;
  /** Takes a turn where one is due. @throws OutOfTime; ToolError as {@link turn} */
  check(): Promise<void>;
  /** Milliseconds that are left of the time for the whole. */
  left(): number;
}

/** @param limitMs how long the whole may take */
export function createPace(signal: AbortSignal | undefined, limitMs: number): Pace {
  const end = performance.now() + limitMs;
  // Who was stopped, or has no time at all, does not begin.
  let next = 0;
  const due = (): boolean => performance.now() >= next;
  const turn = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(signal);
    next = performance.now() + SLICE_MS;
  };
  const left = (): number => end - performance.now();
  return {
    due,
    turn,
    left,
    async check() {
      if (!due()) return;
      await turn();
      if (left() <= 0) throw new OutOfTime();
    },
  };
}
