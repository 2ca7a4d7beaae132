import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type ProcessLock, takeLock } from "./process-lock.ts";

/** Lets those that change one file go one after the other, in the order in which they come. */
export interface FileTurns {
  /** @param real the file's real path; it need not exist */
  take<T>(real: string, work: () => Promise<T>): Promise<T>;
}

/** What {@link createFileTurns} may be told. */
export interface FileTurnsOptions {
  /**
   * A directory (absolute) in which all hosts that have it put up locks, so that they go one after the other as well.
   * Absent: whoever loses to another host finds out when it replaces the file, and does it anew.
   */
  readonly locks?: string | undefined;
}

export function createFileTurns({ locks }: FileTurnsOptions = {}): FileTurns {
  const last = new Map<string, Promise<unknown>>();
  const alone = async <T>(real: string, work: () => Promise<T>): Promise<T> => {
    const lock = locks === undefined ? undefined : await lockOf(join(locks, nameOf(real)));
    try {
      return await work();
    } finally {
      lock?.release();
    }
  };
  return {
    async take(real, work) {
      const next = async () => await alone(real, work);
      const mine = (last.get(real) ?? Promise.resolve()).then(next, next);
      last.set(real, mine);
      try {
        return await mine;
      } finally {
        if (last.get(real) === mine) last.delete(real);
      }
    },
  };
}

/** A change takes milliseconds; whoever has a lock for longer than this hangs. */
const MAX_WAIT_MS = 5_000;
const MAX_PAUSE_MS = 12;

/**
 * Waits for a lock. Undefined where there is none to be had: the directory cannot be written, another machine left one, a
 * process hangs. Then the comparison at the end has to do, which nobody of this process can come between.
 */
async function lockOf(directory: string): Promise<ProcessLock | undefined> {
  for (let waited = 0; waited < MAX_WAIT_MS; ) {
    const taken = tryLock(directory);
    if (!taken || !("holder" in taken)) return taken;
    if (!taken.holder.here) return undefined;
    // Not the same for all, or two that gave way would meet again.
    const ms = 1 + Math.random() * (MAX_PAUSE_MS - 1);
    waited += ms;
    await wait(ms);
  }
  return undefined;
}

function tryLock(directory: string): ReturnType<typeof takeLock> | undefined {
  try {
    return takeLock(directory);
  } catch {
    return undefined;
  }
}

function nameOf(real: string): string {
  return createHash("sha256").update(real).digest("hex").slice(0, 32);
}
