import { type Dirent, readdirSync, type Stats } from "node:fs";
import { type Listing, NOTHING } from "./dir-node.ts";

/** Reads the entries of a directory; `readdirSync` with types, or a stand-in that orders them otherwise. */
export type ReadEntries = (directory: string) => readonly Dirent[];

/** The toggle files: the only dot files that mean something. */
export const TOGGLES = { off: ".toggle-0", on: ".toggle-1" } as const;

/**
 * A number that changes whenever a file or directory does: its two times together. A copy that restores the
 * modification time (`cp -a`, `unzip`, `touch -r`) still shows in the change time. Never 0.
 */
export function signature({ mtimeMs, ctimeMs }: Stats): number {
  return mtimeMs + ctimeMs || 1;
}

/** Lists one directory. What keeps it from being read is told in `fault`. */
export function readListing(directory: string, readEntries: ReadEntries = readTyped): Listing {
  let entries: readonly Dirent[];
  try {
    entries = readEntries(directory);
  } catch (error) {
    return faulty((error as NodeJS.ErrnoException).code ?? "EIO");
  }
  return listingOf(entries);
}

/** A directory that could not be read. */
export function faulty(fault: string): Listing {
  return { files: NOTHING, dirs: NOTHING, links: NOTHING, others: NOTHING, fault };
}

/** Sorts entries by their type and name. */
export function listingOf(entries: readonly Dirent[]): Listing {
  const files: string[] = [];
  const dirs: string[] = [];
  const links: string[] = [];
  const others: string[] = [];
  for (const entry of entries) {
    const { name } = entry;
    if (name.charCodeAt(0) === 46 && name !== TOGGLES.off && name !== TOGGLES.on) continue;
    if (entry.isFile()) files.push(name);
    else if (entry.isDirectory()) dirs.push(name);
    else if (entry.isSymbolicLink()) links.push(name);
    else others.push(name);
  }
  return { files: sorted(files), dirs: sorted(dirs), links: sorted(links), others: sorted(others) };
}

function readTyped(directory: string): readonly Dirent[] {
  return readdirSync(directory, { withFileTypes: true });
}

function sorted(names: string[]): readonly string[] {
  if (names.length === 0) return NOTHING;
  return names.length === 1 ? names : names.sort();
}
