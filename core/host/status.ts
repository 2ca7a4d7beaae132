import { type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { Registry } from "../loading/registry.ts";

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
}

/** How it is with the tools of a registry. @param places `diagnostics`: all that is known to be wrong */
export function hostStatus(
  registry: Registry,
  places: { root: string; diagnostics: readonly Diagnostic[] },
): HostStatus {
  const { view } = registry;
  const states = registry.entries().map((entry) => registry.state(entry).status);
  return {
    generation: registry.generation,
    root: places.root,
    profile: view.profile.id,
    health: places.diagnostics.some((item) => item.severity === "error") ? "degraded" : "ok",
    tools: states.length,
    failedTools: states.filter((status) => status === "failed").length,
    failedPlugins: view.plugins.filter((plugin) => !plugin.enabled && plugin.manifest === undefined).length,
  };
}

/** Loads every tool of a profile, reads the settings of every plugin, and tells what is wrong. */
export async function loadAll(registry: Registry): Promise<readonly Diagnostic[]> {
  const { view } = registry;
  // Settings of plugins are read when a tool asks for them; what is wrong with them is to be told here.
  for (const { id, enabled } of view.plugins) if (enabled) view.pluginConfig(id);
  const outcomes = await Promise.all(registry.entries().map(async (entry) => await registry.load(entry)));
  const failed = outcomes.flatMap((outcome) => ("diagnostic" in outcome ? [outcome.diagnostic] : []));
  return uniqueDiagnostics([...failed, ...registry.diagnostics(), ...view.diagnostics]);
}

/** Everybody who keeps something there says it in his own words. */
export function onceForTheCache(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = diagnostics.find(({ code }) => code === "CACHE_UNWRITABLE");
  return diagnostics.filter((item) => item.code !== "CACHE_UNWRITABLE" || item === first);
}
