import type { Diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { Edition, View } from "../discovery/discovery.ts";
import { createHooks, type Hooks } from "../hooks.ts";
import type { ContractCache } from "../loading/contract-cache.ts";
import { type ExtensionOutcome, loadExtension } from "../loading/extension-module.ts";
import { createKeptVersions, type KeptVersions, keptDiagnostics } from "../loading/kept-versions.ts";
import type { ModuleLoader } from "../loading/module-loader.ts";
import { createRegistry, type Registry } from "../loading/registry.ts";
import type { RunContent } from "./content.ts";
import { createDisposers, type Disposers } from "./disposers.ts";
import type { Leftovers } from "./leftovers.ts";
import { createModuleVersions, type ModuleVersions } from "./module-versions.ts";
import { createReports } from "./reports.ts";

/** One state of the content. Immutable: a reload makes the next one and swaps it in by one assignment. */
export interface Generation {
  readonly number: number;
  readonly edition: Edition;
  readonly loader: ModuleLoader;
  /** The versions that serve in place of modules that do not load. Filled before the generation serves. */
  readonly kept: KeptVersions;
  /** The modules of tools (absolute) that were loaded, here or in the generations before. */
  readonly used: ReadonlySet<string>;
  /** @param profile default: the host's */
  registry(profile?: string): Registry;
  /** The profiles whose registries were asked for. */
  readonly profiles: readonly string[];
  hooks(registry: Registry): Hooks;
  /** The extensions that were loaded. */
  readonly extensions: readonly Candidate[];
  /** An extension of the generation before is in use here, too. */
  goesOn(extension: Candidate): void;
  /** Loads the class of an extension, or gives its kept version. */
  loadExtension(candidate: Candidate): Promise<ExtensionOutcome>;
  /** Somebody was given the system prompt of the host's own profile. */
  readonly promptServed: boolean;
  servePrompt(registry: Registry): void;
  /** Keeps what went wrong while its content ran. */
  report(item: Diagnostic): void;
  /** What was reported, and what its loader found. */
  diagnostics(): readonly Diagnostic[];
  /** What its tools hold. */
  readonly disposers: Disposers;
  /** Which versions of modules it serves. */
  readonly versions: ModuleVersions;
  /** Runs what was registered and gives the modules back, once. */
  retire(): Promise<void>;
}

/** What a generation is of. */
export interface GenerationBase {
  readonly number: number;
  readonly edition: Edition;
  readonly loader: ModuleLoader;
  /** The versions that it begins with in place of modules that do not load. Default: none. */
  readonly kept?: KeptVersions;
  /** See {@link Generation}: those of the generation before. */
  readonly used?: ReadonlySet<string>;
}

/** What all generations of a host are made with. */
export interface GenerationParts {
  readonly contracts: ContractCache;
  readonly content: RunContent;
  readonly leftovers: Pick<Leftovers, "keep" | "staleCall">;
  /** Keeps what is left to say when a generation is gone. */
  report(diagnostic: Diagnostic): void;
  readonly defaults: { readonly profile: string; readonly project: string | undefined };
}

/**
 * Nothing is loaded before it is asked for.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN
 */
export function createGeneration(base: GenerationBase, parts: GenerationParts): Generation {
  const { number, edition, loader, kept = createKeptVersions() } = base;
  const { contracts, leftovers, defaults } = parts;
  const used = new Set(base.used);
  const extensions = new Map<string, Candidate>();
  const registries = new Map<string, Registry>();
  const hooks = new Map<View, Hooks>();
  const reports = createReports();
  const disposers = createDisposers(parts);
  let promptServed = false;
  const versions = createModuleVersions({ generation: number, leftovers });
  const within = <T>({ owner, file }: { readonly owner: string; readonly file: string }, run: () => T): T =>
    parts.content({ owner, onTimer: versions.of(file).hold }, run);
  let retired: Promise<void> | undefined;

  const registry = (profile = defaults.profile): Registry => {
    const made = registries.get(profile);
    if (made) return made;
    const view = edition.view(profile, defaults.project);
    const fresh = createRegistry({ view, loader, contracts, generation: number, kept, used, within });
    registries.set(profile, fresh);
    return fresh;
  };

  // At once: without the host's own profile there is no generation.
  registry();

  const loadOne = async (candidate: Candidate): Promise<ExtensionOutcome> => {
    const { id, file, path } = candidate;
    const version = kept.extensions.get(file);
    if (version) {
      extensions.set(file, candidate);
      return version.loaded;
    }
    const refused = kept.refused.get(file);
    if (refused) return { diagnostic: refused };
    const outcome = await within({ owner: `the module ${path}`, file }, () => loadExtension(loader, { id, file }));
    if ("cls" in outcome) extensions.set(file, candidate);
    return outcome;
  };

  const retire = async (): Promise<void> => {
    await disposers.run();
    versions.end();
    await loader.close();
  };

  return {
    number,
    edition,
    loader,
    kept,
    used,
    registry,
    get profiles() {
      return [...registries.keys()];
    },
    get extensions() {
      return [...extensions.values()];
    },
    goesOn: (extension) => void extensions.set(extension.file, extension),
    loadExtension: loadOne,
    get promptServed() {
      return promptServed;
    },
    servePrompt: (of) => {
      promptServed ||= of === registries.get(defaults.profile);
    },
    report: reports.add,
    diagnostics: () => [...reports.all(), ...loader.diagnostics, ...keptFor({ edition, kept, loader })],
    hooks({ view }) {
      const made = hooks.get(view);
      if (made) return made;
      const byPoint = extensionsOf(view);
      const fresh = createHooks({
        candidates: (point) => byPoint.get(point) ?? [],
        load: loadOne,
        report: reports.add,
        within,
        mapError: loader.mapError,
      });
      hooks.set(view, fresh);
      return fresh;
    },
    disposers,
    versions,
    retire() {
      retired ??= retire();
      return retired;
    },
  };
}

/** What serves in an older version, tools apart: these are told with the tool. */
function keptFor({ edition, kept, loader }: Pick<Generation, "edition" | "kept" | "loader">): readonly Diagnostic[] {
  const found = [...kept.extensions].map(([file, { cause }]) => [file, cause] as const);
  for (const [file, { why }] of edition.texts.held) if (why) found.push([file, why]);
  return found.flatMap(([file, cause]) => keptDiagnostics({ cause }, { path: loader.display(file) }));
}

/** The extensions that take part, by the point that their directory names. */
function extensionsOf(view: View): ReadonlyMap<string, readonly Candidate[]> {
  const byPoint = new Map<string, Candidate[]>();
  for (const { id, winner } of view.catalog.list("extension")) {
    if (!winner) continue;
    const point = id.slice(0, id.indexOf("/"));
    const known = byPoint.get(point);
    if (known) known.push(winner);
    else byPoint.set(point, [winner]);
  }
  return byPoint;
}
