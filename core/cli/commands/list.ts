import { type DiagnosticCode, formatDiagnostic } from "../../diagnostics.ts";
import { keptListing } from "../../host/kept-listing.ts";
import type { ListedItem, ListedTool, Listing } from "../../host/listing.ts";
import type { Host } from "../../host.ts";
import type { Command } from "../command.ts";
import { type CommandLine, switchOption, textOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

const KINDS = ["tool", "fragment", "prompt", "extension", "profile", "plugin", "skill", "locale"] as const;
type Kind = (typeof KINDS)[number];

/** `list`: what a profile has. Runs no module, except for `--definitions`. */
export const command: Command = {
  usage: "list [--kind K | --all | --definitions [--provider P]]",
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
    provider: "with --definitions: as this provider is sent them",
  },
  async run({ line, terminal, host: open, hostOptions }) {
    const kinds = kindsOf(line);
    if (switchOption(line, "definitions")) return await showDefinitions(await open(), line, terminal);
    const keepsListing = kinds.every((kind) => kind === "tool");
    const kept = keepsListing ? keptListing(hostOptions()) : undefined;
    if (kept) return showKept(kept, terminal);
    return await showKinds(await open({ keepsListing }), { line, terminal, kinds });
  },
};

/** What was kept has nothing to tell besides. */
function showKept(listing: Buffer, terminal: Terminal): number {
  if (terminal.json) terminal.text(listing);
  else terminal.say(toolTable((JSON.parse(listing.toString("utf8")) as Listing).tools));
  return 0;
}

/** @throws HostError USAGE for words, an unknown kind, and options that exclude each other */
function kindsOf(line: CommandLine): readonly Kind[] {
  const words = line.words.join(" ");
  if (words !== "") throw usageError(`list takes no words, found "${words}"; explain <id> tells about one tool`);
  const kind = textOption(line, "kind");
  const all = switchOption(line, "all");
  const definitions = switchOption(line, "definitions");
  const chosen = [kind !== undefined && "--kind", all && "--all", definitions && "--definitions"].filter(Boolean);
  if (chosen.length > 1) throw usageError(`${chosen.join(" and ")} exclude each other: choose one`);
  if (textOption(line, "provider") !== undefined && !definitions)
    throw usageError("--provider goes with --definitions only");
  const known = KINDS.find((name) => name === (kind ?? "tool"));
  if (!known) throw usageError(`--kind must be one of ${KINDS.join(", ")}, found "${kind}"`);
  return all ? KINDS : [known];
}

async function showDefinitions(host: Host, line: CommandLine, terminal: Terminal): Promise<number> {
  const provider = textOption(line, "provider");
  const definitions = await host.toolDefinitions(provider === undefined ? {} : { provider });
  if (terminal.json) terminal.value(definitions);
  else terminal.say(JSON.stringify(definitions, null, 2));
  const diagnostics = host.diagnostics();
  for (const item of diagnostics) if (CHANGES.includes(item.code)) terminal.note(formatDiagnostic(item));
  terminal.report(diagnostics);
  return strictCode(line, diagnostics);
}

/** What was done so that a provider takes a tool: with `--provider` it is told, harmless as it is. */
const CHANGES: readonly DiagnosticCode[] = ["SCHEMA_REWRITTEN", "TOOL_PUBLISHED_NAME"];

async function showKinds(
  host: Host,
  { line, terminal, kinds }: { line: CommandLine; terminal: Terminal; kinds: readonly Kind[] },
): Promise<number> {
  const { profile, generation, tools, diagnostics } = await host.list({});
  const others = kinds.filter((kind) => kind !== "tool").map((kind) => ({ kind, items: host.items(kind) }));
  const withTools = kinds.includes("tool");
  if (terminal.json)
    terminal.value({
      profile,
      generation,
      ...(withTools ? { tools } : {}),
      ...(others.length > 0 ? { kinds: others } : {}),
      diagnostics,
    });
  else {
    const parts = others.map(({ kind, items }) => `${kind}:\n${itemTable(items)}`);
    terminal.say([...(withTools ? [toolTable(tools)] : []), ...parts].join("\n\n"));
  }
  terminal.report(diagnostics);
  return strictCode(line, diagnostics);
}

function toolTable(tools: readonly ListedTool[]): string {
  const rows = tools.map((tool) => [
    tool.name,
    tool.refused === undefined ? tool.status : "refused",
    tool.risk ?? "?",
    `${tool.layer.rank} ${tool.layer.path}`,
    tool.plugin ?? "-",
    describe(tool),
  ]);
  return table([["tool", "status", "risk", "layer", "plugin", "description"], ...rows]);
}

function describe({ description, shadows, refused }: ListedTool): string {
  const shadowing = shadows.length > 0 ? ` (shadows ${shadows.join(", ")})` : "";
  return `${description}${shadowing}${refused === undefined ? "" : ` (refused by ${refused})`}`;
}

function itemTable(items: readonly ListedItem[]): string {
  const rows = items.map(({ id, layer, file, diagnostics }) => [
    id,
    `${layer.rank} ${layer.path}`,
    diagnostics ? `${file} (${diagnostics.join(", ")})` : file,
  ]);
  return table([["id", "layer", "file"], ...rows]);
}
