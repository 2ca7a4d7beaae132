import { createInterface } from "node:readline";
import type { ApprovalDecision, ApprovalRequest } from "../sdk/approval.ts";
import { choicesText, readAnswer } from "./approval-answer.ts";
import type { Terminal } from "./terminal.ts";

/** How a question is talked about. */
export interface Dialog {
  show(text: string): void;
  /** The next line; undefined at the end of the input, and when nobody waits for an answer any more. */
  read(): Promise<string | undefined>;
}

/** Who is asked at a terminal is called so. */
const BY = "terminal";

/** Shows a question and asks until there is an answer. The end of the input is a no. */
export async function talk(request: ApprovalRequest, { show, read }: Dialog): Promise<ApprovalDecision> {
  show(`${request.text}\n${choicesText(request)}`);
  for (;;) {
    const line = await read();
    if (line === undefined) return { decision: "deny", by: BY };
    const answer = readAnswer(line, request);
    if (!("fault" in answer)) return { ...answer, by: BY };
    show(`${answer.fault} ${choicesText(request)}`);
  }
}

/** Asks on stderr, and reads the answer from the terminal, of a command that reads nothing else. */
export async function askAtTerminal(
  terminal: Pick<Terminal, "stdin" | "note">,
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
    return await talk(request, { show: terminal.note, read });
  } finally {
    if (signal.aborted) terminal.note("The question is withdrawn.");
    lines.close();
  }
}
