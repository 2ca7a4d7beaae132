import { HostError } from "../../sdk/errors.ts";
import type { Command } from "../command.ts";
import { switchOption } from "../options.ts";
import { table } from "../table.ts";

/** `prompt`: the assembled system prompt. */
export const command: Command = {
  usage: "prompt [--tokens | --sources]",
  summary: "the assembled system prompt; --tokens per part, --sources where each part came from",
  options: { tokens: { type: "boolean" }, sources: { type: "boolean" } },
  optionHelp: { tokens: "a table of tokens per part", sources: "where each part came from" },
  async run({ line, terminal, host: open }) {
    if (line.words.length > 0)
      throw new HostError("USAGE", `prompt takes no words, found "${line.words.join(" ")}".`, { kind: "usage" });
    const host = await open();
    const prompt = await host.prompt({});
    const { diagnostics, ...shown } = prompt;
    if (terminal.json) terminal.value(shown);
    else if (switchOption(line, "tokens")) {
      const rows = prompt.sections.map(({ id, tokens }) => [id, String(tokens)]);
      terminal.say(table([["part", "tokens"], ...rows, ["whole prompt", String(prompt.tokens)]]));
    } else if (switchOption(line, "sources")) {
      const rows = prompt.sections.map(({ id, layer, file }) => [
        id,
        layer ? `${layer.rank} ${layer.path}` : "-",
        file,
      ]);
      terminal.say(table([["part", "layer", "file"], ...rows]));
    } else terminal.say(prompt.text);
    terminal.report(diagnostics);
    return switchOption(line, "strict") && diagnostics.some((item) => item.severity === "error") ? 1 : 0;
  },
};
