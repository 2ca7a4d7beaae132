import { closeSync, readSync, type Stats } from "node:fs";
import type { BytePath } from "./byte-paths.ts";
import { openDescriptor } from "./open-now.ts";
import type { Pace } from "./pace.ts";

/** Larger files are not searched. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

const CHUNK_BYTES = 1024 * 1024;

/** What a search sees of a file. */
export type FileText =
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  /** A NUL in it, too large, or closed by another of its names. */
  | { readonly kind: "binary" | "large" | "closed" };

/**
 * The whole file. Text in UTF-16 that begins with a byte-order mark becomes UTF-8; the mark is dropped.
 * @param isClosed whether the call may not read the file, whatever its name
 * @throws NotThere, the error of the file system; OutOfTime, ToolError the signal's reason
 */
export async function readFileText(
  path: BytePath,
  { pace, isClosed }: { readonly pace: Pace; isClosed(found: Stats): boolean },
): Promise<FileText> {
  const { fd, found } = openDescriptor(path, "file");
  try {
    if (isClosed(found)) return { kind: "closed" };
    if (found.size > MAX_FILE_BYTES) return { kind: "large" };
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      // It may grow while it is read, so what counts is where it ends.
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(found.size - length, 0) + 1));
      const read = readSync(fd, chunk, 0, chunk.length, null);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      length += read;
      if (read < chunk.length) break;
      if (length > MAX_FILE_BYTES) return { kind: "large" };
      if (pace.due()) await pace.check();
    }
    const bytes = decoded(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    return bytes.includes(0) ? { kind: "binary" } : { kind: "text", bytes };
  } finally {
    closeSync(fd);
  }
}

function decoded(bytes: Buffer): Uint8Array {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  if (first === 0xff && second === 0xfe) return Buffer.from(new TextDecoder("utf-16le").decode(bytes), "utf8");
  if (first === 0xfe && second === 0xff) return Buffer.from(new TextDecoder("utf-16be").decode(bytes), "utf8");
  return bytes;
}
