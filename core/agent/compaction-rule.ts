import type { HistoryItem } from "./history-items.ts";

const MAX_QUOTE = 300;
const MAX_ARGUMENTS = 120;
const ASKED = "- asked: ";

/**
 * A summary that needs no model: what was asked, which calls were made and how they ended, what was answered. Where it
 * would be too long, the oldest lines go.
 *
 * @param limit in characters
 */
export function summaryByRule(removed: readonly HistoryItem[], limit: number): string {
  const lines = removed.flatMap(linesOf);
  let length = 0;
  let from = lines.length;
  while (from > 0) {
    length += (lines[from - 1] as string).length + 1;
    if (length > limit) break;
    from--;
  }
  // An answer without its question tells nothing.
  while (from > 0 && lines.slice(from).some(isQuestion) && !isQuestion(lines[from] as string)) from++;
  return [...(from > 0 ? [`(${from} older lines were left out)`] : []), ...lines.slice(from)].join("\n");
}

function isQuestion(line: string): boolean {
  return line.startsWith(ASKED);
}

function linesOf(item: HistoryItem): readonly string[] {
  const { kind, message, answer } = item;
  // The lines of an earlier summary stay lines; its heading is made anew.
  if (kind === "summary") return message.content.split("\n").filter((line) => line.startsWith("- "));
  if (kind === "message") {
    const answered = answer === undefined || answer === "" ? [] : [`- answered: ${quote(answer)}`];
    return [ASKED + quote(message.content), ...answered];
  }
  if (kind === "intervention") return [`- said meanwhile: ${quote(message.content)}`];
  if (kind === "result") return [`- called ${callOf(item)}: ${item.status}`];
  // Replies and warnings are told by the calls and answers that they led to.
  return [];
}

function callOf({ call, message }: HistoryItem): string {
  const name = message.role === "tool" ? message.toolName : "";
  const args = call?.args === undefined ? "" : ` ${shorten(JSON.stringify(call.args), MAX_ARGUMENTS)}`;
  return name + args;
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, MAX_QUOTE));
}

function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
