import path from "node:path";
import { createLatch, inTime } from "./latch.ts";

/** What a {@link DirectoryShelf} tells. */
export interface ShelfListeners {
  /**
   * Something happened in a watched directory.
   * @param directory as it was given
   * @param name of the entry; the directory's own name when something happened to the directory itself (an entry may
   * have that name too); absent where the system does not say
   */
  event(directory: string, name: string | undefined): void;
  error(error: unknown): void;
}

/** Directories whose events are asked for at once. */
export interface DirectoryShelf {
  /** Resolves when the events of what happens from now on will come; also when the shelf is closed. Never rejects. */
  readonly ready: Promise<void>;
  remove(directories: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Opens a shelf.
 *
 * @param directories real paths of directories, absolute; never patterns
 */
export type OpenShelf = (directories: readonly string[], listeners: ShelfListeners) => DirectoryShelf;

/** A `stat` that never comes back must not hold up who closes. */
const CLOSE_WITHIN_MS = 2_000;

/** The environment asks for polling (`CHOKIDAR_USEPOLLING`). */
export class PollingWanted extends Error {
  override readonly name = "PollingWanted";
  constructor() {
    super("the environment variable CHOKIDAR_USEPOLLING asks for polling");
  }
}

/** Chokidar takes every backslash for a separator; where it is none it would watch another path, or nothing. */
class BackslashInName extends Error {
  override readonly name = "BackslashInName";
  readonly path: string;
  constructor(directory: string) {
    super("a backslash in the name of a directory: rename it");
    this.path = directory;
  }
}

const isUsable = (directory: string): boolean => path.sep === "\\" || !directory.includes("\\");

/**
 * Loads chokidar, which costs some 25 ms: only hosts that watch pay it.
 *
 * Of chokidar only the raw events are taken. Its own events come of comparing listings: every event in a directory
 * reads it again with a stat of each entry, a broken link in it ends its watching without a word, and `change` is
 * throttled without a trailing event. Directories alone, and no reading: a quarter of the time until ready.
 */
export async function loadShelves(): Promise<OpenShelf> {
  const { FSWatcher } = await import("chokidar");
  return (directories, listeners) => {
    const watcher = new FSWatcher({
      // Without persistence a watch keeps no process alive, and it is not shared by path within the process: a shared
      // one that died with its directory is handed out again for the next directory of that path. Elsewhere than on
      // Linux the handle itself can fail, and without persistence nobody hears that: it would end the process.
      persistent: process.platform !== "linux",
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      // It would silently refuse directories whose names look like backups.
      atomic: false,
      ignored: (_path, stats) => stats?.isDirectory() === false,
    });
    if (watcher.options.usePolling) throw new PollingWanted();
    watcher._nodeFsHandler._handleRead = async () => undefined;

    const { opened: ready, open: settle } = createLatch();
    const added = createLatch();
    let closed = false;
    watcher.once("ready", added.open);
    watcher.on("error", (error) => {
      if (!closed) listeners.error(error);
    });
    watcher.on("raw", (_event, name: string | null, details) => {
      const { watchedPath } = details as { readonly watchedPath?: string };
      if (!closed && watchedPath !== undefined) listeners.event(path.resolve(watchedPath), name || undefined);
    });
    const [usable, unusable] = [directories.filter(isUsable), directories.filter((directory) => !isUsable(directory))];
    for (const directory of unusable) listeners.error(new BackslashInName(directory));
    if (usable.length > 0) watcher.add(usable);
    else added.open();
    void added.opened.then(settle);
    return {
      ready,
      // Whatever lies below what was unwatched could never be added to the same watcher again: shelves are not added to.
      remove: (gone) => void watcher.unwatch([...gone]),
      close: async () => {
        closed = true;
        settle();
        // What chokidar is about to open when it is closed stays open for ever.
        await inTime(added.opened, CLOSE_WITHIN_MS);
        await watcher.close();
        // It lets go of all listeners, and an error that nobody listens to would end the process.
        watcher.on("error", () => {});
      },
    };
  };
}
