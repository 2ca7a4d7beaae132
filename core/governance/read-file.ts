import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ToolError } from "../sdk/errors.ts";
import { fileError, throwIfAborted } from "./file-errors.ts";
import type { HostState } from "./host-state.ts";
import { binaryError, isBinary, openFile, PROBE_BYTES, refuseBinary } from "./open-file.ts";

const CHUNK_BYTES = 256 * 1024;

/** How a file is read. */
export interface FileRead {
  readonly text?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly state: HostState | undefined;
}

/** @throws ToolError as `openFile`, TOO_LARGE, BINARY_FILE, ABORTED */
export async function readWhole(
  real: string,
  shown: string,
  { state, ...limits }: FileRead & { readonly maxBytes: number },
): Promise<Uint8Array> {
  const { handle } = await openFile(real, shown, state);
  try {
    return await readOpen(handle, shown, limits);
  } finally {
    await handle.close();
  }
}

/** The whole of an open file. It may grow meanwhile, so what counts is what comes, not what it said of itself. */
export async function readOpen(
  handle: FileHandle,
  shown: string,
  { maxBytes, text, signal }: Omit<FileRead, "state"> & { readonly maxBytes: number },
): Promise<Uint8Array> {
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw tooLarge(shown, size, maxBytes);
    // One byte more than it should have: whether it has grown shows in the same read.
    let buffer = Buffer.allocUnsafe(Math.max(size + 1, PROBE_BYTES));
    let length = 0;
    for (;;) {
      throwIfAborted(signal);
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      if (text && length === 0 && isBinary(buffer.subarray(0, bytesRead))) throw binaryError(buffer, shown);
      length += bytesRead;
      if (length > maxBytes) throw tooLarge(shown, length, maxBytes);
      if (length < buffer.length) continue;
      const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes + 1));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
  } catch (error) {
    throw fileError(error, shown);
  }
}

/** A stream over a file. @throws ToolError as `openFile`, BINARY_FILE, ABORTED */
export async function openStream(real: string, shown: string, { text, signal, state }: FileRead): Promise<Readable> {
  const { handle, size } = await openFile(real, shown, state);
  try {
    if (text) await refuseBinary(handle, shown);
    throwIfAborted(signal);
    // A file that grows as fast as it is read would never end. One that says nothing of its size may have a content.
    const end = size > 0 ? { end: size - 1 } : {};
    return handle.createReadStream({ start: 0, ...end, highWaterMark: CHUNK_BYTES, ...(signal ? { signal } : {}) });
  } catch (error) {
    await handle.close();
    throw fileError(error, shown);
  }
}

function tooLarge(shown: string, size: number, limit: number): ToolError {
  return new ToolError("TOO_LARGE", `${shown} has ${size} bytes or more, the limit is ${limit}`, {
    hint: "Search it for what is needed, or name a smaller file.",
  });
}
