import { compareText, type Diagnostic, type DiagnosticCode, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { CONVENTIONS, KINDS, type Kind } from "./conventions.ts";

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
  /** The diagnostic that it deserves by itself, with its hint. */
  readonly code?: DiagnosticCode;
  readonly hint?: string;
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
  /** Set when it cannot serve. */
  readonly off?: Off;
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
  /** undefined when every candidate is off; one that {@link claims} its name may be off itself. */
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

/** Plugins and profiles are directories: nothing is wrong with their names. */
const FILE_KINDS = KINDS.filter((kind) => CONVENTIONS[kind].shape !== "places");

/** Of these two files may claim one id and not both serve. */
const RIVAL_KINDS = FILE_KINDS.filter((kind) => !CONVENTIONS[kind].joined);

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
      return uniqueDiagnostics(FILE_KINDS.flatMap((kind) => shelf(kind).diagnostics));
    },
  };
}

interface Shelf {
  readonly byId: ReadonlyMap<string, CatalogEntry>;
  /** Sorted by id. */
  readonly entries: readonly CatalogEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

function buildShelf(kind: Kind, candidates: readonly Candidate[]): Shelf {
  const diagnostics: Diagnostic[] = [];
  const byId = new Map<string, CatalogEntry>();
  for (const group of rivals(candidates)) {
    for (const entry of entriesOf(kind, group.sort(compareCandidates), diagnostics)) byId.set(entry.id, entry);
  }
  // Most ids have one candidate, and tens of thousands may be looked at: these are made without a list each.
  for (let at = 0; at < candidates.length; at++) {
    const candidate = candidates[at] as Candidate;
    if (!byId.has(candidate.id)) byId.set(candidate.id, soleEntry(candidate, diagnostics));
  }
  return { byId, entries: [...byId.values()].sort((a, b) => compareText(a.id, b.id)), diagnostics };
}

/**
 * The candidates that share an id with others, in groups. Ids that differ in case alone count as one: such
 * files are one file on many disks.
 */
function rivals(candidates: readonly Candidate[]): Iterable<Candidate[]> {
  const first = new Map<string, Candidate>();
  const groups = new Map<string, Candidate[]>();
  for (let at = 0; at < candidates.length; at++) {
    const candidate = candidates[at] as Candidate;
    const key = candidate.id.toLowerCase();
    const other = first.get(key);
    if (other === undefined) first.set(key, candidate);
    else {
      const group = groups.get(key);
      if (group) group.push(candidate);
      else groups.set(key, [other, candidate]);
    }
  }
  return groups.values();
}

const ALONE = "it is the only one of this id";

function soleEntry(candidate: Candidate, diagnostics: Diagnostic[]): CatalogEntry {
  const { kind, id, off } = candidate;
  const winner = claims(candidate) ? candidate : undefined;
  if (!off) return { kind, id, winner: candidate, standings: [{ candidate, state: "wins", reason: ALONE }] };
  report(candidate, diagnostics);
  return { kind, id, winner, standings: [{ candidate, state: off.state, reason: off.reason }] };
}

/**
 * Whether a candidate takes its name from those below it. A tool of a root that is not trusted does, although it is
 * off: who calls it must learn that, and not get another tool than the one that would run.
 */
function claims({ kind, off }: Candidate): boolean {
  return !off || (kind === "tool" && off.code === "UNTRUSTED");
}

/** The order of a group: sub-row, then plugin, then path. It does not depend on the order in which they were found. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return a.order - b.order || compareText(a.plugin ?? "", b.plugin ?? "") || compareText(a.path, b.path);
}

/** The entries of candidates whose ids are the same but for case, in the order of {@link compareCandidates}. */
function entriesOf(kind: Kind, group: readonly Candidate[], diagnostics: Diagnostic[]): readonly CatalogEntry[] {
  const servers = RIVAL_KINDS.includes(kind) ? collisions(group, diagnostics) : new Map<Candidate, Candidate>();
  for (const candidate of group) if (!servers.has(candidate)) report(candidate, diagnostics);
  const ids = [...new Set(group.map(({ id }) => id))];
  return ids.map((id) => {
    const winner = group.find((candidate) => candidate.id === id && claims(candidate) && !servers.has(candidate));
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
  const how = CONVENTIONS[candidate.kind].joined
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
  // Of a root that is not trusted it is told once.
  if (off?.code === undefined || off.code === "UNTRUSTED") return;
  const { code, reason, hint } = off;
  const message = `the ${kind} is refused: ${reason}`;
  diagnostics.push(diagnostic(code, { file: path, message, ...(hint === undefined ? {} : { hint }) }));
}
