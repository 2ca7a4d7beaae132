import type { Dirent } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { DirNode, Listing, Tree } from "./dir-node.ts";
import { listingOf, type ReadEntries, readListing } from "./listing.ts";
import { lookAtLink } from "./look.ts";
import { type Walk, walkBase } from "./walk.ts";

/** What {@link scanTree} reads. Absolute real paths. */
export interface ScanOptions {
  readonly root: string;
  readonly home: string;
  readonly follow: Walk["follow"];
  /** Take the times of directories, for an index; undefined: names only. */
  readonly startedAt?: number;
  /** The trees of an earlier scan: what has not changed is taken from them. */
  readonly known?: Tree;
  /** Of `known`, the directories that are taken from it without a look at them. */
  readonly untouched?: Walk["untouched"];
  /** Stands in for `readdirSync` (with types). */
  readonly readEntries?: ReadEntries;
}

/** The directories whose children are plugins, profiles and projects: the wide ones, for which the glob is made. */
const WIDE = ["usr/plugins", "usr/agents", "usr/projects", "plugins", "agents"] as const;

/**
 * Scans root and home. With `known` only what has changed since is read (and the glob is not even imported);
 * without it one synchronous glob a base lists plugins, profiles and projects, and their directories are
 * read one by one. No content file is opened.
 */
export function scanTree({ root, home, known, ...options }: ScanOptions): Tree {
  const scanned = scanBase(root, "root", { ...options, ...(known ? { known: known.root } : {}) });
  if (home === root) return { root: scanned, home: scanned };
  return { root: scanned, home: scanBase(home, "home", { ...options, ...(known ? { known: known.home } : {}) }) };
}

type BaseOptions = Omit<ScanOptions, "root" | "home" | "known"> & { readonly known?: DirNode };

function scanBase(
  base: string,
  shape: "root" | "home",
  { follow, startedAt, known, readEntries, untouched }: BaseOptions,
): DirNode {
  const globbed: ReadonlyMap<string, Listing> = known ? new Map() : globWide(base, readEntries);
  // Each wide directory is asked for once: after the last of them no path has to be looked up any more.
  let left = globbed.size;
  const read = (directory: string): Listing => {
    const listed = left > 0 ? globbed.get(directory) : undefined;
    if (!listed) return readListing(directory, readEntries);
    left--;
    return listed;
  };
  const walk: Walk = {
    read,
    follow,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(untouched ? { untouched } : {}),
  };
  return walkBase(base, shape, walk, known);
}

/** What lies directly in the wide directories, by their absolute path. One that is missing or a link is left to the walk. */
function globWide(base: string, readEntries: ReadEntries | undefined): ReadonlyMap<string, Listing> {
  const usr = isDirectory(`${base}/usr`);
  const wide = WIDE.filter((path) => (usr || !path.startsWith("usr/")) && isDirectory(`${base}/${path}`));
  if (wide.length === 0) return new Map();
  const fastGlob = createRequire(import.meta.url)("fast-glob") as typeof import("fast-glob");
  const entries = new Map<string, Dirent[]>(wide.map((path) => [path, []]));
  const patterns = wide.map((path) => `${path}/*`);
  try {
    // Relative patterns under `cwd`: a base whose name holds ( or [ would be taken for a pattern itself.
    for (const { path, dirent } of fastGlob.sync(patterns, {
      cwd: base,
      objectMode: true,
      onlyFiles: false,
      // No two patterns meet.
      unique: false,
      followSymbolicLinks: false,
      ...(readEntries ? { fs: { readdirSync: readEntries as never } } : {}),
    })) {
      entries.get(dirname(path))?.push(dirent as Dirent);
    }
  } catch {
    // One of them cannot be read: the walk reads each by itself and says which.
    return new Map();
  }
  // Some bases make the glob blind (a backslash in the root's path): what it finds empty is read once more.
  const listed = [...entries].filter(([, found]) => found.length > 0);
  return new Map(listed.map(([path, found]) => [`${base}/${path}`, listingOf(found)]));
}

function isDirectory(path: string): boolean {
  return lookAtLink(path)?.isDirectory() ?? false;
}
