import type { Diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { Edition } from "../discovery/discovery.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import { createGeneration, type Generation, type GenerationParts } from "./generation.ts";

/** What the next generation is made of. */
export interface SuccessionInput {
  readonly edition: Edition;
  /** Absolute paths of files and directories that appeared, vanished or were written. */
  readonly changed: readonly string[];
  readonly contentRoots: readonly string[];
}

/** So many modules are loaded before the next generation serves; of a larger change each loads when it is needed. */
const MAX_CHECKED = 50;

/**
 * The generation after `before`. What `before` has loaded and what changed since is loaded before it serves; a module
 * that then does not load is served by its version before, until it does.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN
 */
export async function succeed(
  before: Generation,
  { edition, changed, contentRoots }: SuccessionInput,
  parts: GenerationParts,
): Promise<Generation> {
  const loader = before.loader.fork({ changed, texts: edition.texts, contentRoots });
  let next: Generation;
  try {
    next = createGeneration({ number: before.number + 1, edition, loader }, parts);
  } catch (error) {
    await loader.close();
    throw error;
  }
  const written = new Set(changed);
  await Promise.all([
    ...before.profiles.flatMap((profile) => toolsToCheck(before, { next, profile, written })),
    ...before.extensions.map(async (candidate) => await checkExtension(before, next, candidate)),
  ]);
  before.disposers.bequeath(next.disposers, (file) => isSame(file, before, next));
  return next;
}

/** Whether two generations serve the very same evaluation of a module. */
function isSame(file: string, before: Generation, next: Generation): boolean {
  if (next.kept.tools.has(file)) return true;
  const namespace = before.loader.namespace(file);
  return namespace !== undefined && namespace === next.loader.namespace(file);
}

/** The tools of a profile that are loaded at once: those in use, and those whose module was written. */
function toolsToCheck(
  before: Generation,
  {
    next,
    profile,
    written,
  }: { readonly next: Generation; readonly profile: string; readonly written: ReadonlySet<string> },
): readonly Promise<void>[] {
  const [old, fresh] = [before.registry(profile), registryOf(next, profile)];
  if (!fresh) return [];
  const used = old.inUse();
  const changed =
    written.size > MAX_CHECKED ? [] : old.entries().filter(({ candidate }) => written.has(candidate.file));
  return [...new Set([...used, ...changed])].map(async (entry) => await checkTool(entry, { before, next, old, fresh }));
}

/** A profile may be gone. */
function registryOf(generation: Generation, profile: string): Registry | undefined {
  try {
    return generation.registry(profile);
  } catch {
    return undefined;
  }
}

async function checkTool(
  entry: ToolEntry,
  { before, next, old, fresh }: { before: Generation; next: Generation; old: Registry; fresh: Registry },
): Promise<void> {
  const { file } = entry.candidate;
  const now = fresh.entries().find(({ id, candidate }) => id === entry.id && candidate.file === file);
  if (!now) return;
  const outcome = await fresh.load(now);
  if ("tool" in outcome) return;
  const version = before.kept.tools.get(file)?.loaded ?? (await goodTool(old, entry));
  if (version) next.kept.tools.set(file, { loaded: version, cause: outcome.diagnostic });
}

async function goodTool(registry: Registry, entry: ToolEntry) {
  const outcome = await registry.load(entry);
  return "tool" in outcome && outcome.tool.file === entry.candidate.file ? outcome.tool : undefined;
}

async function checkExtension(before: Generation, next: Generation, candidate: Candidate): Promise<void> {
  const { winner } = next.registry().view.catalog.get("extension", candidate.id) ?? {};
  if (winner?.file !== candidate.file) return;
  const outcome = await next.loadExtension(candidate);
  if ("cls" in outcome) return;
  const version = await before.loadExtension(candidate);
  if ("cls" in version) next.kept.extensions.set(candidate.file, { loaded: version, cause: outcome.diagnostic });
}

/** What is wrong with what a generation serves, as its reload tells. */
export function faultsOf(generation: Generation): readonly Diagnostic[] {
  const { tools, extensions } = generation.kept;
  const kept = [...tools.values(), ...extensions.values()].map(({ cause }) => cause);
  const found = generation.registry().view.diagnostics.filter(({ severity }) => severity === "error");
  return [...kept, ...found];
}
