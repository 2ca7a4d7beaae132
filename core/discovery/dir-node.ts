import type { Slots } from "./slots.ts";

/** The names in one directory by type, each list in code-unit order. Of dot files only the toggles are kept. */
export interface Listing {
  readonly files: readonly string[];
  readonly dirs: readonly string[];
  readonly links: readonly string[];
  /** Pipes, sockets, devices. */
  readonly others: readonly string[];
  /** The system's error code when the directory could not be read; the lists are empty then. */
  readonly fault?: string | undefined;
}

/** One directory of the content tree as a scan saw it. Nothing in it changes but its slots, which are a cache. */
export interface DirNode extends Listing {
  /** See `signature`; 0 when it was not taken or must not be trusted. */
  readonly time: number;
  /** In step with `dirs`; undefined for one that is not entered. */
  readonly nodes: readonly (DirNode | undefined)[];
  /** In step with `links`; undefined for one that is not followed at its place. */
  readonly linked: readonly (LinkNode | undefined)[];
  /** In step with `files`; replaced as files are read. */
  slots: Slots;
}

/** A link at a place where links may stand: what it leads to, or why it is refused. */
export type LinkNode = DirNode | { readonly refused: string };

/** The content trees that one scan covers; `home` is `root` itself where they are one directory. */
export interface Tree {
  readonly root: DirNode;
  readonly home: DirNode;
}

/** Empty lists are shared: most directories have no links and no children. */
export const NOTHING: readonly never[] = Object.freeze([]);

/** What is known of a child directory, be it linked or not; undefined when there is none. */
export function childOf(node: DirNode | undefined, name: string): DirNode | undefined {
  if (!node) return undefined;
  const at = find(node.dirs, name);
  if (at >= 0) return node.nodes[at];
  const linked = node.links.length === 0 ? -1 : find(node.links, name);
  const target = linked < 0 ? undefined : node.linked[linked];
  return target && !("refused" in target) ? target : undefined;
}

/** The node below `node` along `names`. */
export function nodeAt(node: DirNode | undefined, names: readonly string[]): DirNode | undefined {
  let at = node;
  for (const name of names) at = childOf(at, name);
  return at;
}

/** Whether two trees hold the same names, whatever was read of their files. */
export function sameNames(a: LinkNode | undefined, b: LinkNode | undefined): boolean {
  if (a === b) return true;
  if (!a || !b) return false;
  if ("refused" in a || "refused" in b) return "refused" in a && "refused" in b && a.refused === b.refused;
  return (
    a.fault === b.fault &&
    LISTS.every((list) => equal(a[list], b[list])) &&
    a.nodes.every((node, at) => sameNames(node, b.nodes[at])) &&
    a.linked.every((node, at) => sameNames(node, b.linked[at]))
  );
}

const LISTS = ["files", "dirs", "links", "others"] as const;

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, at) => name === b[at]));
}

/** What a directory leads to by name, refused links included. */
export function entriesOf({ dirs, nodes, links, linked }: DirNode): ReadonlyMap<string, LinkNode> {
  const found = new Map<string, LinkNode>();
  for (const [names, targets] of [
    [dirs, nodes],
    [links, linked],
  ] as const) {
    for (const [at, name] of names.entries()) {
      const target = targets[at];
      if (target) found.set(name, target);
    }
  }
  return found;
}

/** Whether a directory holds a file of this name. */
export function hasFile(node: DirNode | undefined, name: string): boolean {
  return node !== undefined && find(node.files, name) >= 0;
}

/** The directories and admitted links below a node, in code-unit order of their names. */
export function childrenOf(node: DirNode | undefined): readonly (readonly [name: string, node: DirNode])[] {
  if (!node) return NOTHING;
  const found: [string, DirNode][] = [];
  for (let at = 0; at < node.dirs.length; at++) {
    const child = node.nodes[at];
    if (child) found.push([node.dirs[at] as string, child]);
  }
  if (node.links.length === 0) return found;
  for (let at = 0; at < node.links.length; at++) {
    const target = node.linked[at];
    if (target && !("refused" in target)) found.push([node.links[at] as string, target]);
  }
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The place of a name in a sorted list, or -1. */
export function find(sorted: readonly string[], name: string): number {
  // Most lists are short, and there the engine's own loop is faster than ours.
  if (sorted.length <= 16) return sorted.indexOf(name);
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = sorted[middle] as string;
    if (at === name) return middle;
    if (at < name) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
