import type { MaskStream } from "../governance/mask.ts";

/** Of one stream so much is kept in memory, in bytes. */
const KEPT_BYTES = 1024 * 1024;

/** A larger file would fill somebody's disk. */
const MOST_FILE_BYTES = 100 * 1024 * 1024;

/** A file for what is too much to keep in memory. */
export interface OverflowFile {
  /** As file tools take it. */
  readonly path: string;
  write(text: string | Uint8Array): void;
  close(): void;
}

/** What a stream brought. */
export interface KeptOutput {
  /** Masked. Where more came than is kept, the first two thirds and the last third, with a line between them. */
  readonly text: string;
  /** Of all that came, before it was masked. */
  readonly bytes: number;
  /** How much of them is not in `text`; 0 where all is. */
  readonly omittedBytes: number;
  /** Where the whole is, as file tools take it; absent where it is in `text`, or could not be kept. */
  readonly file?: string;
}

/** What a process writes to one stream. */
export interface Output {
  /** Takes what came in. @returns what can be shown of it by now */
  push(chunk: Uint8Array): string;
  /** Nothing more comes. @returns what was held back */
  end(): string;
  /** All since the last time. */
  take(): KeptOutput;
  /** Whether anything came since the last time. */
  readonly isNew: boolean;
}

/** What {@link createOutput} takes. */
export interface OutputOptions {
  /** What is kept and shown went through it, so nothing that cuts it later cuts a secret in two. */
  readonly mask: MaskStream;
  /** Asked once, when more comes than is kept; undefined: there is no such place. */
  overflow(): OverflowFile | undefined;
  /** In bytes; default 1 MiB. */
  readonly limit?: number;
}

export function createOutput({ mask, overflow, limit = KEPT_BYTES }: OutputOptions): Output {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const headLimit = Math.floor((limit * 2) / 3);
  const tailLimit = limit - headLimit;
  let part = emptyPart();

  const keep = (text: string): void => {
    if (text === "") return;
    const bytes = Buffer.from(text);
    part.rest.push(bytes);
    part.restBytes += bytes.length;
    part.shownBytes += bytes.length;
    if (part.head) writeTo(part, bytes);
    else if (part.restBytes > limit) {
      const whole = Buffer.concat(part.rest);
      part.file = overflow();
      writeTo(part, whole);
      part.head = whole.subarray(0, boundary(whole, headLimit));
      part.rest = [whole.subarray(part.head.length)];
      part.restBytes = whole.length - part.head.length;
    }
    if (part.head) dropFirst(part, tailLimit);
  };
  const show = (decoded: string): string => {
    const shown = mask.push(decoded);
    keep(shown);
    return shown;
  };

  return {
    push(chunk) {
      part.bytes += chunk.byteLength;
      return show(decoder.decode(chunk, { stream: true }));
    },
    end() {
      const shown = show(decoder.decode());
      const last = mask.end();
      keep(last);
      part.file?.close();
      return shown + last;
    },
    take() {
      const { head, rest, bytes, shownBytes, file } = part;
      file?.close();
      part = emptyPart();
      const all = Buffer.concat(rest);
      if (!head) return { text: all.toString("utf8"), bytes, omittedBytes: 0 };
      const tail = all.subarray(boundary(all, Math.max(0, all.length - tailLimit)));
      const omittedBytes = shownBytes - head.length - tail.length;
      const where = file ? `; the whole is in ${file.path}` : "";
      const marker = `\n[… ${omittedBytes} bytes left out${where} …]\n`;
      const text = head.toString("utf8") + marker + tail.toString("utf8");
      return { text, bytes, omittedBytes, ...(file ? { file: file.path } : {}) };
    },
    get isNew() {
      return part.shownBytes > 0;
    },
  };
}

/** What came since it was last taken. */
interface Part {
  /** Set from the moment on when more came than is kept. */
  head: Buffer | undefined;
  /** What comes behind the head, or all. */
  rest: Buffer[];
  restBytes: number;
  bytes: number;
  /** As `bytes`, of the masked text. */
  shownBytes: number;
  file: OverflowFile | undefined;
  writtenBytes: number;
}

function emptyPart(): Part {
  return { head: undefined, rest: [], restBytes: 0, bytes: 0, shownBytes: 0, file: undefined, writtenBytes: 0 };
}

function dropFirst(part: Part, keptBytes: number): void {
  for (let [first] = part.rest; first && part.restBytes - first.length >= keptBytes; [first] = part.rest) {
    part.rest.shift();
    part.restBytes -= first.length;
  }
}

function writeTo(part: Part, bytes: Buffer): void {
  if (!part.file || part.writtenBytes > MOST_FILE_BYTES) return;
  part.writtenBytes += bytes.length;
  const isTooMuch = part.writtenBytes > MOST_FILE_BYTES;
  part.file.write(isTooMuch ? `\n[more than ${MOST_FILE_BYTES} bytes: the rest was not kept]\n` : bytes);
}

/** The next place at or after `offset` where a character begins. */
function boundary(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
