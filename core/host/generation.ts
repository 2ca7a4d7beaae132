import { type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { Discovery, View } from "../discovery/discovery.ts";
import { createHooks, type Hooks } from "../hooks.ts";
import type { ContractCache } from "../loading/contract-cache.ts";
import { loadExtension } from "../loading/extension-module.ts";
import type { ModuleLoader } from "../loading/module-loader.ts";
import { createRegistry, type Registry } from "../loading/registry.ts";
import type { ReloadReceipt } from "../sdk/events.ts";
import type { Events } from "./events.ts";

/** One state of the content. Immutable: a reload makes the next one and swaps it in by one assignment. */
export interface Generation {
  readonly number: number;
  readonly loader: ModuleLoader;
  /** @param profile default: the host's */
  registry(profile?: string): Registry;
  hooks(registry: Registry): Hooks;
  /** Runs `dispose` when this generation is retired. @returns a function that forgets it again */
  onDispose(dispose: () => void | Promise<void>): () => void;
  /** Runs what was registered, once; what throws is reported. */
  retire(): Promise<void>;
  /** Loads every tool of a profile and tells what is wrong. */
  loadAll(profile?: string): Promise<readonly Diagnostic[]>;
}

/** The generations of a host. */
export interface Generations {
  readonly current: Generation;
  reload(events: Events): Promise<ReloadReceipt>;
  close(): Promise<void>;
}

/** What {@link createGenerations} works with. */
export interface GenerationOptions {
  readonly discovery: Discovery;
  readonly contracts: ContractCache;
  createLoader(): ModuleLoader;
  report(diagnostic: Diagnostic): void;
  readonly defaults: { readonly profile: string; readonly project: string | undefined };
}

/** Builds the first generation; the rest come from `reload`. */
export function createGenerations(options: GenerationOptions): Generations {
  const retired: Generation[] = [];
  let current = createGeneration(1, options);

  return {
    get current() {
      return current;
    },
    async reload(events) {
      const before = current;
      const earlier = contentFiles(before.registry().view);
      options.discovery.refresh();
      const next = createGeneration(before.number + 1, options);
      let receipt: ReloadReceipt;
      try {
        const { view } = next.registry();
        const later = contentFiles(view);
        const errors = view.diagnostics.filter((item) => item.severity === "error");
        receipt = {
          status: errors.length > 0 ? "failed" : "ok",
          from: before.number,
          to: next.number,
          files: changes(earlier, later),
          diagnostics: errors,
        };
        retired.push(before);
        current = next;
      } catch (error) {
        // The default profile is gone: the old generation keeps serving.
        await next.loader.close();
        const message = error instanceof Error ? error.message : String(error);
        receipt = {
          status: "failed",
          from: before.number,
          to: before.number,
          files: [],
          diagnostics: [diagnostic("PROFILE_UNKNOWN", { message })],
        };
      }
      events.emit({ type: "reload", ...receipt });
      return receipt;
    },
    async close() {
      for (const generation of [...retired, current]) {
        await generation.retire();
        await generation.loader.close();
      }
    },
  };
}

function createGeneration(
  number: number,
  { discovery, contracts, createLoader, report, defaults }: GenerationOptions,
): Generation {
  const loader = createLoader();
  const registries = new Map<string, Registry>();
  const hooks = new Map<View, Hooks>();
  const disposers = new Set<() => void | Promise<void>>();

  const registry = (profile = defaults.profile): Registry => {
    const made = registries.get(profile);
    if (made) return made;
    const view = discovery.view(profile, defaults.project);
    const fresh = createRegistry({ view, loader, contracts, generation: number });
    registries.set(profile, fresh);
    return fresh;
  };

  return {
    number,
    loader,
    registry,
    hooks({ view }) {
      const made = hooks.get(view);
      if (made) return made;
      const fresh = createHooks({
        candidates: (point) => extensionsOf(view, point),
        load: async ({ id, file }) => await loadExtension(loader, { id, file }),
        report,
      });
      hooks.set(view, fresh);
      return fresh;
    },
    onDispose(dispose) {
      disposers.add(dispose);
      return () => void disposers.delete(dispose);
    },
    async retire() {
      const pending = [...disposers];
      disposers.clear();
      for (const dispose of pending) {
        try {
          await dispose();
        } catch (error) {
          const message = `a disposer of generation ${number} threw: ${error instanceof Error ? error.message : String(error)}`;
          report(diagnostic("TOOL_HOOK_FAILED", { message }));
        }
      }
    },
    async loadAll(profile) {
      const served = registry(profile);
      const outcomes = await Promise.all(served.entries().map(async (entry) => await served.load(entry)));
      const failed = outcomes.flatMap((outcome) => ("diagnostic" in outcome ? [outcome.diagnostic] : []));
      return uniqueDiagnostics([...failed, ...served.diagnostics()]);
    },
  };
}

function extensionsOf(view: View, point: string): readonly Candidate[] {
  return view.catalog
    .list("extension")
    .flatMap(({ id, winner }) => (winner && id.startsWith(`${point}/`) ? [winner] : []));
}

function contentFiles(view: View): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const kind of ["tool", "fragment", "prompt", "extension", "profile", "plugin", "skill", "locale"] as const) {
    for (const { winner } of view.catalog.list(kind)) if (winner) files.set(winner.path, `${kind} ${winner.id}`);
  }
  return files;
}

function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((file) => before.has(file) !== after.has(file))
    .sort();
}
