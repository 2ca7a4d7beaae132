import { readdirSync, readFileSync } from "node:fs";

/** What the system allows, and what this process uses of it. A member is absent where the system does not tell. */
export interface WatchLimits {
  /** Linux only. */
  readonly inotify?: {
    /** Directories and files that one user may watch, over all processes: `fs.inotify.max_user_watches`. */
    readonly maxWatches?: number;
    /** Watching processes of one user, roughly: `fs.inotify.max_user_instances`. */
    readonly maxInstances?: number;
    /** Events that wait to be read; those beyond are lost: `fs.inotify.max_queued_events`. */
    readonly maxEvents?: number;
    /** Watches of this process, whoever in it made them. */
    readonly watches?: number;
    /** Instances of this process. */
    readonly instances?: number;
  };
  readonly openFiles?: {
    /** The soft limit of this process (`ulimit -n`); `Infinity` = unlimited. */
    readonly max?: number;
    /** Open now. */
    readonly open?: number;
  };
}

/** Reads the limits from `/proc`; `{}` where there is none (macOS, Windows). */
export function readWatchLimits(): WatchLimits {
  const used = usedByThisProcess();
  const inotify = defined({
    maxWatches: inotifyLimit("max_user_watches"),
    maxInstances: inotifyLimit("max_user_instances"),
    maxEvents: inotifyLimit("max_queued_events"),
    watches: used?.watches,
    instances: used?.instances,
  });
  const openFiles = defined({ max: openFileLimit(), open: used?.open });
  return { ...(inotify && { inotify }), ...(openFiles && { openFiles }) };
}

function usedByThisProcess(): { watches: number; instances: number; open: number } | undefined {
  try {
    const descriptors = readdirSync("/proc/self/fdinfo");
    const counts = descriptors.map((name) => textOf(`/proc/self/fdinfo/${name}`)?.match(/^inotify /gmu)?.length ?? 0);
    return {
      watches: counts.reduce((sum, count) => sum + count, 0),
      instances: counts.filter((count) => count > 0).length,
      open: descriptors.length,
    };
  } catch {
    // Not a Linux, or /proc is closed to this process: the caller is told nothing rather than something wrong.
    return undefined;
  }
}

function inotifyLimit(name: string): number | undefined {
  const value = Number.parseInt(textOf(`/proc/sys/fs/inotify/${name}`) ?? "", 10);
  return Number.isNaN(value) ? undefined : value;
}

function openFileLimit(): number | undefined {
  const soft = textOf("/proc/self/limits")?.match(/^Max open files\s+(\S+)/mu)?.[1];
  if (soft === undefined) return undefined;
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number.parseInt(soft, 10);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Absent on this system, or a descriptor that was closed meanwhile.
    return undefined;
  }
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends Record<string, unknown>>(values: T): Defined<T> | undefined {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Defined<T>);
}
