import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isInside } from "./containment.ts";
import { fileError, outsideError, specialFileError, throwIfAborted } from "./file-errors.ts";

/** One write of a whole file. */
export interface FileWrite {
  /** The workspace's real path. */
  readonly root: string;
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
export async function writeFileAtomically({ root, real, shown, content, signal }: FileWrite): Promise<void> {
  const directory = dirname(real);
  const temporary = join(directory, `.${basename(real).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    throwIfAborted(signal);
    const existing = await existingFile(real, shown);
    if (!existing) await makeDirectory(root, directory, shown);
    // The path was real when it was resolved; a link may have been put in the way since.
    if (!isInside(root, await realpath(directory))) throw outsideError(shown);
    await writeTemporary(temporary, content, existing);
    try {
      throwIfAborted(signal);
      await rename(temporary, real);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    throw fileError(error, shown);
  }
}

/** Nothing is made before the nearest directory that exists is known to lie inside. */
async function makeDirectory(root: string, directory: string, shown: string): Promise<void> {
  let nearest = directory;
  let real: string | undefined;
  while (real === undefined) {
    real = await realpath(nearest).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      nearest = dirname(nearest);
      return undefined;
    });
  }
  if (!isInside(root, real)) throw outsideError(shown);
  await mkdir(directory, { recursive: true });
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
