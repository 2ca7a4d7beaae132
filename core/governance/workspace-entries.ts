import type { Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { compareText } from "../diagnostics.ts";
import { displayPath } from "../discovery/paths.ts";
import { ToolError } from "../sdk/errors.ts";
import type { WorkspaceEntry } from "../sdk/workspace.ts";
import { fileError } from "./file-errors.ts";
import { type OpenDirectory, openDirectory } from "./open-directory.ts";

/** So many entries of a directory are looked at at once. */
const LIST_BATCH = 64;

/**
 * What lies at a real path, and not what a link leads to that was put on the way.
 * @throws ToolError NOT_FOUND, PERMISSION_DENIED, CONFLICT
 */
export async function entryAt(root: string, real: string, shown: string): Promise<WorkspaceEntry> {
  let above: OpenDirectory | undefined;
  try {
    above = await openDirectory(dirname(real), shown);
    return entryOf(displayPath(root, real), await lstat(above.at(basename(real))));
  } catch (error) {
    throw fileError(error, shown);
  } finally {
    await above?.close();
  }
}

/** Of a listing. */
interface Listing {
  readonly shown: string;
  /** Whether what a link leads to may be shown. @param target a real path */
  isVisible(target: string): boolean;
}

/** The entries of a directory, sorted by path. @throws ToolError as {@link entryAt}, INVALID_PARAM for a file */
export async function listDirectory(
  root: string,
  real: string,
  { shown, isVisible }: Listing,
): Promise<readonly WorkspaceEntry[]> {
  let directory: OpenDirectory | undefined;
  try {
    directory = await openDirectory(real, shown);
    const held = directory;
    const names = await readdir(held.at("."));
    const entries: WorkspaceEntry[] = [];
    for (let start = 0; start < names.length; start += LIST_BATCH) {
      const batch = names
        .slice(start, start + LIST_BATCH)
        .map((name) => listed(held.at(name), { path: displayPath(root, join(real, name)), isVisible }));
      for (const entry of await Promise.all(batch)) if (entry) entries.push(entry);
    }
    return entries.sort((a, b) => compareText(a.path, b.path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw fileError(error, shown);
    throw new ToolError("INVALID_PARAM", `expected a directory, found a file at ${shown}`, {
      hint: "List the directory that holds it.",
    });
  } finally {
    await directory?.close();
  }
}

/** Undefined for a link that dangles or leads to what may not be shown, and for what vanished meanwhile. */
async function listed(
  way: string,
  { path, isVisible }: Pick<Listing, "isVisible"> & { readonly path: string },
): Promise<WorkspaceEntry | undefined> {
  const found = await lstat(way).catch(() => undefined);
  if (!found?.isSymbolicLink()) return found && entryOf(path, found);
  const target = await realpath(way).catch(() => undefined);
  if (target === undefined || !isVisible(target)) return undefined;
  const behind = await lstat(target).catch(() => undefined);
  return behind && entryOf(path, behind);
}

function entryOf(path: string, found: Stats): WorkspaceEntry {
  const type = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
  return { path, type, size: found.size, mtimeMs: found.mtimeMs };
}
