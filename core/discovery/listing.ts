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
  if (entries.every(isPlainFile)) {
    return { files: inOrder(entries.map(nameOf)), dirs: NOTHING, links: NOTHING, others: NOTHING };
  }
  const files: string[] = [];
  const dirs: string[] = [];
  const links: string[] = [];
  const others: string[] = [];
  for (const entry of entries) {
    if (isHidden(entry.name)) continue;
    if (entry.isFile()) files.push(entry.name);
    else if (entry.isDirectory()) dirs.push(entry.name);
    else if (entry.isSymbolicLink()) links.push(entry.name);
    else others.push(entry.name);
  }
  return { files: sorted(files), dirs: sorted(dirs), links: sorted(links), others: sorted(others) };
}

function isHidden(name: string): boolean {
  return name.charCodeAt(0) === 46 && name !== TOGGLES.off && name !== TOGGLES.on;
}

function isPlainFile(entry: Dirent): boolean {
  return entry.isFile() && !isHidden(entry.name);
}

function nameOf({ name }: Dirent): string {
  return name;
}

function readTyped(directory: string): readonly Dirent[] {
  return readdirSync(directory, { withFileTypes: true });
}

/** A list that grew has room for more, and tens of thousands of them are kept: a copy has none. */
function sorted(names: string[]): readonly string[] {
  return inOrder(names.slice());
}

function inOrder(names: string[]): readonly string[] {
  if (names.length === 0) return NOTHING;
  // Most systems list by name already, and looking is cheaper than sorting.
  if (!isSorted(names)) names.sort();
  return names;
}

function isSorted(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) if ((names[at - 1] as string) > (names[at] as string)) return false;
  return true;
}
