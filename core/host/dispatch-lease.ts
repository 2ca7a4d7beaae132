import type { DispatchLease, DispatchTarget } from "../dispatch/environment.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import type { Generation } from "./generation.ts";

/**
 * How dispatch finds the tools of one registry. The same for all calls, so it is made once.
 * @param loaded is told when a call has its tool
 */
export function createDispatchLease(generation: Generation, registry: Registry, loaded: () => void): DispatchLease {
  const targets = new Map<ToolEntry, DispatchTarget>();
  const targetOf = (entry: ToolEntry): DispatchTarget => {
    const known = targets.get(entry);
    if (known) return known;
    const target = createTarget({ generation, registry, loaded }, entry);
    targets.set(entry, target);
    return target;
  };
  return {
    generation: generation.number,
    resolve: (name) => {
      const entry = registry.resolve(name);
      return entry && targetOf(entry);
    },
    fallback: async () => {
      const entry = await registry.byRole("fallback");
      return entry && targetOf(entry);
    },
    names: registry.summaries,
  };
}

function createTarget(
  { generation, registry, loaded }: { readonly generation: Generation; readonly registry: Registry; loaded(): void },
  entry: ToolEntry,
): DispatchTarget {
  const { plugin, path, file } = entry.candidate;
  return {
    id: entry.id,
    owner: entry.owner,
    path,
    async load() {
      const outcome = await registry.load(entry);
      loaded();
      return outcome;
    },
    onDispose: (dispose) => generation.disposers.add(file, dispose),
    version: generation.versions.of(file),
    config: () => (plugin === undefined ? {} : registry.view.pluginConfig(plugin)),
    async isParallel() {
      const contract = await registry.contract(entry);
      return !("severity" in contract) && contract.parallel === "safe";
    },
  };
}
