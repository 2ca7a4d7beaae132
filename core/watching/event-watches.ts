import path from "node:path";
import { compareText } from "../diagnostics.ts";
import type { DirectoryShelf, OpenShelf } from "./chokidar.ts";
import { isEditorFile } from "./editor-files.ts";
import { inTime } from "./latch.ts";
import type { RealDirectory } from "./real-directories.ts";

/** The directories whose events are listened to. */
export interface EventWatches {
  /** Paths by which they were asked for, sorted. */
  readonly directories: readonly string[];
  /**
   * Makes this the set. Resolves when the events of the new ones will come.
   * @returns real paths that are left out, because there would be more than the limit
   */
  set(wanted: ReadonlyMap<string, RealDirectory>): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What {@link createEventWatches} needs. */
export interface EventWatchesOptions {
  readonly open: OpenShelf;
  /** Most directories that are watched at once; the first ones of a set are. */
  readonly limit: number;
  onChange(path: string): void;
  failed(error: unknown): void;
}

interface Held {
  directory: RealDirectory;
  readonly shelf: Shelf;
  /** Something happened to the directory itself: it may be another one by now, of which the watch knows nothing. */
  doubtful: boolean;
}

/** The directories that were added by one `set`. */
interface Shelf {
  readonly watches: DirectoryShelf;
  readonly holds: Set<string>;
}

/** A `stat` that never comes back, on a dead network disk, must not hold up a host for ever. */
const READY_WITHIN_MS = 10_000;

export function createEventWatches(options: EventWatchesOptions): EventWatches {
  const held = new Map<string, Held>();
  const shelves = new Set<Shelf>();
  /** Real paths that could not be watched; the next set tries them again. */
  const failed = new Set<string>();
  let closed = false;

  const event = (real: string, name: string | undefined): void => {
    const watch = held.get(real);
    if (closed || !watch) return;
    const itself = name === undefined || name === path.basename(real);
    if (itself) watch.doubtful = true;
    for (const directory of watch.directory.names) {
      if (itself) options.onChange(directory);
      if (name !== undefined && !isEditorFile(name)) options.onChange(path.join(directory, name));
    }
  };

  const error = (problem: unknown): void => {
    const { path: real } = problem as NodeJS.ErrnoException;
    if (real !== undefined) failed.add(real);
    if (!closed) options.failed(problem);
  };

  const letGo = async (directories: readonly string[]): Promise<void> => {
    const gone = new Map<Shelf, string[]>();
    for (const real of directories) {
      const shelf = held.get(real)?.shelf;
      held.delete(real);
      failed.delete(real);
      if (!shelf?.holds.delete(real)) continue;
      const list = gone.get(shelf);
      if (list) list.push(real);
      else gone.set(shelf, [real]);
    }
    for (const [shelf, list] of gone) {
      if (shelf.holds.size > 0) {
        shelf.watches.remove(list);
      } else {
        shelves.delete(shelf);
        await shelf.watches.close();
      }
    }
  };

  const take = async (directories: readonly RealDirectory[]): Promise<void> => {
    if (directories.length === 0) return;
    const list = directories.map(({ real }) => real);
    const watches = options.open(list, { event, error });
    const shelf: Shelf = { watches, holds: new Set(list) };
    shelves.add(shelf);
    for (const directory of directories) held.set(directory.real, { directory, shelf, doubtful: false });
    if (!(await inTime(watches.ready, READY_WITHIN_MS))) {
      options.failed(new Error(`${list.length} directories were not ready after ${READY_WITHIN_MS / 1_000} s`));
    }
  };

  const stillServes = ({ real, identity }: RealDirectory): boolean => {
    const watch = held.get(real);
    return watch !== undefined && !watch.doubtful && !failed.has(real) && watch.directory.identity === identity;
  };

  return {
    get directories() {
      const watched = [...held.values()].filter(({ directory }) => !failed.has(directory.real));
      return watched.flatMap(({ directory }) => directory.names).sort(compareText);
    },

    set: async (wanted) => {
      const within = [...wanted.values()].slice(0, options.limit);
      const serving = new Set(within.filter(stillServes));
      const kept = new Set([...serving].map(({ real }) => real));
      // Those that go are closed first: where chokidar shares watches by path, a new one would be joined to the old.
      await letGo([...held.keys()].filter((real) => !kept.has(real)));
      for (const directory of serving) {
        const watch = held.get(directory.real);
        if (watch) watch.directory = directory;
      }
      if (!closed) await take(within.filter((directory) => !serving.has(directory)));
      return [...wanted.keys()].slice(options.limit);
    },

    close: async () => {
      closed = true;
      held.clear();
      const open = [...shelves];
      shelves.clear();
      await Promise.all(open.map(({ watches }) => watches.close()));
    },
  };
}
