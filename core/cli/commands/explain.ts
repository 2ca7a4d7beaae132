import type { Explanation } from "../../discovery/explain.ts";
import type { Host } from "../../host.ts";
import { nearest } from "../../sdk/nearest.ts";
import type { Command } from "../command.ts";
import { textOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { table } from "../table.ts";
import { usageError } from "../usage.ts";

/** `explain`: every candidate of every layer for one id. Runs no module. */
export const command: Command = {
  usage: "explain <id> [--kind K]",
  summary: "every candidate of every layer: who won, who is shadowed or refused, why, and what would change it",
  options: { kind: { type: "string" } },
  optionHelp: { kind: "tool (default), fragment, prompt, extension, profile, plugin, skill or locale" },
  async run({ line, terminal, host: open }) {
    const [id, ...rest] = line.words;
    if (id === undefined || rest.length > 0)
      throw usageError(`explain takes one id: toolroom explain <id>; found ${line.words.length}`);
    const host = await open();
    const kind = textOption(line, "kind");
    const told = await host.explain(id, kind === undefined ? {} : { kind });
    if (terminal.json) terminal.value(told);
    else {
      terminal.say(`${told.kind} ${told.id}, profile ${told.profile}: ${told.winner ?? "nothing serves it"}`);
      if (told.describedIn !== undefined) terminal.say(`${told.description} (${told.describedIn})`);
      const rows = told.candidates.map(({ state, layer, file, reason }) => [
        state,
        `${layer.rank} ${layer.path}`,
        file,
        reason,
      ]);
      if (rows.length > 0) terminal.say(table([["state", "layer", "file", "reason"], ...rows]));
    }
    terminal.report(told.diagnostics);
    if (told.candidates.length > 0) return strictCode(line, told.diagnostics);
    terminal.note(`No layer has the ${told.kind} "${told.id}"${await suggestion(host, told)}`);
    return 1;
  },
};

async function suggestion(host: Host, { kind, id }: Pick<Explanation, "kind" | "id">): Promise<string> {
  const names = host.items(kind, { hidden: true }).map((item) => item.id);
  const close = nearest(id, names);
  return close === undefined ? "." : `; did you mean ${close}?`;
}
