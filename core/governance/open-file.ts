import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { ToolError } from "../sdk/errors.ts";
import { fileError, secretError, specialFileError, swappedError } from "./file-errors.ts";
import type { HostState } from "./host-state.ts";
import { requireAt } from "./open-directory.ts";

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

/** Whoever writes puts a new file in the place of the old one: that is no swap to deceive, and each look is a whole one. */
const MAX_LOOKS = 100;

/**
 * Opens a regular file for reading. Where it is replaced meanwhile, it is the new one, looked at as thoroughly.
 *
 * @param real as `resolveInside` returned it
 * @param shown the path as messages name it
 * @param state whose secrets may not be read by another name either
 * @throws ToolError ACCESS_DENIED, NOT_FOUND, IS_DIRECTORY, PERMISSION_DENIED, INVALID_PARAM (a pipe, a socket, a device), CONFLICT (it was swapped meanwhile)
 */
export async function openFile(real: string, shown: string, state?: HostState): Promise<OpenFile> {
  for (let look = 1; ; look++) {
    try {
      return await openOnce(real, shown, state);
    } catch (error) {
      if (look === MAX_LOOKS || (error as ToolError).code !== "CONFLICT" || !(await isPlainFile(real))) throw error;
    }
  }
}

async function isPlainFile(real: string): Promise<boolean> {
  return await lstat(real).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function openOnce(real: string, shown: string, state: HostState | undefined): Promise<OpenFile> {
  let handle: FileHandle | undefined;
  try {
    const before = await lstat(real);
    if (before.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
    if (!before.isFile()) throw before.isSymbolicLink() ? swappedError(shown) : specialFileError(shown);
    handle = await open(real, READ_FLAGS);
    const now = await handle.stat();
    if (now.dev !== before.dev || now.ino !== before.ino || !now.isFile()) throw swappedError(shown);
    // A directory on the way may have been a link for a moment, so what counts is where the open file lies.
    await requireAt(handle, real, shown);
    if (state?.isSecretFile(now)) throw secretError(shown);
    return { handle, size: now.size };
  } catch (error) {
    await handle?.close();
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? swappedError(shown) : fileError(error, shown);
  }
}

/** @throws ToolError BINARY_FILE when the beginning of the file holds a NUL */
export async function refuseBinary(handle: FileHandle, shown: string): Promise<void> {
  const probe = Buffer.alloc(PROBE_BYTES);
  const { bytesRead } = await handle.read(probe, 0, PROBE_BYTES, 0);
  if (isBinary(probe.subarray(0, bytesRead))) throw binaryError(probe, shown);
}

/** Whether the first 8 KiB hold a NUL. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, PROBE_BYTES).includes(0);
}

/** @param bytes the beginning of the file */
export function binaryError(bytes: Uint8Array, shown: string): ToolError {
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isWide
    ? new ToolError("BINARY_FILE", `expected text in UTF-8, found text in UTF-16 in ${shown}`, {
        hint: "Have it converted to UTF-8.",
      })
    : new ToolError("BINARY_FILE", `expected text, found binary content in ${shown}`, {
        hint: "Read it as bytes, or name a text file.",
      });
}
