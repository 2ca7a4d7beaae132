import { readFileSync } from "node:fs";
import { type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import { untrustedFile } from "../discovery/trust.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { ToolRole, ToolSummary } from "../sdk/tool.ts";
import type { ContractCache } from "./contract-cache.ts";
import { type KeptVersions, keptDiagnostics } from "./kept-versions.ts";
import type { ModuleLoader } from "./module-loader.ts";
import { loadTool, type ToolContract, type ToolOutcome } from "./tool-module.ts";
import { createToolWords, type ToolWords } from "./tool-words.ts";

/** One tool that a profile can call. */
export interface ToolEntry {
  readonly id: string;
  readonly candidate: Candidate;
  /** Who is blamed and credited: the plugin, else the layer's directory, `core` for the lowest layer. */
  readonly owner: string;
}

/** What is known about a tool without running its module. */
interface ToolState {
  readonly status: "ok" | "unloaded" | "degraded" | "failed";
  /** Known when this content was loaded before. */
  readonly contract: ToolContract | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** What {@link createRegistry} joins. */
export interface RegistryOptions {
  readonly view: View;
  readonly loader: ModuleLoader;
  readonly contracts: ContractCache;
  readonly generation: number;
  /** The versions that serve in place of modules that do not load. Default: none. */
  readonly kept?: Pick<KeptVersions, "tools" | "refused">;
  /** Takes the absolute paths of the tools that were loaded. */
  readonly used?: Set<string>;
  /** Runs content's code: the top level of a module. Default: just runs it. */
  within?<T>(source: { readonly owner: string; readonly file: string }, fn: () => T): T;
}

/**
 * The immutable snapshot that calls of one profile are served from: what discovery found, joined with what
 * loading knows. Modules run only in `load`, `contract`, `answers` and `byRole`, and there only where nothing is cached.
 */
export interface Registry {
  readonly generation: number;
  readonly view: View;
  /**
   * The registered tools, sorted by id. One of a root that is not trusted is among them and is `off`: it never loads.
   * A tool with an unmet `when` or switched off by the profile is not among them.
   */
  entries(): readonly ToolEntry[];
  /** Exact id first, then alias; undefined for anything else. */
  resolve(name: string): ToolEntry | undefined;
  state(entry: ToolEntry): ToolState;
  words(entry: ToolEntry): ToolWords;
  /** Of its words, without a look at its contract. */
  aliases(entry: ToolEntry): readonly string[];
  /** Display path of the file that gives the description; undefined where none does. */
  describedIn(entry: ToolEntry): string | undefined;
  /** The parameters with the descriptions of the locale; the same object as long as words and schema are. */
  parameters(entry: ToolEntry, contract: ToolContract): JsonSchema | null;
  /** The contract from the cache, else by loading the module. */
  contract(entry: ToolEntry): Promise<ToolContract | Diagnostic>;
  /** Loads the module, or the lower layer's where the settings allow that fallback. A kept version needs no loading. */
  load(entry: ToolEntry): Promise<ToolOutcome>;
  /** Whether a tool has a role, and so answers for the agent. Its module is run only where that cannot be told otherwise. */
  answers(entry: ToolEntry): Promise<boolean>;
  /** As far as it can be told without running its module; a file that speaks of a role may have one. */
  mayAnswer(entry: ToolEntry): boolean;
  /** The tool that plays a role. Modules are run only where the role cannot be told otherwise. */
  byRole(role: ToolRole): Promise<ToolEntry | undefined>;
  summaries(): readonly ToolSummary[];
  /** Why the candidates of an id did not load when they were last tried, by absolute path. */
  failures(id: string): ReadonlyMap<string, string>;
  /** The diagnostics of the candidates of an id that did not load. */
  troubles(id: string): readonly Diagnostic[];
  /** What the join found: unmet conditions, aliases that are taken, roles that two tools claim. */
  diagnostics(): readonly Diagnostic[];
}

/** Builds the registry of one profile. Nothing is read or run until it is asked for. */
export function createRegistry(options: RegistryOptions): Registry {
  const { view, loader, contracts, generation, kept, used, within = (_source, fn) => fn() } = options;
  const found: Diagnostic[] = [];
  const roles = new Map<ToolRole, ToolEntry>();
  // A snapshot serves one evaluation of a module; what failed, or was served in its place, is tried anew each time.
  const loaded = new Map<ToolEntry, Promise<ToolOutcome>>();
  const allowFallback = view.settings.get("fallbackOnLoadError") === true;
  const all = lazily(() => registered(view, found));
  const entries = lazily(() => all().filter((entry) => switchedOn(entry)));
  const byId = lazily(() => new Map(entries().map((entry) => [entry.id, entry])));
  const told = createToolWords({ view, entries, contractOf: (entry) => state(entry).contract });

  /** `tools.enable` names what a profile keeps, `tools.disable` what it drops; a role that the loop needs is kept. */
  function switchedOn({ id, candidate }: ToolEntry): boolean {
    const { enable, disable } = view.profile.tools;
    if (disable.includes(id)) return false;
    return enable.length === 0 || enable.includes(id) || hasRole(candidate);
  }

  function hasRole(candidate: Candidate): boolean {
    // Of a root that is not trusted no module is read.
    if (candidate.off) return false;
    const known = knownContract(candidate.file);
    return known ? known.role !== undefined : mentionsRole(candidate.file);
  }

  function knownContract(file: string): ToolContract | undefined {
    const version = kept?.tools.get(file);
    if (version) return version.loaded.contract;
    const known = contracts.get(file);
    return known && "contract" in known ? known.contract : undefined;
  }

  function state({ candidate }: Pick<ToolEntry, "candidate">): ToolState {
    const untrusted = untrustedFile(candidate);
    if (untrusted) return { status: "unloaded", contract: undefined, diagnostics: [untrusted] };
    const version = kept?.tools.get(candidate.file);
    if (version) {
      const { contract } = version.loaded;
      return { status: "degraded", contract, diagnostics: keptDiagnostics(version, candidate) };
    }
    const refused = kept?.refused.get(candidate.file);
    const known = refused ? { diagnostic: refused } : contracts.get(candidate.file);
    if (!known) return { status: "unloaded", contract: undefined, diagnostics: [] };
    if ("contract" in known) return { status: "ok", contract: known.contract, diagnostics: [] };
    const lower = allowFallback ? serving(view.lower(candidate)) : undefined;
    if (!lower) return { status: "failed", contract: undefined, diagnostics: [known.diagnostic] };
    const fallback = fallbackDiagnostic(candidate, lower.candidate, known.diagnostic);
    return { status: "degraded", contract: lower.contract, diagnostics: [known.diagnostic, fallback] };
  }

  /** The first of a candidate and those below it that is known to load. */
  function serving(candidate: Candidate | undefined): { candidate: Candidate; contract: ToolContract } | undefined {
    if (!candidate) return undefined;
    const contract = knownContract(candidate.file);
    return contract ? { candidate, contract } : serving(view.lower(candidate));
  }

  function troublesOf(id: string): readonly { file: string; found: Diagnostic }[] {
    const standings = view.catalog.get("tool", id)?.standings ?? [];
    return standings.flatMap(({ candidate: { file } }) => {
      const known = contracts.get(file);
      return known && "diagnostic" in known ? [{ file, found: known.diagnostic }] : [];
    });
  }

  function load(entry: ToolEntry): Promise<ToolOutcome> {
    const known = loaded.get(entry);
    if (known) return known;
    const untrusted = untrustedFile(entry.candidate);
    if (untrusted) return Promise.resolve({ diagnostic: untrusted });
    const version = kept?.tools.get(entry.candidate.file);
    if (!version) return loadNow(entry);
    const serving = Promise.resolve({ tool: version.loaded });
    loaded.set(entry, serving);
    return serving;
  }

  async function loadNow(entry: ToolEntry): Promise<ToolOutcome> {
    const outcome = await loadAndRemember(entry.candidate);
    if ("tool" in outcome) {
      loaded.set(entry, Promise.resolve(outcome));
      used?.add(entry.candidate.file);
    }
    if ("tool" in outcome || !allowFallback) return outcome;
    for (let lower = view.lower(entry.candidate); lower; lower = view.lower(lower)) {
      const second = await loadAndRemember(lower);
      if ("tool" in second) return second;
    }
    return outcome;
  }

  async function loadAndRemember(candidate: Candidate): Promise<ToolOutcome> {
    const { id, file, path } = candidate;
    const refused = kept?.refused.get(file);
    if (refused) return { diagnostic: refused };
    const outcome = await within({ owner: `the module ${path}`, file }, () => loadTool(loader, { id, file }));
    const remembered = "tool" in outcome ? { contract: outcome.tool.contract } : { diagnostic: outcome.diagnostic };
    contracts.put(file, loader, remembered);
    return outcome;
  }

  async function contract(entry: ToolEntry): Promise<ToolContract | Diagnostic> {
    const { contract: known } = state(entry);
    if (known) return known;
    const outcome = await load(entry);
    return "tool" in outcome ? outcome.tool.contract : outcome.diagnostic;
  }

  /** A snapshot does not change who plays a role; only who nobody plays yet may be mended. */
  async function byRole(role: ToolRole): Promise<ToolEntry | undefined> {
    const known = roles.get(role) ?? (await findRole(role));
    if (known) roles.set(role, known);
    return known;
  }

  async function findRole(role: ToolRole): Promise<ToolEntry | undefined> {
    const holders: ToolEntry[] = [];
    for (const entry of entries()) {
      if (!state(entry).contract && !hasRole(entry.candidate)) continue;
      const known = await contract(entry);
      if ("role" in known && known.role === role) holders.push(entry);
    }
    if (holders.length > 1) {
      const files = holders.map((entry) => entry.candidate.path).join(" and ");
      found.push(
        diagnostic("ROLE_TAKEN", {
          message: `one tool may have role "${role}", found ${files}`,
          hint: "Remove the role from all but one.",
        }),
      );
    }
    return holders[0];
  }

  return {
    generation,
    view,
    entries,
    resolve: (name) => byId().get(name) ?? entries().find((entry) => told.aliases(entry).includes(name)),
    state,
    words: told.words,
    aliases: told.aliases,
    describedIn: told.describedIn,
    parameters: told.parameters,
    contract,
    load,
    mayAnswer: ({ candidate }) => hasRole(candidate),
    answers: async (entry) => {
      if (!hasRole(entry.candidate)) return false;
      const known = await contract(entry);
      return "role" in known && known.role !== undefined;
    },
    byRole,
    summaries: () =>
      entries()
        .filter(({ candidate }) => !candidate.off)
        .map((entry) => ({ entry, known: state(entry) }))
        .filter(({ known }) => known.contract?.role !== "fallback")
        .map(({ entry, known }) => {
          const { description, aliases } = told.words(entry);
          const [fault] = known.status === "failed" ? known.diagnostics : [];
          return {
            id: entry.id,
            description,
            aliases,
            status: known.status,
            ...(fault ? { error: placed(fault) } : {}),
          };
        }),
    failures: (id) => new Map(troublesOf(id).map(({ file, found: item }) => [file, item.message])),
    troubles: (id) => troublesOf(id).map(({ found: item }) => item),
    diagnostics: () => uniqueDiagnostics([...found, ...told.diagnostics()]),
  };
}

function registered(view: View, found: Diagnostic[]): readonly ToolEntry[] {
  const entries: ToolEntry[] = [];
  for (const { id, winner } of view.catalog.list("tool")) {
    if (!winner) continue;
    const unmet = winner.off ? undefined : view.unmet(id);
    if (unmet) found.push(unmetDiagnostic(winner, unmet));
    else entries.push({ id, candidate: winner, owner: ownerOf(winner) });
  }
  return entries;
}

function unmetDiagnostic(winner: Candidate, key: string): Diagnostic {
  const message = `${winner.id} is not registered: its fragment asks for the setting ${key}, which is not on`;
  return diagnostic("TOOL_UNMET", { file: winner.path, message, hint: `Set ${key}: true in usr/settings.yaml.` });
}

function fallbackDiagnostic({ id, path: file }: Candidate, lower: Candidate, cause: Diagnostic): Diagnostic {
  const message = `${file} did not load, so ${lower.path} serves ${id}: ${cause.message}`;
  return diagnostic("LOAD_FALLBACK", { file, message, hint: "Mend the file; the next load takes it." });
}

/** A fault in few words, with its place in front. */
function placed({ file, line, message }: Diagnostic): string {
  return file === undefined ? message : `${file}${line === undefined ? "" : `:${line}`}: ${message}`;
}

function ownerOf({ plugin, layer }: Candidate): string {
  return plugin ?? (layer.path === "." || layer.rank === 8 ? "core" : layer.path);
}

/** A role is a static member, so a file that never says the word has none; a base class in another file must repeat it. */
function mentionsRole(file: string): boolean {
  try {
    return readFileSync(file, "utf8").includes("role");
  } catch {
    // Unreadable: let the load say why.
    return true;
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
