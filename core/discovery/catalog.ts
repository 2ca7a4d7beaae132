import { compareText, type Diagnostic, type DiagnosticCode, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { KINDS, type Kind } from "./conventions.ts";

export type { Kind } from "./conventions.ts";

/** A search location as outputs show it. */
export interface LayerRef {
  /** Row of the precedence table, 1 (highest) to 8. */
  readonly rank: number;
  /** Display path of the location; `.` is the root. */
  readonly path: string;
}

/** Why something found cannot win, and how it then stands. */
export interface Off {
  readonly state: "disabled" | "refused" | "shadowed";
  /** What is so, and what would change it. */
  readonly reason: string;
}

/** One file of one kind found in one layer. */
export interface Candidate {
  readonly kind: Kind;
  /**
   * tool: file stem. fragment: `<name>` of `agent.system.tool.<name>.md`. prompt: file name. extension:
   * `<point>/<stem>`. profile, plugin, skill: directory name. locale: `<locale>/<file name>`.
   */
  readonly id: string;
  /** Absolute. A profile or plugin without a definition file has its directory here. */
  readonly file: string;
  /** Display path of `file`. */
  readonly path: string;
  readonly layer: LayerRef;
  /** The sub-row of the layer over the whole list of layers: lower wins; equal means side by side. */
  readonly order: number;
  readonly plugin?: string;
  /** Set when it cannot win. `code`: the diagnostic that it deserves by itself. */
  readonly off?: Off & { readonly code?: DiagnosticCode };
}

/** How a candidate stands among those of its id. `failed` comes from loading: see `explain`. */
export interface Standing {
  readonly candidate: Candidate;
  readonly state: "wins" | "shadowed" | "disabled" | "failed" | "collides" | "refused";
  /** Why, and what would change it. */
  readonly reason: string;
}

/** Everything that was found for one id. */
export interface CatalogEntry {
  readonly kind: Kind;
  readonly id: string;
  /** undefined when every candidate is off. */
  readonly winner: Candidate | undefined;
  /** Highest first. */
  readonly standings: readonly Standing[];
}

/** For each kind and id: who wins, and everyone who does not. Pure data. */
export interface Catalog {
  get(kind: Kind, id: string): CatalogEntry | undefined;
  /** Sorted by id; entries without a winner included. */
  list(kind: Kind): readonly CatalogEntry[];
  /** Collisions, and what candidates deserve by themselves. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Builds the catalog of candidates, in whatever order they come. */
export function buildCatalog(candidates: readonly Candidate[]): Catalog {
  const byKind = new Map<Kind, Candidate[]>();
  for (const candidate of candidates) {
    const list = byKind.get(candidate.kind);
    if (list) list.push(candidate);
    else byKind.set(candidate.kind, [candidate]);
  }
  return catalogOf((kind) => byKind.get(kind) ?? []);
}

/** A catalog whose kinds are looked up when they are first asked for. */
export function catalogOf(find: (kind: Kind) => readonly Candidate[]): Catalog {
  const shelves = new Map<Kind, Shelf>();
  const shelf = (kind: Kind): Shelf => {
    const made = shelves.get(kind) ?? buildShelf(kind, find(kind));
    shelves.set(kind, made);
    return made;
  };
  return {
    get: (kind, id) => shelf(kind).byId.get(id),
    list: (kind) => shelf(kind).entries,
    get diagnostics() {
      return uniqueDiagnostics(KINDS.flatMap((kind) => shelf(kind).diagnostics));
    },
  };
}

interface Shelf {
  readonly byId: ReadonlyMap<string, CatalogEntry>;
  readonly entries: readonly CatalogEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

function buildShelf(kind: Kind, candidates: readonly Candidate[]): Shelf {
  const diagnostics: Diagnostic[] = [];
  const alone = new Map<string, Candidate>();
  const groups = new Map<string, Candidate[]>();
  // Two files whose names differ in case alone are one file on many disks: they are weighed together.
  for (const candidate of candidates) {
    const key = candidate.id.toLowerCase();
    const other = alone.get(key);
    if (other === undefined) alone.set(key, candidate);
    else groups.get(key)?.push(candidate) ?? groups.set(key, [other, candidate]);
  }
  const entries: CatalogEntry[] = [];
  for (const [key, candidate] of alone) {
    const group = groups.get(key);
    if (group) entries.push(...entriesOf(kind, group.sort(compareCandidates), diagnostics));
    else entries.push(soleEntry(candidate, diagnostics));
  }
  entries.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { byId: new Map(entries.map((entry) => [entry.id, entry])), entries, diagnostics };
}

const ALONE = "it is the only one of this id";

function soleEntry(candidate: Candidate, diagnostics: Diagnostic[]): CatalogEntry {
  const { kind, id, off } = candidate;
  if (!off) return { kind, id, winner: candidate, standings: [{ candidate, state: "wins", reason: ALONE }] };
  report(candidate, diagnostics);
  return { kind, id, winner: undefined, standings: [{ candidate, state: off.state, reason: off.reason }] };
}

/** The order of a group: sub-row, then plugin, then path. It does not depend on the order in which they were found. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return a.order - b.order || compareText(a.plugin ?? "", b.plugin ?? "") || compareText(a.path, b.path);
}

/** The entries of candidates whose ids are the same but for case, in the order of {@link compareCandidates}. */
function entriesOf(kind: Kind, group: readonly Candidate[], diagnostics: Diagnostic[]): readonly CatalogEntry[] {
  const servers =
    kind === "profile" || kind === "plugin" ? new Map<Candidate, Candidate>() : collisions(group, diagnostics);
  for (const candidate of group) if (!servers.has(candidate)) report(candidate, diagnostics);
  const ids = [...new Set(group.map(({ id }) => id))];
  return ids.map((id) => {
    const winner = group.find((candidate) => candidate.id === id && !candidate.off && !servers.has(candidate));
    // A file of another case stands in the list of the one that it collides with, too.
    const members = group.filter((candidate) => candidate.id === id || servers.get(candidate)?.id === id);
    return { kind, id, winner, standings: members.map((candidate) => standing(candidate, winner, servers)) };
  });
}

function standing(
  candidate: Candidate,
  winner: Candidate | undefined,
  servers: ReadonlyMap<Candidate, Candidate>,
): Standing {
  const server = servers.get(candidate);
  if (server) {
    const reason = `${server.path} claims the same id in the same row and comes first; rename or remove one of the two`;
    return { candidate, state: "collides", reason };
  }
  if (candidate.off) return { candidate, state: candidate.off.state, reason: candidate.off.reason };
  if (candidate === winner)
    return { candidate, state: "wins", reason: `row ${candidate.layer.rank} is the highest that has it` };
  const over = winner
    ? `${winner.path} (row ${winner.layer.rank}) lies higher than row ${candidate.layer.rank}`
    : "a higher one";
  const how =
    candidate.kind === "profile"
      ? "its keys hold where higher ones say nothing"
      : "remove that file, or put this one higher";
  return { candidate, state: "shadowed", reason: `${over}; ${how}` };
}

/** For each candidate that collides, the one that serves its sub-row. One diagnostic for each sub-row. */
function collisions(group: readonly Candidate[], diagnostics: Diagnostic[]): Map<Candidate, Candidate> {
  const servers = new Map<Candidate, Candidate>();
  for (let start = 0; start < group.length; ) {
    let end = start + 1;
    while (end < group.length && group[end]?.order === group[start]?.order) end++;
    const rivals = group.slice(start, end).filter(({ off }) => !off || off.code !== undefined);
    start = end;
    const server = rivals.find(({ off }) => !off);
    if (!server || rivals.length < 2) continue;
    for (const rival of rivals) if (rival !== server) servers.set(rival, server);
    diagnostics.push(collision(server, rivals));
  }
  return servers;
}

function collision(server: Candidate, rivals: readonly Candidate[]): Diagnostic {
  const files = rivals
    .map(({ path, plugin }) => (plugin === undefined ? path : `${path} (plugin ${plugin})`))
    .join(" and ");
  const message = `${server.kind} ${server.id} is claimed by ${files}, which stand side by side; ${server.path} serves`;
  return diagnostic("COLLISION", {
    file: server.path,
    message,
    hint: "Rename or remove all but one, or switch off a plugin.",
  });
}

function report({ kind, path, off }: Candidate, diagnostics: Diagnostic[]): void {
  if (off?.code === undefined) return;
  diagnostics.push(
    diagnostic(off.code, { file: path, message: `the ${kind} is refused: ${off.reason}`, hint: "Rename the file." }),
  );
}
