import { onTestFinished } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { openWatcher, type Watcher, type WatcherOptions } from "../../core/watching/watcher.ts";

/** A watcher with all that it told. */
export interface Watched {
  readonly watcher: Watcher;
  /** Paths in the order in which they came. */
  readonly changes: string[];
  readonly found: Diagnostic[];
  polls: number;
}

/** Opens a real watcher on directories; it is closed after the test. */
export async function watch(directories: readonly string[], options: Partial<WatcherOptions> = {}): Promise<Watched> {
  const changes: string[] = [];
  const found: Diagnostic[] = [];
  const told = { changes, found, polls: 0 };
  const watcher = await openWatcher({
    onChange: (path) => void changes.push(path),
    onPoll: () => void told.polls++,
    report: (item) => void found.push(item),
    ...options,
  });
  onTestFinished(watcher.close);
  await watcher.set(directories);
  return Object.assign(told, { watcher });
}

/** Waits for a condition, with a deadline that only a fault reaches. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until this path is told. */
export async function toldOf({ changes }: Watched, path: string): Promise<void> {
  await until(() => changes.includes(path), `an event of ${path}; there were ${JSON.stringify(changes)}`);
}
