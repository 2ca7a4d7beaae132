import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";

/** A file of JSON lines that several processes append to, read on from where it was read to. */
export interface LineFile {
  /**
   * The lines that came since the last time; one that is being written comes with the time when it is whole.
   * `isNew`: another file lies there than before, and all of it is read.
   * @throws the error of the file system, except where there is none
   */
  readOn(): { readonly lines: readonly string[]; readonly isNew: boolean };
  /** Lines of processes that write at once stand one behind the other. @throws the error of the file system */
  append(line: object): void;
}

export function openLineFile(file: string): LineFile {
  let read = 0;
  let inode: number | undefined;
  let rest = "";
  return {
    readOn() {
      const descriptor = openIfThere(file);
      if (descriptor === undefined) return { lines: [], isNew: false };
      try {
        const { size, ino } = fstatSync(descriptor);
        const isNew = inode !== undefined && (ino !== inode || size < read);
        if (isNew) {
          read = 0;
          rest = "";
        }
        inode = ino;
        const bytes = Buffer.alloc(size - read);
        const got = bytes.length === 0 ? 0 : readSync(descriptor, bytes, 0, bytes.length, read);
        read += got;
        // Byte by byte, because a character may be cut in two.
        const lines = `${rest}${bytes.toString("latin1", 0, got)}`.split("\n");
        rest = lines.pop() ?? "";
        return { lines: lines.filter((line) => line !== "").map(decoded), isNew };
      } finally {
        closeSync(descriptor);
      }
    },
    append(line) {
      const text = `${JSON.stringify(line)}\n`;
      try {
        appendFileSync(file, text, { mode: 0o600 });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        appendFileSync(file, text, { mode: 0o600 });
      }
    },
  };
}

function decoded(line: string): string {
  return Buffer.from(line, "latin1").toString("utf8");
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
