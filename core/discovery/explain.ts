import { type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { Candidate, Kind, LayerRef, Standing } from "./catalog.ts";
import { MANIFEST_FILE } from "./manifest.ts";
import { untrustedFile } from "./trust.ts";
import type { View } from "./view.ts";

/** Every candidate of every layer for one id: who won, who did not, why, and what would change it. */
export interface Explanation {
  readonly id: string;
  readonly kind: Kind;
  readonly profile: string;
  /** Display path of the file that serves, null when none does. A winner that did not load is still named. */
  readonly winner: string | null;
  /** Of a tool that is registered and described: what it does, in the language of the host. */
  readonly description?: string;
  /** Display path of the file that says so. */
  readonly describedIn?: string;
  /** Highest first. */
  readonly candidates: readonly {
    readonly file: string;
    readonly layer: LayerRef;
    readonly state: Standing["state"];
    readonly reason: string;
  }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What {@link explain} is asked, and what loading knows. */
export interface ExplainQuestion {
  /** Default: `tool`. */
  readonly kind?: Kind;
  readonly id: string;
  /** Why files did not load, by absolute path. A failed winner stays the winner; lower ones stay shadowed. */
  readonly failures?: ReadonlyMap<string, string>;
  /** Why the id is not registered although a candidate wins, where the host has a reason of its own. */
  readonly withheld?: string;
  /** Why the tool may not be called although it is registered. */
  readonly refused?: string;
}

/** Explains one id of a view. Runs no module. An unknown id has no candidates. */
export function explain(view: View, { kind = "tool", id, failures, withheld, refused }: ExplainQuestion): Explanation {
  const entry = view.catalog.get(kind, id);
  const unmet = kind === "tool" ? view.unmet(id) : undefined;
  const absent = unmet ? unmetReason(view, id, unmet) : withheld;
  const standings = entry?.standings ?? [];
  return {
    id,
    kind,
    profile: view.profile.id,
    winner: absent === undefined && !entry?.winner?.off ? (entry?.winner?.path ?? null) : null,
    candidates: standings.map(({ candidate, state, reason }) => ({
      file: candidate.path,
      layer: { rank: candidate.layer.rank, path: candidate.layer.path },
      ...verdict({ candidate, state, reason }, { absent, refused, failure: failures?.get(candidate.file) }),
    })),
    diagnostics: uniqueDiagnostics([
      ...relevant(view, standings),
      ...(unmet && entry?.winner ? [unmetDiagnostic(view, entry.winner, unmet)] : []),
    ]),
  };
}

function verdict(
  { state, reason }: Standing,
  { absent, refused, failure }: Readonly<Record<"absent" | "refused" | "failure", string | undefined>>,
): Pick<Standing, "state" | "reason"> {
  if (state !== "wins") return { state, reason };
  if (absent !== undefined) return { state: "disabled", reason: absent };
  if (failure === undefined) return { state, reason: refused === undefined ? reason : `${reason}, but ${refused}` };
  return { state: "failed", reason: `${reason}, but it did not load: ${failure}; mend the file, it keeps its place` };
}

function unmetReason(view: View, id: string, key: string): string {
  const asks = view.documentOf(id)?.path ?? "its fragment";
  return `not registered: ${asks} asks for the setting ${key}, which is not on; set it in usr/settings.yaml`;
}

function unmetDiagnostic(view: View, winner: Candidate, key: string): Diagnostic {
  return diagnostic("TOOL_UNMET", { file: winner.path, message: unmetReason(view, winner.id, key) });
}

/** What was found about the candidates' own files, about the fragment of a tool, and about the plugins that they come from. */
function relevant(view: View, standings: readonly Standing[]): readonly Diagnostic[] {
  const files = new Set<string>();
  const own: Diagnostic[] = [];
  for (const { candidate, state } of standings) {
    files.add(candidate.path);
    const untrusted = untrustedFile(candidate);
    if (untrusted) own.push(untrusted);
    const { plugin, layer, kind } = candidate;
    if (plugin !== undefined) {
      const directory = layer.rank === 4 ? layer.path.replace(/\/agents\/[^/]+$/u, "") : layer.path;
      files.add(directory).add(`${directory}/${MANIFEST_FILE}`);
    }
    if (state !== "wins") continue;
    const document = kind === "fragment" ? candidate : kind === "tool" ? view.documentOf(candidate.id) : undefined;
    if (document) own.push(...view.fragment(document).diagnostics);
    if (kind === "locale") own.push(...view.localeTexts(candidate).diagnostics);
    if (kind === "skill") own.push(...view.skill(candidate).diagnostics);
  }
  return [...view.diagnostics.filter(({ file }) => file !== undefined && files.has(file)), ...own];
}
