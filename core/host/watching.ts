import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { performance } from "node:perf_hooks";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { look } from "../discovery/look.ts";
import { createChangeQueue, type DueChanges } from "../watching/change-queue.ts";
import { openWatcher, type Watcher, type WatcherOptions } from "../watching/watcher.ts";
import type { Generations } from "./generations.ts";
import type { Reloader } from "./reloading.ts";
import { untilWritten } from "./until-written.ts";
import { isSameBasis, type WatchBasis, watchBasis } from "./watch-basis.ts";

/** A host's watch over its content. */
export interface Watching {
  /** See {@link Watcher}. */
  readonly mode: Watcher["mode"];
  readonly directories: readonly string[];
  /**
   * Watches what was served for the first time since, and compares it once more. Cheap where nothing was: a call waits
   * for it before it returns.
   */
  settle(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** What {@link startWatching} joins. */
export interface WatchingOptions {
  readonly discovery: Discovery;
  readonly generations: Generations;
  readonly reloader: Reloader;
  /** Where the self-test of the watcher writes its file. */
  readonly cacheDir: string;
  report(item: Diagnostic): void;
  /** Watches every plugin, also those of which nothing was served yet. */
  readonly everything?: boolean;
  /** How the watcher is opened, for tests of systems without events. */
  readonly watcher?: Pick<WatcherOptions, "create" | "mode" | "pollMs" | "reconcileMs">;
}

/** Of more directories it is not asked at each look whether all are there. */
const MAX_COMPARED = 256;

/** While directories appear as fast as they are watched, the look round finds the rest. */
const MAX_ROUNDS = 8;

/**
 * Watches the directories of the layers, and of plugins those of which something was served: others are seen by the look
 * round. Resolves when the events of the first will come.
 */
export async function startWatching(options: WatchingOptions): Promise<Watching> {
  const { discovery, generations, reloader, report } = options;
  const queue = createChangeQueue();
  const wanted = new Set<string>();
  let watched: ReadonlySet<string> = new Set();
  let seen: WatchBasis | undefined;
  let renewing: Promise<void> = Promise.resolve();
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let wasLeft = false;
  let mayTryAgain = true;
  let closed = false;

  const watcher = await openWatcher({
    onChange(path) {
      const now = performance.now();
      const isFirst = queue.isQuiet(now);
      queue.offer(path, now, look(path)?.isFile());
      take(isFirst);
    },
    async onPoll() {
      const receipt = await reloader.look();
      await settle();
      // To load what changed takes longer than to look, and the next look must not wait for that.
      return receipt?.durations.lookMs;
    },
    report,
    probes: [options.cacheDir],
    display: discovery.display,
    ...options.watcher,
  });

  /** @param isFirst whether nothing else has happened for a while */
  const take = (isFirst = false): void => {
    clearTimeout(timer);
    const { batches, next } = dueNow(isFirst);
    const amidst = !queue.isQuiet(performance.now());
    for (const { paths, again } of batches) {
      void changed(paths, () => amidst || again || !queue.isQuiet(performance.now()));
    }
    if (next === undefined || closed) return;
    timer = setTimeout(() => take(), Math.max(0, next - performance.now()));
    timer.unref();
  };

  /**
   * What is to be looked at now. Where a writer may be at it and something is not there that was, it is left for once:
   * a branch that is checked out takes files away and puts them there again.
   */
  const dueNow = (isFirst: boolean): DueChanges => {
    const now = performance.now();
    const { batches } = queue.due(now);
    const isQuiet = queue.isQuiet(now);
    const left = batches.filter(({ again, paths }) => !wasLeft && (again || !isQuiet) && isIncomplete(paths, isFirst));
    wasLeft = left.length > 0;
    for (const { paths } of left) for (const path of paths) queue.offer(path, now, false);
    const { next } = queue.due(now);
    return { batches: batches.filter((batch) => !left.includes(batch)), ...(next === undefined ? {} : { next }) };
  };

  /** What was taken away is told of before what is written after it: a first change finds all directories there. */
  const isIncomplete = (paths: readonly string[], isFirst: boolean): boolean => {
    if (paths.length === 0) return false;
    const { texts } = generations.current.edition;
    const beside = new Set(paths.map((path) => dirname(path)));
    const expected = [
      ...paths.filter((path) => texts.knows(path)),
      ...[...beside].flatMap((directory) => discovery.contentIn(directory)),
      ...(isFirst || watched.size > MAX_COMPARED ? [] : watched),
    ];
    return expected.some((path) => !existsSync(path));
  };

  const changed = async (paths: readonly string[], isAmidst: () => boolean): Promise<void> => {
    if (closed) return;
    try {
      await untilWritten(paths, generations.current.edition);
      // A directory may be another one of the same name.
      const forget = (): void => {
        if (paths.some((path) => watched.has(path))) seen = undefined;
      };
      forget();
      await reloader.changed(paths, "watch", isAmidst);
      forget();
      await settle();
      mayTryAgain = true;
    } catch (error) {
      failed(error);
      // The disk may have changed under the look. What fails twice is left to the look round.
      if (mayTryAgain && !closed) for (const path of paths) queue.offer(path, performance.now(), false);
      mayTryAgain = false;
      take();
    }
  };

  /** Nobody waits for a look: a failure is told, and costs no call and no later look. */
  const failed = (error: unknown): void => {
    // A change that comes while the host closes.
    if (closed) return;
    const words = error instanceof Error ? error.message : String(error);
    const hint = "It is looked for again within half a minute; an explicit reload looks at once.";
    report(diagnostic("WATCH_FAILED", { message: `a change could not be taken up: ${words}`, hint }));
  };

  const settle = (): Promise<void> | undefined => {
    if (closed) return undefined;
    // Another call may have begun to watch what this one was served from, too.
    if (seen && isSameBasis(seen, watchBasis(generations.current))) return underWay;
    const done: Promise<void> = renewing
      .then(renew)
      .catch(failed)
      .finally(() => {
        if (underWay === done) underWay = undefined;
      });
    renewing = underWay = done;
    return done;
  };

  const renew = async (): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS && !closed; round++) {
      const { current } = generations;
      seen = watchBasis(current);
      const now = directoriesNow();
      const fresh = now.filter((directory) => !watched.has(directory));
      watched = new Set(now);
      // Also where nothing is new: a directory may be another one of the same name.
      await watcher.set(now);
      if (fresh.length === 0 || closed) return;
      const files = fresh.flatMap((directory) => discovery.contentIn(directory));
      const unlike = discovery.note(files, current.edition.texts);
      // In the middle of a burst they would be seen with half of what belongs to them.
      if (queue.isQuiet(performance.now())) await reloader.changed([...fresh, ...unlike], "watch");
      else for (const path of [...fresh, ...unlike]) queue.offer(path, performance.now(), false);
      take();
    }
  };

  const directoriesNow = (): readonly string[] => {
    const { edition, loader, kept } = generations.current;
    const served = discovery.everyWay(edition.texts.served);
    for (const file of served) {
      const plugin = discovery.pluginOf(file);
      if (plugin !== undefined) wanted.add(plugin);
    }
    const missed = [...kept.tools.keys(), ...kept.extensions.keys()].flatMap((file) => loader.lookedIn(file));
    const apart = [...served.map((file) => dirname(file)), ...missed.map(nearest)];
    return [
      ...new Set([...discovery.directories((plugin) => options.everything === true || wanted.has(plugin)), ...apart]),
    ];
  };

  await settle();
  return {
    get mode() {
      return watcher.mode;
    },
    get directories() {
      return watcher.directories;
    },
    settle,
    async close() {
      closed = true;
      clearTimeout(timer);
      await watcher.close();
      await renewing;
    },
  };
}

/** The nearest directory upwards that exists. */
function nearest(directory: string): string {
  let at = directory;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
