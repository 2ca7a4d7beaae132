import { ToolError } from "toolroom";
import type { EditedLines } from "./edits.ts";

/** Lines that become others. With `to` they are replaced, without `content` removed; without `to` it is put before `from`. */
export interface LineEdit {
  /** From 1. */
  readonly from: number;
  readonly to?: number | undefined;
  readonly content?: string | undefined;
}

/**
 * Changes lines by their numbers in the text as it is, all or none. What is put in gets the line ends of its place, and a
 * last one where it has none.
 *
 * @throws ToolError INVALID_PARAM
 */
export function applyLineEdits(
  text: string,
  edits: readonly LineEdit[],
): { readonly text: string; readonly lines: readonly EditedLines[] } {
  const lines = text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  const checked = edits.map((edit, index) => ({ ...edit, index, end: endOf(edit, { index, total: lines.length }) }));
  // What is put before a line comes before what replaces it.
  const sorted = checked.toSorted((a, b) => a.from - b.from || a.end - b.end || a.index - b.index);
  let made = "";
  let line = 0;
  for (const { from, end, content = "", index } of sorted) {
    if (from - 1 < line) {
      throw invalid(index, "from", `line ${from} is changed by another edit as well`, "Join the two edits into one.");
    }
    made += lines.slice(line, from - 1).join("");
    made += put(content, { before: made, lines, from, end });
    line = end;
  }
  return {
    text: made + lines.slice(line).join(""),
    lines: edits.map(({ from, to = from }) => ({ from, to })),
  };
}

/** The number of the last line that goes; the one before the first where none does. */
function endOf(
  { from, to, content }: LineEdit,
  { index, total }: { readonly index: number; readonly total: number },
): number {
  const has = `the file has ${total} line${total === 1 ? "" : "s"}`;
  const again = "Read the file again: numbers are those of the lines as they are now.";
  if (to === undefined && content === undefined) {
    throw invalid(
      index,
      "content",
      "expected to, content, or both, found neither",
      "Without to, content is put before from.",
    );
  }
  if (to === undefined) {
    if (from > total + 1)
      throw invalid(index, "from", `expected a line up to ${total + 1}, found ${from}; ${has}`, again);
    return from - 1;
  }
  if (to < from)
    throw invalid(index, "to", `expected a line from ${from} on, found ${to}`, "from is the first line, to the last.");
  if (to > total) throw invalid(index, "to", `expected a line up to ${total}, found ${to}; ${has}`, again);
  return to;
}

function put(
  content: string,
  {
    before,
    lines,
    from,
    end,
  }: { readonly before: string; readonly lines: readonly string[]; readonly from: number; readonly end: number },
): string {
  if (content === "") return "";
  const near = lines[from - 1] ?? lines[from - 2] ?? "";
  const hasReturn = near.endsWith("\r\n") || (!near.endsWith("\n") && (lines[from - 2] ?? "").endsWith("\r\n"));
  const feed = hasReturn ? "\r\n" : "\n";
  const plain = content.replaceAll("\r\n", "\n");
  // A text whose last line has no end keeps it so.
  const isLast = end >= lines.length && lines.length > 0 && !(lines.at(-1) ?? "").endsWith("\n");
  const whole = plain.endsWith("\n") || isLast ? plain : `${plain}\n`;
  const joint = before !== "" && !before.endsWith("\n") ? feed : "";
  return joint + whole.replaceAll("\n", feed);
}

function invalid(index: number, key: keyof LineEdit, message: string, hint: string): ToolError {
  return new ToolError("INVALID_PARAM", `${message}. Nothing was written`, { pointer: `/edits/${index}/${key}`, hint });
}
