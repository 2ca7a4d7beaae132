import type { ListedTool } from "../../host/listing.ts";
import { HostError } from "../../sdk/errors.ts";
import type { Command } from "../command.ts";
import { switchOption, textOption } from "../options.ts";
import { table } from "../table.ts";

const KINDS = ["tool", "fragment", "prompt", "extension", "profile", "plugin", "skill", "locale"] as const;

/** `list`: what a profile has. Runs no module. */
export const command: Command = {
  usage: "list [--kind K | --all] [--definitions [--provider P]]",
  summary: "tools of a profile with layer, plugin, risk and status, or other kinds of content",
  options: {
    kind: { type: "string" },
    all: { type: "boolean" },
    definitions: { type: "boolean" },
    provider: { type: "string" },
  },
  optionHelp: {
    kind: `one of ${KINDS.join(", ")} (default: tool)`,
    all: "every kind",
    definitions: "the function definitions that a model gets",
    provider: "with --definitions: the provider that they are for",
  },
  async run({ line, terminal, host: open }) {
    if (line.words.length > 0)
      throw new HostError(
        "USAGE",
        `list takes no words, found "${line.words.join(" ")}"; explain <id> tells about one tool.`,
        { kind: "usage" },
      );
    const kind = textOption(line, "kind") ?? "tool";
    const known = KINDS.find((name) => name === kind);
    if (!known)
      throw new HostError("USAGE", `--kind must be one of ${KINDS.join(", ")}, found "${kind}".`, { kind: "usage" });
    const host = await open();
    if (switchOption(line, "definitions")) {
      const provider = textOption(line, "provider");
      const definitions = await host.toolDefinitions(provider === undefined ? {} : { provider });
      if (terminal.json) terminal.value(definitions);
      else terminal.say(JSON.stringify(definitions, null, 2));
      return 0;
    }
    const kinds = switchOption(line, "all") ? KINDS : [known];
    const listing = await host.list({});
    const others = kinds.filter((name) => name !== "tool").map((name) => ({ kind: name, items: host.items(name) }));
    if (terminal.json)
      terminal.value(
        kinds.includes("tool")
          ? { ...listing, ...(others.length > 0 ? { kinds: others } : {}) }
          : {
              profile: listing.profile,
              generation: listing.generation,
              kinds: others,
              diagnostics: listing.diagnostics,
            },
      );
    else {
      if (kinds.includes("tool")) terminal.say(toolTable(listing.tools));
      for (const { kind: name, items } of others) {
        terminal.say(`\n${name}:`);
        terminal.say(
          table([
            ["id", "layer", "file"],
            ...items.map((item) => [item.id, `${item.layer.rank} ${item.layer.path}`, item.file]),
          ]),
        );
      }
      terminal.report(listing.diagnostics);
    }
    return switchOption(line, "strict") && listing.diagnostics.some((item) => item.severity === "error") ? 1 : 0;
  },
};

function toolTable(tools: readonly ListedTool[]): string {
  const rows = tools.map((tool) => [
    tool.name,
    tool.status,
    tool.risk ?? "?",
    `${tool.layer.rank} ${tool.layer.path}`,
    tool.plugin ?? "-",
    tool.shadows.length > 0 ? `${tool.description} (shadows ${tool.shadows.join(", ")})` : tool.description,
  ]);
  return table([["tool", "status", "risk", "layer", "plugin", "description"], ...rows]);
}
