import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { ToolError } from "../sdk/errors.ts";
import { fileError, specialFileError } from "./file-errors.ts";

/** So much of a file decides whether it is text: a NUL in it means binary. */
export const PROBE_BYTES = 8192;

/**
 * Not through a link (the path is real already: one that appears now was put there to deceive), and never
 * waiting for the other end of a pipe.
 */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file that is open for reading, and its size at that moment. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * Opens a regular file for reading.
 *
 * @param real as `resolveInside` returned it
 * @param shown the path as messages name it
 * @throws ToolError NOT_FOUND, IS_DIRECTORY, PERMISSION_DENIED, INVALID_PARAM (a pipe, a socket, a device), CONFLICT (it was swapped meanwhile)
 */
export async function openFile(real: string, shown: string): Promise<OpenFile> {
  let handle: FileHandle | undefined;
  try {
    const before = await lstat(real);
    if (before.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
    if (!before.isFile()) throw before.isSymbolicLink() ? swapped(shown) : specialFileError(shown);
    handle = await open(real, READ_FLAGS);
    const now = await handle.stat();
    // A directory on the way may have been replaced by a link since the path was resolved.
    const same = now.dev === before.dev && now.ino === before.ino && (await realpath(real)) === real;
    if (!same || !now.isFile()) throw swapped(shown);
    return { handle, size: now.size };
  } catch (error) {
    await handle?.close();
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? swapped(shown) : fileError(error, shown);
  }
}

/** @throws ToolError BINARY_FILE when the beginning of the file holds a NUL */
export async function refuseBinary(handle: FileHandle, shown: string): Promise<void> {
  const probe = Buffer.alloc(PROBE_BYTES);
  const { bytesRead } = await handle.read(probe, 0, PROBE_BYTES, 0);
  if (isBinary(probe.subarray(0, bytesRead))) throw binaryError(shown);
}

/** Whether the first 8 KiB hold a NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, PROBE_BYTES).includes(0);
}

export function binaryError(shown: string): ToolError {
  return new ToolError("BINARY_FILE", `expected text, found binary content in ${shown}`, {
    hint: "Read it as bytes, or name a text file.",
  });
}

function swapped(shown: string): ToolError {
  return new ToolError("CONFLICT", `${shown} was replaced while it was being opened`, { hint: "Ask again." });
}
