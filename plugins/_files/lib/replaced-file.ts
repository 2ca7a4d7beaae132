import { type FileNow, ToolError } from "toolroom";
import { lineEndsOf, type TextFile, textFileOf } from "./text-file.ts";
import { type DiffSize, type UnifiedDiff, unifiedDiff } from "./unified-diff.ts";

/** The most that is written at once, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/** What a whole file is replaced by. */
export interface Replacement {
  readonly content: Uint8Array;
  /** The content, where it is text. */
  readonly text: string | undefined;
  /** Whether a file was there. */
  readonly existed: boolean;
  /** What the new content was given of the old file. */
  readonly kept: readonly string[];
  /** Absent where one of both is no text, or may not be read. */
  readonly diff: UnifiedDiff | undefined;
  /** The file holds this already. */
  readonly isSame: boolean;
}

/** What is written. */
export interface NewContent {
  readonly path: string;
  readonly content: string;
  readonly encoding: "utf8" | "base64";
}

/**
 * What becomes of a file whose content is given whole. Text in place of a text keeps its byte-order mark, and CRLF where
 * the old one has nothing else and the new one only line feeds: reading shows neither.
 * @throws ToolError INVALID_PARAM, TOO_LARGE
 */
export async function replacedFile(
  now: FileNow,
  { path, content, encoding }: NewContent,
  size?: DiffSize,
): Promise<Replacement> {
  const given = bytesOf(content, encoding);
  const before = now.exists ? await readable(now.read) : undefined;
  const old = before && textFileOf(before);
  if (encoding === "base64") {
    return {
      content: given,
      text: undefined,
      existed: now.exists,
      kept: [],
      diff: undefined,
      isSame: before?.equals(given) ?? false,
    };
  }
  const { text, kept } = old ? likeBefore(old, content) : { text: content, kept: [] };
  const bytes = Buffer.from(text);
  const shown =
    !now.exists || old ? unifiedDiff(old?.text, withoutMark(text), { path, ...(size ? { size } : {}) }) : undefined;
  return { content: bytes, text, existed: now.exists, kept, diff: shown, isSame: before?.equals(bytes) ?? false };
}

function bytesOf(content: string, encoding: NewContent["encoding"]): Buffer {
  const invalid = (message: string, hint: string) =>
    new ToolError("INVALID_PARAM", message, { pointer: "/content", hint });
  if (encoding === "utf8" && /\p{Surrogate}/u.test(content)) {
    throw invalid("expected text, found half a character (a lone surrogate)", "Send whole characters.");
  }
  const plain = encoding === "base64" ? content.replace(/\s+/gu, "") : content;
  if (encoding === "base64" && (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/u.test(plain))) {
    throw invalid("expected base64, found something else", "Use the alphabet with + and /, and fill it up with =.");
  }
  const bytes = Buffer.from(plain, encoding);
  if (bytes.length <= MAX_BYTES) return bytes;
  throw new ToolError("TOO_LARGE", `expected at most ${MAX_BYTES} bytes, found ${bytes.length}`, {
    pointer: "/content",
    hint: "Write several files.",
  });
}

/** What is too large, or may not be read, is replaced without a look. */
async function readable(read: () => Promise<Uint8Array>): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await read());
  } catch (error) {
    if (error instanceof ToolError && (error.code === "TOO_LARGE" || error.code === "ACCESS_DENIED")) return undefined;
    throw error;
  }
}

function likeBefore({ mark, text: old }: TextFile, content: string): { text: string; kept: readonly string[] } {
  const marks = mark !== "" && !content.startsWith(mark);
  const returns = lineEndsOf(old) === "CRLF" && lineEndsOf(content) === "LF";
  const text = (marks ? mark : "") + (returns ? content.replaceAll("\n", "\r\n") : content);
  return { text, kept: [...(marks ? ["byte-order mark"] : []), ...(returns ? ["CRLF line ends"] : [])] };
}

function withoutMark(text: string): string {
  return text.replace(/^\ufeff/u, "");
}
