import { visibleText } from "../governance/visible-text.ts";
import type { Host } from "../host.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Tells of calls that were not run because nobody could be asked, also where the agent went on without them.
 * @returns whether there were any: then the command has not done all that it was asked for
 */
export function tellUnasked(host: Pick<Host, "on">, terminal: Pick<Terminal, "note">): () => boolean {
  let found = false;
  host.on("approval_decided", ({ outcome, code, message }) => {
    if (outcome !== "no_approver") return;
    found = true;
    terminal.note(`${code}: ${visibleText(message ?? "")}`);
  });
  return () => found;
}
