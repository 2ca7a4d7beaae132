import { mkdir, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { OpenShelf } from "./chokidar.ts";
import { createLatch } from "./latch.ts";

/** What {@link testEvents} found. */
export interface SelfTest {
  /** Directories in which a file was written without an event. */
  readonly silent: readonly string[];
  /** What the watching itself reported. */
  readonly errors: readonly unknown[];
}

/**
 * Finds out whether events come: writes a file into each directory, waits for an event of each, removes the file.
 * Directories that cannot be made or written are passed over. Takes a few ms where events come, else `deadlineMs`.
 *
 * @param directories absolute; made where they are missing
 */
export async function testEvents(
  directories: Iterable<string>,
  open: OpenShelf,
  deadlineMs = 1_000,
): Promise<SelfTest> {
  const usable = await usableDirectories(directories);
  if (usable.length === 0) return { silent: [], errors: [] };
  const missing = new Set(usable);
  const errors: unknown[] = [];
  const { opened: settled, open: settle } = createLatch();
  const shelf = open(usable, {
    event: (directory) => {
      missing.delete(directory);
      if (missing.size === 0) settle();
    },
    error: (error) => {
      errors.push(error);
      settle();
    },
  });
  const timer = setTimeout(() => void lastChance().then(settle), deadlineMs);
  try {
    await Promise.race([shelf.ready, settled]);
    const name = `.watch-probe-${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
    await Promise.all(usable.map((directory) => probe(path.join(directory, name), () => missing.delete(directory))));
    if (missing.size > 0) await settled;
    return { silent: [...missing], errors };
  } finally {
    clearTimeout(timer);
    await shelf.close();
  }

  async function probe(file: string, unwritable: () => void): Promise<void> {
    try {
      await writeFile(file, "");
      await rm(file, { force: true });
    } catch {
      // What cannot be written tells nothing about events.
      unwritable();
    }
  }
}

async function usableDirectories(directories: Iterable<string>): Promise<string[]> {
  const real = await Promise.all(
    [...directories].map(async (directory) => {
      try {
        await mkdir(directory, { recursive: true });
        return await realpath(directory);
      } catch {
        // Passed over, as promised: a root that cannot be written is no reason to poll.
        return undefined;
      }
    }),
  );
  return [...new Set(real.filter((directory) => directory !== undefined))];
}

/** In a process that was busy for long the timer comes before events that are there already. */
async function lastChance(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
