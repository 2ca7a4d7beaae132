import type { Candidate, Kind, LayerRef, Off } from "./catalog.ts";
import { CONVENTIONS, type Convention } from "./conventions.ts";
import { childOf, type DirNode } from "./dir-node.ts";
import type { Layer } from "./layers.ts";

/** The directory that lists a candidate's file: what was derived from the file is kept there. */
export interface LeafPlace {
  readonly node: DirNode;
  /** Display path. */
  readonly shown: string;
}

/** For each candidate where it lies. */
export type Leaves = Map<Candidate, LeafPlace>;

/**
 * The candidates of one kind that lie as files in layers. Profiles and plugins are places: see `placeCandidate`.
 * @param leaves is told where each candidate lies
 */
export function candidatesOf(kind: Kind, layers: readonly Layer[], leaves?: Leaves): readonly Candidate[] {
  const convention = CONVENTIONS[kind];
  const found: Candidate[] = [];
  const at = `/${convention.directory}`;
  for (let index = 0; index < layers.length; index++) {
    const layer = layers[index] as Layer;
    const node = childOf(layer.node, convention.directory);
    if (!node) continue;
    if (convention.shape === "files") addFiles(found, { convention, layer, node, at, group: "", leaves });
    else
      for (const [place, group] of node.dirs.entries()) {
        const inner = node.nodes[place];
        if (inner) addFiles(found, { convention, layer, node: inner, at: `${at}/${group}`, group, leaves });
      }
  }
  return found;
}

interface Leaf {
  readonly convention: Convention;
  readonly layer: Layer;
  readonly node: DirNode;
  /** Way from the layer to the directory, with a leading slash. */
  readonly at: string;
  readonly group: string;
  readonly leaves: Leaves | undefined;
}

function addFiles(found: Candidate[], { convention, layer, node, at, group, leaves }: Leaf): void {
  const { kind } = convention;
  const { ref, order, plugin } = layer;
  const directory = `${layer.directory}${at}/`;
  const shown = ref.path === "." ? at.slice(1) : `${ref.path}${at}`;
  const place: LeafPlace = { node, shown };
  const { files } = node;
  for (let index = 0; index < files.length; index++) {
    const name = files[index] as string;
    const id = convention.id(name, group);
    if (id === undefined) continue;
    const candidate: { -readonly [Key in keyof Candidate]: Candidate[Key] } = {
      kind,
      id,
      file: directory + name,
      path: `${shown}/${name}`,
      layer: ref,
      order,
    };
    // Set, not spread: tens of thousands are made at every start.
    if (plugin !== undefined) candidate.plugin = plugin;
    const off = offOf(layer.off, convention, id);
    if (off !== undefined) candidate.off = off;
    found.push(candidate);
    leaves?.set(candidate, place);
  }
}

/** A name that is none is told wherever no person decided that the layer is off. */
function offOf(layer: Off | undefined, { refuse }: Convention, id: string): Off | undefined {
  if (layer && layer.code !== "UNTRUSTED") return layer;
  const refused = refuse?.(id);
  return refused ? { state: "refused", ...refused } : layer;
}

/** A directory that is a profile or a plugin. */
export interface Place {
  readonly id: string;
  readonly node: DirNode;
  readonly directory: string;
  readonly path: string;
  readonly layer: LayerRef;
  readonly order: number;
  readonly plugin?: string;
  readonly off?: Off;
}

/** The candidate of a place: its definition file, or the directory itself where it has none. */
export function placeCandidate(kind: "profile" | "plugin", place: Place): Candidate {
  const { id, node, directory, path, layer, order, plugin, off } = place;
  const definition = CONVENTIONS[kind].definitions?.find((name) => node.files.includes(name));
  return {
    kind,
    id,
    file: definition ? `${directory}/${definition}` : directory,
    path: definition ? `${path}/${definition}` : path,
    layer,
    order,
    ...(plugin === undefined ? {} : { plugin }),
    ...(off === undefined ? {} : { off }),
  };
}
