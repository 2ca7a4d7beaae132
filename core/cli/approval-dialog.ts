import { createInterface } from "node:readline";
import type { ApprovalDecision, ApprovalRequest } from "../sdk/approval.ts";
import { choicesText, readAnswer } from "./approval-answer.ts";
import { pagesOf, type Screen } from "./question-pages.ts";
import type { Terminal } from "./terminal.ts";

/** How a question is talked about. */
export interface Dialog {
  /** Default: 24 rows of 80 columns. */
  readonly screen?: Screen;
  show(text: string): void;
  /** The next line; undefined at the end of the input, and when nobody waits for an answer any more. */
  read(): Promise<string | undefined>;
}

/** Who is asked at a terminal is called so. */
const BY = "terminal";

/**
 * Shows a question, page by page where it is longer than the screen, and asks until there is an answer. Until the last page
 * was shown only a no is one. The end of the input is a no.
 */
export async function talk(
  request: ApprovalRequest,
  { screen = SCREEN, show, read }: Dialog,
): Promise<ApprovalDecision> {
  const pages = pagesOf(request.text, screen);
  let at = 0;
  const isLast = (): boolean => at >= pages.length - 1;
  const asks = (): string => (isLast() ? choicesText(request) : `Page ${at + 1} of ${pages.length}. ${MORE}`);
  show(`${pages[at]}\n${asks()}`);
  for (;;) {
    const line = await read();
    if (line === undefined) return { decision: "deny", by: BY };
    if (!isLast() && line.trim() === "") {
      at++;
      show(`${pages[at]}\n${asks()}`);
      continue;
    }
    const answer = readAnswer(line, request);
    if (!("fault" in answer) && (isLast() || answer.decision === "deny")) return { ...answer, by: BY };
    show(`${"fault" in answer ? answer.fault : "Read all of it first."} ${asks()}`);
  }
}

const SCREEN: Screen = { rows: 24, columns: 80 };
const MORE = "Enter for the next one · n no [WHY]";

/** Of what is written with `note`. */
export function screenOf({ stderr }: Pick<Terminal, "stderr">): Screen {
  const { rows, columns } = SCREEN;
  return { rows: stderr.rows || rows, columns: stderr.columns || columns };
}

/** Asks on stderr, and reads the answer from the terminal, of a command that reads nothing else. */
export async function askAtTerminal(
  terminal: Pick<Terminal, "stdin" | "stderr" | "note">,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalDecision> {
  // The terminal's own line editing, so that Ctrl-C stays the signal that stops the turn.
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  let isOpen = !signal.aborted;
  let take = (_: string | undefined): void => {};
  // What was typed before the question was there is no answer to it.
  lines.on("line", (line) => take(line));
  lines.on("close", () => {
    isOpen = false;
    take(undefined);
  });
  signal.addEventListener("abort", () => lines.close());
  const read = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      if (isOpen) take = resolve;
      else resolve(undefined);
    });
  try {
    return await talk(request, { screen: screenOf(terminal), show: terminal.note, read });
  } finally {
    if (signal.aborted) terminal.note("The question is withdrawn.");
    lines.close();
  }
}
