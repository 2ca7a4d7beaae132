import { createHash } from "node:crypto";

/** What the model is given of one result, in bytes of UTF-8. */
export const MAX_MESSAGE_BYTES = 50 * 1024;

/** Room for the line that stands for what was left out. */
const MARKER_BYTES = 1024;

/** Whether a text is too long for the model. */
export function isTooLong(text: string): boolean {
  // A UTF-16 unit is at most three bytes.
  return text.length * 3 > MAX_MESSAGE_BYTES && Buffer.byteLength(text) > MAX_MESSAGE_BYTES;
}

/** What became of a text that was too long. */
export interface CutText {
  /** The first two thirds and the last third of what fits, with a line between them that says what is missing. */
  readonly text: string;
  readonly originalBytes: number;
  readonly keptBytes: number;
}

/** What {@link cutMiddle} may be told. */
export interface CutOptions {
  /** The file with the whole. */
  readonly path?: string | undefined;
  /** Of the result, in bytes; default {@link MAX_MESSAGE_BYTES}. */
  readonly limit?: number;
  /** Of the whole, where `text` is not the whole any more. */
  readonly bytes?: number;
}

/** A text that was cut before has the line of that cut in its middle, so it goes with what is left out now. */
export function cutMiddle(text: string, { path, limit = MAX_MESSAGE_BYTES, bytes: whole }: CutOptions = {}): CutText {
  const bytes = Buffer.from(text);
  const room = limit - Math.min(MARKER_BYTES, Math.floor(limit / 2));
  const head = boundary(bytes, Math.floor((room * 2) / 3));
  const tail = boundary(bytes, bytes.length - (room - head));
  const keptBytes = head + bytes.length - tail;
  const originalBytes = whole ?? bytes.length;
  const whereabouts = path === undefined ? "ask for less at once to see them" : `the whole is in ${path}`;
  const marker = `\n[… ${originalBytes - keptBytes} of ${originalBytes} bytes left out; ${whereabouts} …]\n`;
  const cut = bytes.toString("utf8", 0, head) + marker + bytes.toString("utf8", tail);
  return { text: cut, originalBytes, keptBytes };
}

/** A file name for a spilled text that no other text can have: the call's id and the hash of the content. */
export function spillName(callId: string, text: string): string {
  const id = callId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 60);
  return `${id}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.txt`;
}

/** The next place at or after `offset` where a character begins. */
function boundary(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
