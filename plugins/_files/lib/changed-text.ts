import type { EditedLines } from "./edits.ts";
import { many, readTextFile } from "./text-file.ts";
import { type DiffSize, type UnifiedDiff, unifiedDiff } from "./unified-diff.ts";

/** What parts of a text file become. */
export interface TextChange {
  readonly content: string;
  /** Of the new content. */
  readonly bytes: number;
  /** Where in the old text each change is made. */
  readonly lines: readonly EditedLines[];
  readonly diff: UnifiedDiff;
}

/** How a text is changed, and how much of it is shown. */
export interface TextChanger {
  change(text: string): { readonly text: string; readonly lines: readonly EditedLines[] };
  readonly size?: DiffSize;
}

/**
 * @param shown the path as messages name it
 * @throws ToolError BINARY_FILE, and what the change throws
 */
export function changedText(bytes: Uint8Array, shown: string, { change, size }: TextChanger): TextChange {
  const { mark, text } = readTextFile(bytes, shown);
  const { text: now, lines } = change(text);
  const content = mark + now;
  const diff = unifiedDiff(text, now, { path: shown, ...(size ? { size } : {}) });
  return { content, bytes: Buffer.byteLength(content), lines, diff };
}

/** What a result says of a change, for the model and for programs. */
export function changeReport(
  shown: string,
  { bytes, lines, diff }: TextChange,
): { readonly what: string; readonly data: Readonly<Record<string, unknown>> } {
  const numbers = lines.map(({ from, to }) => (from >= to ? `line ${from}` : `lines ${from} to ${to}`)).join(", ");
  const places = `${many(lines.length, "place")} (${numbers})`;
  const { added, removed, text, cut } = diff;
  return {
    what: `${places}, +${added} −${removed} lines`,
    data: { path: shown, replacements: lines.length, lines, bytes, added, removed, diff: text, diffCut: cut },
  };
}
