import { join } from "node:path";
import { type Diagnostic, formatDiagnostic, uniqueDiagnostics } from "../../diagnostics.ts";
import { displayPath } from "../../discovery/paths.ts";
import type { Host } from "../../host.ts";
import type { Command } from "../command.ts";
import { type CommandLine, textOption } from "../options.ts";
import { usageError } from "../usage.ts";

type Check = (host: Host, profiles: readonly string[]) => Promise<readonly Diagnostic[]>;

/** Areas of `check`, each with what it looks at. */
const AREAS: Readonly<Record<string, Check>> = {
  dox: async (host) => {
    const { checkDox } = await import("../../dox/dox.ts");
    return checkDox({ toolsDir: join(host.root, "tools"), display: (file) => displayPath(host.root, file) })
      .diagnostics;
  },
  plugins: async (host, profiles) =>
    await each(profiles, async (profile) => (await host.list({ profile })).diagnostics),
  fragments: async (host, profiles) =>
    await each(profiles, async (profile) => (await host.prompt({ profile })).diagnostics),
  contracts: async (host, profiles) => await each(profiles, async (profile) => await host.loadAll({ profile })),
};

/** `check`: do code, prompt and documents agree? Looks at every profile, or at the one that is named. */
export const command: Command = {
  usage: `check [${Object.keys(AREAS).join(" | ")}]`,
  summary: "checks documents, manifests, fragments and contracts of all profiles; exit 1 when a finding is an error",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const areas = areasOf(line);
    const host = await open();
    const named = textOption(line, "profile");
    const profiles = named === undefined ? host.items("profile", { hidden: true }).map(({ id }) => id) : [named];
    const found: Diagnostic[] = [];
    for (const { check } of areas) found.push(...(await check(host, profiles)));
    const diagnostics = uniqueDiagnostics(found);
    const count = (severity: Diagnostic["severity"]) => diagnostics.filter((item) => item.severity === severity).length;
    const summary = { errors: count("error"), warnings: count("warning"), infos: count("info") };
    if (terminal.json) terminal.value({ diagnostics, summary });
    else {
      for (const item of diagnostics) terminal.say(formatDiagnostic(item));
      const names = areas.map(({ area }) => area).join(", ");
      terminal.say(`${names}: ${amount(summary.errors, "error")}, ${amount(summary.warnings, "warning")}.`);
    }
    return summary.errors > 0 ? 1 : 0;
  },
};

/** @throws HostError USAGE */
function areasOf({ words }: CommandLine): readonly { area: string; check: Check }[] {
  const names = words.length === 0 || words.includes("all") ? Object.keys(AREAS) : words;
  return names.map((area) => {
    const check = Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
    if (check) return { area, check };
    throw usageError(`"${area}" is not an area of check; the areas are ${Object.keys(AREAS).join(", ")}, all`);
  });
}

async function each(
  profiles: readonly string[],
  look: (profile: string) => Promise<readonly Diagnostic[]>,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const profile of profiles) found.push(...(await look(profile)));
  return found;
}

function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
