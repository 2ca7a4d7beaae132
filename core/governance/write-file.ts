import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, linkSync, lstatSync, renameSync, type Stats } from "node:fs";
import { access, lstat, open, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileError, specialFileError, throwIfAborted } from "./file-errors.ts";
import { makeDirectory, type OpenDirectory } from "./open-directory.ts";

/** One write of a whole file. */
export interface FileWrite {
  /** As `resolveInside` returned it. */
  readonly real: string;
  /** The path as messages name it. */
  readonly shown: string;
  readonly content: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** What has to lie there; absent: whatever does is replaced. */
  readonly over?: BigIntStats | "nothing" | undefined;
}

/**
 * Writes a whole file at once: readers see the old content or the new one, never a part. An existing file keeps
 * its mode; a read-only one is refused although a rename could replace it.
 *
 * @returns false where something else lay there than had to; nothing is written then
 * @throws ToolError ACCESS_DENIED, PERMISSION_DENIED, IS_DIRECTORY, INVALID_PARAM (a pipe, a socket, a device), ABORTED
 */
export async function writeFileAtomically({ real, shown, content, signal, over }: FileWrite): Promise<boolean> {
  const name = basename(real);
  let directory: OpenDirectory | undefined;
  try {
    throwIfAborted(signal);
    // The path was real when it was resolved, and a link may have been put in the way since: nothing is made, and nothing
    // is written, but in directories that are held.
    directory = await makeDirectory(dirname(real), shown);
    const existing = await existingFile(directory.at(name), shown);
    const temporary = directory.at(`.${name.slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
    await writeTemporary(temporary, content, existing);
    try {
      throwIfAborted(signal);
      return place(temporary, directory.at(name), over);
    } finally {
      await rm(temporary, { force: true });
    }
  } catch (error) {
    throw fileError(error, shown);
  } finally {
    await directory?.close();
  }
}

/** Compares and replaces without a wait between, so that nobody else of this process comes between the two. */
function place(temporary: string, target: string, over: FileWrite["over"]): boolean {
  if (over === "nothing") return placeNew(temporary, target);
  if (over && !isSame(lstatSync(target, { bigint: true, throwIfNoEntry: false }), over)) return false;
  renameSync(temporary, target);
  return true;
}

/** A link of its own replaces nothing. */
function placeNew(temporary: string, target: string): boolean {
  try {
    linkSync(temporary, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    // A file system without hard links.
    if (lstatSync(target, { throwIfNoEntry: false })) return false;
    renameSync(temporary, target);
    return true;
  }
}

function isSame(now: BigIntStats | undefined, before: BigIntStats): boolean {
  return now !== undefined && STAMPS.every((stamp) => now[stamp] === before[stamp]);
}

const STAMPS = ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const;

async function existingFile(real: string, shown: string): Promise<Stats | undefined> {
  const found = await lstat(real).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (found.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
  if (!found.isFile()) throw specialFileError(shown);
  await access(real, constants.W_OK);
  return found;
}

async function writeTemporary(path: string, content: string | Uint8Array, like: Stats | undefined): Promise<void> {
  const handle = await open(path, "wx", like ? 0o600 : 0o666);
  try {
    await handle.writeFile(content);
    if (like) await handle.chmod(like.mode & 0o7777);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
