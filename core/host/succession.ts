import { type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { Edition } from "../discovery/discovery.ts";
import type { SourceText, Texts } from "../discovery/texts.ts";
import { createKeptVersions, type KeptVersions } from "../loading/kept-versions.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import type { LoadedTool } from "../loading/tool-module.ts";
import type { Probe, ProbeTarget } from "../probing/probe.ts";
import { HostError } from "../sdk/errors.ts";
import { isModule } from "./changed-files.ts";
import { createGeneration, type Generation, type GenerationParts } from "./generation.ts";

/** What the next generation is made of. */
export interface SuccessionInput {
  readonly edition: Edition;
  /** Absolute paths of files and directories that appeared, vanished or were written. */
  readonly changed: readonly string[];
  /** The versions that it served where it is an earlier one that serves again. */
  readonly kept?: KeptVersions | undefined;
  readonly contentRoots: readonly string[];
  readonly probe: Pick<Probe, "check"> | undefined;
  /** The directory of the plugin that a file lies in. */
  pluginOf(file: string): string | undefined;
}

/** So many modules are loaded before the next generation serves; of a larger change each loads when it is needed. */
const MAX_CHECKED = 50;

/**
 * The generation after `before`. What `before` has loaded and what changed since is loaded before it serves, first in a
 * process of its own where there is a probe; a module that then does not load is served by its version before.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN
 */
export async function succeed(
  before: Generation,
  { edition, changed, kept, contentRoots, probe, pluginOf }: SuccessionInput,
  parts: GenerationParts,
): Promise<Generation> {
  const loader = before.loader.fork({ changed, texts: edition.texts, contentRoots });
  let next: Generation;
  try {
    next = createGeneration(
      { number: before.number + 1, edition, loader, kept: createKeptVersions(kept), used: before.used },
      parts,
    );
  } catch (error) {
    await loader.close();
    throw error;
  }
  const written = new Set(changed);
  const checks = [
    ...before.profiles.flatMap((profile) =>
      toolChecks(before, { next, profile, written, triesNew: probe !== undefined }),
    ),
    ...extensionChecks(before, next),
  ];
  if (probe) {
    const open = checks.filter((check) => !staysRefused(check, { before, next, changed, pluginOf }));
    if (open.length > 0) await tryOut(open, { next, probe, texts: edition.texts, written });
  }
  await Promise.all(checks.map(async (check) => await check.run()));
  const stay = staying(before, next);
  before.disposers.bequeath(next.disposers, stay);
  before.versions.bequeath(next.versions, stay);
  return next;
}

/** A module that is loaded before the next generation serves. */
interface Check extends ProbeTarget {
  /** Loads it, or keeps the version before. */
  run(): Promise<void>;
}

/**
 * Whether a module need not be tried out again to be refused: that may take as long as a deadline. What it imports is not
 * known, so it is tried again when anything changed in its plugin, in that of the file at fault, or outside of plugins.
 */
function staysRefused(
  { file }: Check,
  {
    before,
    next,
    changed,
    pluginOf,
  }: { readonly before: Generation; readonly next: Generation } & Pick<SuccessionInput, "changed" | "pluginOf">,
): boolean {
  const refused = before.kept.refused.get(file);
  const plugin = refused && pluginOf(file);
  if (plugin === undefined) return false;
  const isElsewhere = (path: string): boolean => {
    const other = pluginOf(path);
    return other !== undefined && other !== plugin && before.loader.display(path) !== refused?.file;
  };
  if (changed.length === 0 || !changed.every(isElsewhere)) return false;
  next.kept.refused.set(file, refused as Diagnostic);
  return true;
}

/** What may do harm at its top level is not loaded here at all. */
async function tryOut(
  checks: readonly Check[],
  {
    next,
    probe,
    texts,
    written,
  }: {
    readonly next: Generation;
    readonly probe: Pick<Probe, "check">;
    readonly texts: Texts;
    readonly written: ReadonlySet<string>;
  },
): Promise<void> {
  const targets = [...new Map(checks.map(({ id, file, kind }) => [file, { id, file, kind }])).values()];
  // What is tried out is what is loaded after it, whatever the disk holds by then.
  const files = new Set([...targets.map(({ file }) => file), ...[...written].filter(isModule)]);
  const used = [...files].flatMap((file) => textNow(file, texts));
  const outcomes = await probe.check(targets, { texts: [...used, ...texts.held] });
  for (const [at, outcome] of outcomes.entries()) {
    for (const note of outcome.notes) next.report(note);
    if (!outcome.ok) next.kept.refused.set((targets[at] as ProbeTarget).file, outcome.diagnostic);
  }
}

function textNow(file: string, texts: Texts): readonly (readonly [file: string, text: SourceText])[] {
  try {
    return [[file, texts.read(file)]];
  } catch {
    // It is gone, or no file: the load says so.
    return [];
  }
}

/**
 * The modules of tools and extensions of which both generations serve the very same evaluation. A set, and no function
 * that looks: whoever keeps that would keep all generations that ever were.
 */
function staying(before: Generation, next: Generation): ReadonlySet<string> {
  const files = before.versions.files.filter((file) => isSame(file, before, next) || next.kept.extensions.has(file));
  return new Set(files);
}

/** Whether two generations serve the very same evaluation of a module. */
function isSame(file: string, before: Generation, next: Generation): boolean {
  if (next.kept.tools.has(file)) return true;
  const namespace = before.loader.namespace(file);
  return namespace !== undefined && namespace === next.loader.namespace(file);
}

interface ToolChecksInput {
  readonly next: Generation;
  readonly profile: string;
  readonly written: ReadonlySet<string>;
  /** Whether a tool that there was not is tried out as well: it would do its harm when it is first asked for. */
  readonly triesNew: boolean;
}

/** The tools of a profile that are in use and not as they were, and those whose module was written. */
function toolChecks(before: Generation, { next, profile, written, triesNew }: ToolChecksInput): readonly Check[] {
  const [old, fresh] = [before.registry(profile), registryOf(next, profile)];
  if (!fresh) return [];
  // What was kept or refused goes on being so, also where nobody has asked for it since.
  const { tools, refused } = before.kept;
  const kept = old.entries().filter(({ candidate: { file } }) => tools.has(file) || refused.has(file));
  const used = old.entries().filter(({ candidate: { file } }) => before.used.has(file) && !isSame(file, before, next));
  const offered = written.size > MAX_CHECKED ? [] : (triesNew ? fresh : old).entries();
  const changed = offered.filter(({ candidate }) => written.has(candidate.file));
  const ids = new Set([...kept, ...used, ...changed].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [known, now] = [toolOf(old, id), toolOf(fresh, id)];
    if (!now) return [];
    const { file } = now.candidate;
    const was = known?.candidate.file === file ? known : undefined;
    if (!was && !(triesNew && written.has(file))) return [];
    return [{ id, file, kind: "tool", run: async () => await checkTool(now, { before, next, old, fresh, was }) }];
  });
}

/** By its id, and not by an alias. */
function toolOf(registry: Registry, id: string): ToolEntry | undefined {
  const entry = registry.resolve(id);
  return entry?.id === id ? entry : undefined;
}

/** A profile may be gone. */
function registryOf(generation: Generation, profile: string): Registry | undefined {
  try {
    return generation.registry(profile);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

interface ToolCheck {
  readonly before: Generation;
  readonly next: Generation;
  readonly old: Registry;
  readonly fresh: Registry;
  /** In the generation before; undefined where there the module served nothing. */
  readonly was: ToolEntry | undefined;
}

async function checkTool(now: ToolEntry, { before, next, old, fresh, was }: ToolCheck): Promise<void> {
  const { file } = now.candidate;
  const outcome = await fresh.load(now);
  if ("tool" in outcome) return;
  const version = before.kept.tools.get(file)?.loaded ?? (was && (await goodTool(old, was)));
  if (version) next.kept.tools.set(file, { loaded: version, cause: outcome.diagnostic });
}

async function goodTool(registry: Registry, entry: ToolEntry): Promise<LoadedTool | undefined> {
  const outcome = await registry.load(entry);
  return "tool" in outcome && outcome.tool.file === entry.candidate.file ? outcome.tool : undefined;
}

function extensionChecks(before: Generation, next: Generation): readonly Check[] {
  const { catalog } = next.registry().view;
  return before.extensions.flatMap((candidate) => {
    const { id, file } = candidate;
    if (catalog.get("extension", id)?.winner?.file !== file) return [];
    if (!before.kept.extensions.has(file) && isSame(file, before, next)) {
      next.goesOn(candidate);
      return [];
    }
    return [{ id, file, kind: "extension", run: async () => await checkExtension(before, next, candidate) }];
  });
}

async function checkExtension(before: Generation, next: Generation, candidate: Candidate): Promise<void> {
  const outcome = await next.loadExtension(candidate);
  if ("cls" in outcome) return;
  const version = await before.loadExtension(candidate);
  if (!("cls" in version)) return;
  next.kept.extensions.set(candidate.file, { loaded: version, cause: outcome.diagnostic });
  next.goesOn(candidate);
}

/** What is wrong with what a generation serves, as its reload tells. */
export function faultsOf(generation: Generation): readonly Diagnostic[] {
  const { kept: versions, edition } = generation;
  const held = [...edition.texts.held.values()].flatMap(({ why }) => why ?? []);
  const causes = [...versions.tools.values(), ...versions.extensions.values()].map(({ cause }) => cause);
  const kept = uniqueDiagnostics([...causes, ...versions.refused.values(), ...held]);
  const found = generation.registry().view.diagnostics.filter(({ severity }) => severity === "error");
  return [...kept, ...found];
}
