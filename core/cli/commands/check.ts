import { join } from "node:path";
import { type Diagnostic, formatDiagnostic, uniqueDiagnostics } from "../../diagnostics.ts";
import { displayPath } from "../../discovery/paths.ts";
import type { Host } from "../../host.ts";
import type { Command } from "../command.ts";
import { usageError } from "../usage.ts";

/** Areas of `check`, each with what it looks at. */
const AREAS: Readonly<Record<string, (host: Host) => Promise<readonly Diagnostic[]>>> = {
  dox: async (host) => {
    const { checkDox } = await import("../../dox/dox.ts");
    return checkDox({ toolsDir: join(host.root, "tools"), display: (file) => displayPath(host.root, file) })
      .diagnostics;
  },
  plugins: async (host) => (await host.list({})).diagnostics,
  fragments: async (host) => (await host.prompt({})).diagnostics,
  contracts: async (host) => await host.loadAll(),
};

/** `check`: do code, prompt and documents agree? */
export const command: Command = {
  usage: `check [${Object.keys(AREAS).join(" | ")}]`,
  summary: "checks documents, manifests, fragments and contracts; exit 1 when a finding is an error",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const areas = line.words.length === 0 || line.words[0] === "all" ? Object.keys(AREAS) : line.words;
    const checks = areas.map((area) => {
      const check = Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
      if (!check)
        throw usageError(`"${area}" is not an area of check; the areas are ${Object.keys(AREAS).join(", ")}, all`);
      return check;
    });
    const host = await open();
    const found: Diagnostic[] = [];
    for (const check of checks) found.push(...(await check(host)));
    const diagnostics = uniqueDiagnostics(found);
    const count = (severity: Diagnostic["severity"]) => diagnostics.filter((item) => item.severity === severity).length;
    const summary = { errors: count("error"), warnings: count("warning"), infos: count("info") };
    if (terminal.json) terminal.value({ diagnostics, summary });
    else {
      for (const item of diagnostics) terminal.say(formatDiagnostic(item));
      terminal.say(`${areas.join(", ")}: ${summary.errors} errors, ${summary.warnings} warnings.`);
    }
    return summary.errors > 0 ? 1 : 0;
  },
};
