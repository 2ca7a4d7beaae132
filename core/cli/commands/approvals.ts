import { approvalsText } from "../approvals-text.ts";
import type { Command } from "../command.ts";
import { switchOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { usageError } from "../usage.ts";

const ACTIONS = ["list", "revoke"] as const;

/** `approvals`: what a person has approved for more than one call. */
export const command: Command = {
  usage: "approvals [list | revoke ID … | revoke --all]",
  summary: "what was approved for a session or for a time, and its end",
  options: { all: { type: "boolean" } },
  optionHelp: { all: "with revoke: every one" },
  async run({ line, terminal, host: open }) {
    const [word = "list", ...ids] = line.words;
    const action = ACTIONS.find((name) => name === word);
    if (!action) throw usageError(`approvals has the actions ${ACTIONS.join(", ")}, found "${word}"`);
    const all = switchOption(line, "all");
    if (action === "list" && (all || ids.length > 0)) {
      throw usageError(
        `approvals list takes no words and no --all, found "${[...ids, ...(all ? ["--all"] : [])].join(" ")}"`,
      );
    }
    if (action === "revoke" && all === ids.length > 0) {
      throw usageError("approvals revoke needs an id, or --all; approvals list shows them");
    }
    const host = await open();
    if (action === "list") {
      const approvals = host.approvals.list();
      if (terminal.json) terminal.value({ approvals });
      else terminal.say(approvalsText(approvals));
    } else {
      const revoked = host.approvals.revoke(all ? "all" : ids);
      if (terminal.json) terminal.value({ revoked });
      else terminal.say(revoked.length === 0 ? "There were none." : revoked.map((id) => `revoked ${id}`).join("\n"));
    }
    const diagnostics = host.diagnostics();
    terminal.report(diagnostics);
    return strictCode(line, diagnostics);
  },
};
