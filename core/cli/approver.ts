import type { Approver } from "../sdk/approval.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Asks who sits at the terminal of a command that reads nothing else.
 * @returns undefined where nobody does: a command that writes for a program never waits for a person
 */
export function approverAt(terminal: Terminal): Approver | undefined {
  const { stdin, stderr, json } = terminal;
  if (json || stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  return async (request, { signal }) => {
    const { askAtTerminal } = await import("./approval-dialog.ts");
    return await askAtTerminal(terminal, request, signal);
  };
}
