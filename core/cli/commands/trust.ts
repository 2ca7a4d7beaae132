import { approvalsText } from "../approvals-text.ts";
import type { Command, CommandContext } from "../command.ts";
import { switchOption, textOption } from "../options.ts";
import { table } from "../table.ts";
import { usageError } from "../usage.ts";

/** `trust`: whether what lies in a root may run. Opens no host. */
export const command: Command = {
  usage: "trust [DIR | --list | --revoke [DIR]]",
  summary: "lets what lies in a root run, with its settings as they are now; or tells or ends that",
  options: { list: { type: "boolean" }, revoke: { type: "boolean" } },
  optionHelp: {
    list: "the roots that are trusted",
    revoke: "trusts a root no longer; hosts that run go on",
  },
  async run({ line, terminal }) {
    const [word, ...more] = line.words;
    const [list, revoke] = [switchOption(line, "list"), switchOption(line, "revoke")];
    if (more.length > 0) throw usageError(`trust takes one directory, found "${line.words.join(" ")}"`);
    if (list && (revoke || word !== undefined)) throw usageError("trust --list takes nothing else");
    const root = textOption(line, "root");
    if (root !== undefined && word !== undefined)
      throw usageError("name the directory once: as a word, or with --root");
    const { acceptRoot, listTrust, revokeRoot } = await import("../../host/trust.ts");
    const place = { env: terminal.env, cwd: terminal.cwd() };
    if (list) showList(listTrust(place), terminal);
    else if (revoke) {
      const revoked = revokeRoot(word ?? root, place);
      if (terminal.json) terminal.value({ revoked });
      else terminal.say(`${revoked} is not trusted any more; hosts that run go on`);
    } else showAccepted(acceptRoot(word ?? root, place), terminal);
    return 0;
  },
};

type Terminal = CommandContext["terminal"];
type Trust = typeof import("../../host/trust.ts");
type Accepted = ReturnType<Trust["acceptRoot"]>;

function showList(roots: ReturnType<Trust["listTrust"]>, terminal: Terminal): void {
  if (terminal.json) terminal.value({ roots });
  else if (roots.length === 0) terminal.say("No root is trusted.");
  else {
    const rows = roots.map(({ root, since, state }) => [root, since.slice(0, 16).replace("T", " "), state]);
    terminal.say(table([["root", "trusted since (UTC)", "state"], ...rows]));
  }
}

function showAccepted({ root, since, settings, approvals }: Accepted, terminal: Terminal): void {
  if (terminal.json) {
    terminal.value({ root, since, settings, approvals });
    return;
  }
  terminal.say(`${root} is trusted: what lies there runs, now and when it changes`);
  for (const [file, values] of Object.entries(settings)) {
    terminal.say(`${file}, accepted as it is now: ${JSON.stringify(values)}`);
  }
  if (approvals.length > 0) {
    terminal.say("usr/approvals.jsonl, accepted as it is now; `toolroom approvals revoke` ends them:");
    terminal.say(approvalsText(approvals));
  }
}
