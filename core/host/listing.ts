import type { Diagnostic } from "../diagnostics.ts";
import { uniqueDiagnostics } from "../diagnostics.ts";
import type { Candidate, Kind, LayerRef } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import { isUntrusted } from "../discovery/trust.ts";
import type { Registry } from "../loading/registry.ts";
import type { RiskLevel } from "../sdk/tool.ts";
import type { Authority } from "./authority.ts";

/** One tool of {@link Listing}. Paths are POSIX, relative to the root, absolute outside. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly kind: "tool";
  /** `dynamic` where the tool weighs each call; null while no contract is known for this content. */
  readonly risk: RiskLevel | "dynamic" | null;
  readonly layer: LayerRef;
  readonly plugin: string | null;
  readonly file: string;
  /** `unloaded`: no schema is known for this content yet. `degraded`: a lower layer serves. */
  readonly status: "ok" | "unloaded" | "degraded" | "failed";
  /** Files that this one shadows, highest first. */
  readonly shadows: readonly string[];
  /** Codes of what is wrong with this tool. */
  readonly diagnostics: readonly string[];
  /** The setting that keeps it from being called from here; absent where none does. */
  readonly refused?: string;
}

/** The answer of `list`. */
export interface Listing {
  readonly profile: string;
  readonly generation: number;
  /** Sorted by name. */
  readonly tools: readonly ListedTool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One item of another kind. */
export interface ListedItem {
  readonly id: string;
  readonly layer: LayerRef;
  readonly file: string;
  readonly shadows: readonly string[];
  /** `unloaded` where it may not be used, whatever it is; absent where it serves. */
  readonly status?: "unloaded";
  /** Codes of what is wrong with it; absent where nothing is. */
  readonly diagnostics?: readonly string[];
}

/**
 * What the registry of a profile serves, without running a module.
 * @param refusal of the authority of whoever asks; absent: nothing is told of what may be called
 */
export function listTools(registry: Registry, refusal?: Authority["refusal"]): Listing {
  const { view } = registry;
  const seen = view.diagnostics;
  const found: Diagnostic[] = [...seen];
  // Worked out once: a view gathers its diagnostics anew each time that it is asked.
  const codes = codesByFile(seen);
  const tools = registry.entries().map((entry): ListedTool => {
    const { candidate, id } = entry;
    const { status, contract, diagnostics } = registry.state(entry);
    // That the root is not trusted is told once.
    if (!candidate.off) found.push(...diagnostics);
    const mine = codes.get(candidate.path) ?? NOTHING;
    const denial = refusal?.(id);
    return {
      name: id,
      description: registry.words(entry).description,
      kind: "tool",
      risk: contract?.risk ?? null,
      layer: candidate.layer,
      plugin: candidate.plugin ?? null,
      file: candidate.path,
      status,
      shadows: shadowedBy(view, "tool", id),
      diagnostics: [...new Set([...diagnostics.map(({ code }) => code), ...mine])].sort(),
      ...(denial ? { refused: denial.setting } : {}),
    };
  });
  found.push(...registry.diagnostics());
  return { profile: view.profile.id, generation: registry.generation, tools, diagnostics: uniqueDiagnostics(found) };
}

/**
 * The winners of one kind, sorted by id, each behind what would stand in its place if its root were trusted.
 * @param options.hidden whether profiles that are not shown to people, whose name begins with `_`, are among them
 */
export function listItems(view: View, kind: Kind, { hidden = false } = {}): readonly ListedItem[] {
  return view.catalog.list(kind).flatMap(({ id, winner, standings }): readonly ListedItem[] => {
    if (kind === "profile" && id.startsWith("_") && !hidden) return [];
    const refused = standings.find(({ candidate: { off } }) => isUntrusted(off))?.candidate;
    const waiting =
      refused && ({ ...placeOf(refused), shadows: NOTHING, status: "unloaded", diagnostics: ["UNTRUSTED"] } as const);
    const serving = winner && !winner.off && { ...placeOf(winner), shadows: shadowedBy(view, kind, id) };
    return [waiting, serving].flatMap((item) => item || []);
  });
}

function placeOf({ id, layer, path }: Candidate): Pick<ListedItem, "id" | "layer" | "file"> {
  return { id, layer, file: path };
}

const NOTHING: readonly string[] = [];

function codesByFile(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly string[]> {
  const codes = new Map<string, string[]>();
  for (const { file, code } of diagnostics) {
    if (file === undefined) continue;
    const known = codes.get(file);
    if (known) known.push(code);
    else codes.set(file, [code]);
  }
  return codes;
}

function shadowedBy(view: View, kind: Kind, id: string): readonly string[] {
  const standings = view.catalog.get(kind, id)?.standings ?? [];
  return standings.filter(({ state }) => state === "shadowed").map(({ candidate }) => candidate.path);
}
