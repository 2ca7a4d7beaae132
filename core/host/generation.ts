import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { Discovery, View } from "../discovery/discovery.ts";
import { createCancellation } from "../governance/cancellation.ts";
import type { Secrets } from "../governance/secrets.ts";
import { createHooks, type Hooks } from "../hooks.ts";
import type { ContractCache } from "../loading/contract-cache.ts";
import { loadExtension } from "../loading/extension-module.ts";
import type { ModuleLoader } from "../loading/module-loader.ts";
import { createRegistry, type Registry } from "../loading/registry.ts";
import { ToolError } from "../sdk/errors.ts";
import { nearest } from "../sdk/nearest.ts";
import { POINTS } from "../sdk/points.ts";
import type { RunContent } from "./content.ts";
import { createReports } from "./reports.ts";

/** One state of the content. Immutable: a reload makes the next one and swaps it in by one assignment. */
export interface Generation {
  readonly number: number;
  readonly loader: ModuleLoader;
  /** @param profile default: the host's */
  registry(profile?: string): Registry;
  hooks(registry: Registry): Hooks;
  /** Keeps what went wrong while its content ran. */
  report(item: Diagnostic): void;
  /** What was reported, and what its loader found. */
  diagnostics(): readonly Diagnostic[];
  /** Runs `dispose` when this generation is retired. @returns a function that forgets it again */
  onDispose(dispose: () => void | Promise<void>): () => void;
  /** Runs what was registered and gives the modules back, once. */
  retire(): Promise<void>;
}

/** What generations are made of. */
export interface GenerationParts {
  readonly discovery: Discovery;
  readonly secrets: Pick<Secrets, "reload" | "diagnostics">;
  readonly contracts: ContractCache;
  createLoader(): ModuleLoader;
  readonly content: RunContent;
  /** Keeps what is left to say when a generation is gone. */
  report(diagnostic: Diagnostic): void;
  readonly defaults: { readonly profile: string; readonly project: string | undefined };
}

/** How long one disposer may take: a reload and the end of the host wait for it. */
const DISPOSE_DEADLINE_MS = 5_000;

/**
 * The generation of what discovery sees now. Nothing is loaded before it is asked for.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN
 */
export function createGeneration(number: number, parts: GenerationParts): Generation {
  const { discovery, contracts, content, defaults } = parts;
  const loader = parts.createLoader();
  const registries = new Map<string, Registry>();
  const hooks = new Map<View, Hooks>();
  const disposers = new Set<() => void | Promise<void>>();
  const reports = createReports();
  let retired: Promise<void> | undefined;

  const registry = (profile = defaults.profile): Registry => {
    const made = registries.get(profile);
    if (made) return made;
    const view = discovery.view(profile, defaults.project);
    const fresh = createRegistry({ view, loader, contracts, generation: number, within: content });
    registries.set(profile, fresh);
    return fresh;
  };

  // At once, so that it stays what it is when discovery looks again.
  registry();

  const retire = async (): Promise<void> => {
    const pending = [...disposers];
    disposers.clear();
    for (const dispose of pending) await runDisposer(dispose, parts);
    await loader.close();
  };

  return {
    number,
    loader,
    registry,
    report: reports.add,
    diagnostics: () => [...reports.all(), ...loader.diagnostics],
    hooks({ view }) {
      const made = hooks.get(view);
      if (made) return made;
      const byPoint = extensionsOf(view);
      for (const [point, [first]] of byPoint) if (first && !isPoint(point)) reports.add(unknownPoint(point, first));
      const fresh = createHooks({
        candidates: (point) => byPoint.get(point) ?? [],
        load: ({ id, file, path }) => content(`the module ${path}`, () => loadExtension(loader, { id, file })),
        report: reports.add,
        within: content,
        mapError: loader.mapError,
      });
      hooks.set(view, fresh);
      return fresh;
    },
    onDispose(dispose) {
      disposers.add(dispose);
      return () => void disposers.delete(dispose);
    },
    retire() {
      retired ??= retire();
      return retired;
    },
  };
}

/** A disposer that throws or does not settle keeps nobody from the others. */
async function runDisposer(
  dispose: () => void | Promise<void>,
  { content, report }: Pick<GenerationParts, "content" | "report">,
): Promise<void> {
  const ms = DISPOSE_DEADLINE_MS;
  const expired = () => new ToolError("TIMEOUT", `it did not settle within ${ms} ms`);
  try {
    await createCancellation().race(() => content("a disposer", dispose), { ms, expired });
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const hint = "What it should have given back may still be held.";
    report(diagnostic("TOOL_HOOK_FAILED", { message: `a disposer failed: ${words}`, hint }));
  }
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

function isPoint(name: string): boolean {
  return Object.hasOwn(POINTS, name);
}

/** Nothing runs there, which its author would never notice. */
function unknownPoint(point: string, { path }: Candidate): Diagnostic {
  const meant = nearest(point, Object.keys(POINTS));
  const hint = meant === undefined ? "The author's guide lists the points." : `Did you mean ${meant}?`;
  return diagnostic("EXTENSION_POINT_UNKNOWN", { file: path, message: `there is no extension point ${point}`, hint });
}
