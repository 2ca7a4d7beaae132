import { type FileHandle, open } from "node:fs/promises";
import { readRecord, type TranscriptRecord } from "./transcript-records.ts";

/** A line of a transcript that could not be read. */
export interface DamagedLine {
  /** 1-based. */
  readonly line: number;
  /** In words, for a person. */
  readonly fault: string;
}

/** What became of the reading of a transcript. */
export interface TranscriptScan {
  readonly damaged: readonly DamagedLine[];
  /** Bytes of the last line, where it has no end and is no record: its writer was cut short. */
  readonly torn: number;
  /** The last line is whole, but for its line break. */
  readonly open: boolean;
  /** Bytes of the file. */
  readonly size: number;
}

const CHUNK_BYTES = 256 * 1024;
const LINE_BREAK = 0x0a;

/**
 * Reads a transcript from its beginning to its end, a piece at a time. A line that is damaged is passed over and told.
 *
 * @param each is given the records in their order
 * @throws the error of the file system when the file cannot be read
 */
export async function scanTranscript(file: string, each: (record: TranscriptRecord) => void): Promise<TranscriptScan> {
  const damaged: DamagedLine[] = [];
  let line = 0;
  const take = (bytes: Buffer): string | undefined => {
    line++;
    const record = readLine(bytes);
    if (!("fault" in record)) each(record);
    return "fault" in record ? record.fault : undefined;
  };

  const handle = await open(file, "r");
  try {
    const { rest, size } = await eachLine(handle, (bytes) => {
      const fault = take(bytes);
      if (fault !== undefined) damaged.push({ line, fault });
    });
    const torn = rest.length > 0 && take(rest) !== undefined;
    return { damaged, torn: torn ? rest.length : 0, open: rest.length > 0 && !torn, size };
  } finally {
    await handle.close();
  }
}

/** @returns what stands behind the last line break */
async function eachLine(handle: FileHandle, each: (bytes: Buffer) => void): Promise<{ rest: Buffer; size: number }> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
    if (bytesRead === 0) return { rest: Buffer.concat(pieces), size };
    size += bytesRead;
    let from = 0;
    for (;;) {
      const end = buffer.subarray(0, bytesRead).indexOf(LINE_BREAK, from);
      if (end < 0) break;
      each(Buffer.concat([...pieces, buffer.subarray(from, end)]));
      pieces = [];
      from = end + 1;
    }
    if (from < bytesRead) pieces.push(Buffer.from(buffer.subarray(from, bytesRead)));
  }
}

function readLine(bytes: Buffer): TranscriptRecord | { readonly fault: string } {
  try {
    return readRecord(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return { fault: "it is not UTF-8" };
  }
}
