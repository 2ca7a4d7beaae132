import type { Command } from "../command.ts";
import { switchOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { table } from "../table.ts";
import { usageError } from "../usage.ts";

/** `prompt`: the assembled system prompt. */
export const command: Command = {
  usage: "prompt [--tokens | --sources]",
  summary: "the assembled system prompt; --tokens per part, --sources where each part came from",
  options: { tokens: { type: "boolean" }, sources: { type: "boolean" } },
  optionHelp: { tokens: "a table of tokens and budget per part", sources: "where each part came from" },
  async run({ line, terminal, host: open }) {
    if (line.words.length > 0) throw usageError(`prompt takes no words, found "${line.words.join(" ")}"`);
    const tokens = switchOption(line, "tokens");
    const sources = switchOption(line, "sources");
    if (tokens && sources) throw usageError("--tokens and --sources are two tables: ask for one of them");
    const host = await open();
    const { diagnostics, ...shown } = await host.prompt({});
    if (terminal.json) terminal.value(shown);
    else if (tokens) {
      const limited = (limit: number | null) => (limit === null ? "-" : String(limit));
      const rows = shown.sections.map(({ id, tokens: used, budget, shortened }) => [
        shortened ? `${id} (summary)` : id,
        String(used),
        limited(budget),
      ]);
      const whole = ["whole prompt", String(shown.tokens), limited(shown.maxTokens)];
      terminal.say(table([["part", "tokens", "budget"], ...rows, whole]));
    } else if (sources) {
      const rows = shown.sections.map(({ id, layer, file }) => [id, layer ? `${layer.rank} ${layer.path}` : "-", file]);
      terminal.say(table([["part", "layer", "file"], ...rows]));
    } else terminal.say(shown.text);
    terminal.report(diagnostics);
    return strictCode(line, diagnostics);
  },
};
