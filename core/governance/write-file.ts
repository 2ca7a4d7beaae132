import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, lstat, open, rename, rm } from "node:fs/promises";
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
}

/**
 * Writes a whole file at once: readers see the old content or the new one, never a part. An existing file keeps
 * its mode; a read-only one is refused although a rename could replace it.
 *
 * @throws ToolError ACCESS_DENIED, PERMISSION_DENIED, IS_DIRECTORY, INVALID_PARAM (a pipe, a socket, a device), ABORTED
 */
export async function writeFileAtomically({ real, shown, content, signal }: FileWrite): Promise<void> {
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
      await rename(temporary, directory.at(name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    throw fileError(error, shown);
  } finally {
    await directory?.close();
  }
}

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
