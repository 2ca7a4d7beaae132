import { type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { EstopState } from "../governance/estop.ts";
import type { Spent } from "../governance/spending.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import type { EffectiveSandbox } from "../processes/processes.ts";
import { type EstopStatus, estopStatus } from "./estop-switch.ts";
import type { Watching } from "./watching.ts";

/** The answer of `status`. */
export interface HostStatus {
  readonly generation: number;
  readonly root: string;
  readonly profile: string;
  readonly health: "ok" | "degraded";
  readonly tools: number;
  readonly failedTools: number;
  /** Plugins that are off because something is wrong with them. */
  readonly failedPlugins: number;
  /** How the content is watched, and how many directories are; null where it is not. */
  readonly watching: { readonly mode: "events" | "polling"; readonly directories: number } | null;
  readonly estop: EstopStatus;
  /** What keeps in the programs that tools run. */
  readonly sandbox: EffectiveSandbox;
  /** What all processes of the root have spent on models, this day and this month (UTC); null where it cannot be read. */
  readonly spent: Spent | null;
}

/** What {@link hostStatus} needs beside the registry. */
export interface StatusParts {
  readonly root: string;
  /** All that is known to be wrong. */
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined for a host that does not watch. */
  readonly watching: Pick<Watching, "mode" | "directories"> | undefined;
  /** Undefined: it is off. */
  readonly estop: EstopState | undefined;
  readonly sandbox: EffectiveSandbox;
  readonly spent: Spent | undefined;
}

/** How it is with the tools of a registry. */
export function hostStatus(registry: Registry, parts: StatusParts): HostStatus {
  const { root, diagnostics, watching, estop, sandbox, spent } = parts;
  const { view } = registry;
  const states = registry.entries().map((entry) => registry.state(entry).status);
  return {
    generation: registry.generation,
    root,
    profile: view.profile.id,
    health: diagnostics.some((item) => item.severity === "error") ? "degraded" : "ok",
    tools: states.length,
    failedTools: states.filter((status) => status === "failed").length,
    failedPlugins: view.plugins.filter((plugin) => !plugin.enabled && plugin.manifest === undefined).length,
    watching: watching ? { mode: watching.mode, directories: watching.directories.length } : null,
    estop: estopStatus(estop),
    sandbox,
    spent: spent ?? null,
  };
}

/** Loads every tool of a profile, reads the settings of every plugin, and tells what is wrong. */
export async function loadAll(registry: Registry): Promise<readonly Diagnostic[]> {
  return await troubles(registry, async (entry) => {
    const outcome = await registry.load(entry);
    return "diagnostic" in outcome ? [outcome.diagnostic] : [];
  });
}

/** The same as {@link loadAll}; a module whose contract is known is not run. */
export async function knowAll(registry: Registry): Promise<readonly Diagnostic[]> {
  return await troubles(registry, async (entry) => {
    const contract = await registry.contract(entry);
    return "severity" in contract ? [contract] : [];
  });
}

async function troubles(
  registry: Registry,
  troublesOf: (entry: ToolEntry) => Promise<readonly Diagnostic[]>,
): Promise<readonly Diagnostic[]> {
  const { view } = registry;
  // Settings of plugins are read when a tool asks for them; what is wrong with them is to be told here.
  for (const { id, enabled } of view.plugins) if (enabled) view.pluginConfig(id);
  const found = await Promise.all(
    // A lower layer may serve in place of what did not load, which is known by now and wrong all the same.
    registry.entries().map(async (entry) => [...(await troublesOf(entry)), ...registry.state(entry).diagnostics]),
  );
  return uniqueDiagnostics([...found.flat(), ...registry.diagnostics(), ...view.diagnostics]);
}

/** Everybody who keeps something there says it in his own words. */
export function onceForTheCache(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = diagnostics.find(({ code }) => code === "CACHE_UNWRITABLE");
  return diagnostics.filter((item) => item.code !== "CACHE_UNWRITABLE" || item === first);
}
