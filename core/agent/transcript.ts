import { closeSync, fstatSync, fsync, ftruncateSync, openSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type RecordBody, TRANSCRIPT_VERSION } from "./transcript-records.ts";

/** A file of records that grows at its end, one JSON object a line. */
export interface Transcript {
  /** Writes one record, at once and whole. Never throws: what cannot be written is told to `fail`, once. */
  append(record: RecordBody): void;
  /** Resolves when everything so far is on the disk. Never rejects. */
  sync(): Promise<void>;
  close(): void;
}

/** What {@link openTranscript} takes. */
export interface TranscriptOptions {
  /** Absolute; its directory exists. */
  readonly file: string;
  /** `new`: the file must not exist yet. `old`: it must, and its last line must be whole. */
  readonly as: "new" | "old";
  /** Is told why nothing is written any more. */
  fail(error: unknown): void;
  /** Default: now. */
  readonly now?: () => Date;
}

/**
 * Opens a transcript for writing. A record is handed to the operating system before `append` returns, so that a process
 * that is killed afterwards has not lost it; `sync` makes it survive the machine, too.
 *
 * @throws the error of the file system when the file cannot be opened
 */
export function openTranscript({ file, as, fail, now = () => new Date() }: TranscriptOptions): Transcript {
  // A session is as private as what was said in it.
  const opened = openSync(file, as === "new" ? "ax" : "a", 0o600);
  let descriptor: number | undefined = opened;
  // A file that is safe under a name that is not is lost.
  let named = as === "old";

  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  const guarded = (write: (to: number) => void): void => {
    if (descriptor === undefined) return;
    try {
      write(descriptor);
    } catch (error) {
      close();
      fail(error);
    }
  };

  return {
    append: (record) =>
      guarded((to) => {
        const line = JSON.stringify({ v: TRANSCRIPT_VERSION, ts: now().toISOString(), ...record });
        writeWhole(to, Buffer.from(`${line}\n`));
      }),
    async sync() {
      if (descriptor === undefined) return;
      try {
        await promisify(fsync)(descriptor);
        if (!named) await syncDirectory(dirname(file));
        named = true;
      } catch (error) {
        close();
        fail(error);
      }
    },
    close,
  };
}

/** Some systems open no directory; theirs keep names by themselves. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  try {
    await handle?.sync().catch(() => undefined);
  } finally {
    await handle?.close();
  }
}

/** All of it or nothing: half a line would spoil the next one. */
function writeWhole(to: number, bytes: Buffer): void {
  const before = fstatSync(to).size;
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at);
  } catch (error) {
    ftruncateSync(to, before);
    throw error;
  }
}
