import { realpathSync, statSync } from "node:fs";
import path from "node:path";

/** One directory of the disk, by however many paths it was asked for. */
export interface RealDirectory {
  readonly real: string;
  /** Differs when another directory lies at the path, also one that was given the same inode again. */
  readonly identity: string;
  /** The paths that lead to it, as they were asked for, absolute. */
  readonly names: readonly string[];
}

/** What {@link realDirectories} found. */
export interface RealDirectories {
  /** By real path, in the order in which they were asked for. */
  readonly found: ReadonlyMap<string, RealDirectory>;
  /** Paths that are there but could not be looked at. What does not exist is passed over. */
  readonly failed: readonly { readonly directory: string; readonly error: unknown }[];
}

/** So many are looked at before others get their turn; some ms. */
const CHUNK = 256;

/** Finds the real directories behind paths: two paths that lead to one place are one watch. */
export async function realDirectories(paths: Iterable<string>): Promise<RealDirectories> {
  const found = new Map<string, RealDirectory>();
  const failed: { directory: string; error: unknown }[] = [];
  let looked = 0;
  for (const directory of new Set([...paths].map((item) => path.resolve(item)))) {
    if (++looked % CHUNK === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      const stats = statSync(directory, { throwIfNoEntry: false });
      if (!stats?.isDirectory()) continue;
      const real = realpathSync.native(directory);
      // An inode is often given to the next directory that is made; the time of birth tells the two apart.
      const identity = `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
      found.set(real, { real, identity, names: [...(found.get(real)?.names ?? []), directory] });
    } catch (error) {
      if (!isAbsence(error)) failed.push({ directory, error });
    }
  }
  return { found, failed };
}

function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
