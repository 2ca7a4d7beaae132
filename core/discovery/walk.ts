import type { Stats } from "node:fs";
import { type DirNode, find, type LinkNode, type Listing, NOTHING } from "./dir-node.ts";
import { faulty, signature } from "./listing.ts";
import { look, lookAtLink } from "./look.ts";
import { childShape, mayBeLinked, namedChildren, type Shape } from "./shapes.ts";
import { type Slots, slotAt } from "./slots.ts";

/**
 * A time younger than this when the walk began is not trusted: another change may follow within the same tick
 * of the file system's clock (2 s on the coarsest) and leave the time as it is.
 */
const FRESH_MS = 2_500;

/** How a walk reads the disk. */
export interface Walk {
  /** Lists a directory that is not known or not as it was. */
  read(directory: string): Listing;
  /** Why a link is refused, or undefined when it may be followed to a directory. `null`: it leads to a file. */
  follow(link: string): string | undefined | null;
  /** When the walk began, in ms since the epoch; undefined: take no times, for a scan that is not kept. */
  readonly startedAt?: number;
  /** Whether a directory that is known need not be looked at; absent: each is. */
  untouched?(directory: string): boolean;
}

/** Whether a change could still follow unseen: see {@link FRESH_MS}. */
export function isFresh({ mtimeMs, ctimeMs }: Stats, startedAt: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > startedAt - FRESH_MS;
}

/**
 * Walks a root or a home: only the children that the shape names are looked at, since the rest of a person's
 * directory is none of our business. What `known` says of a directory is kept where its time has not changed.
 */
export function walkBase(directory: string, shape: "root" | "home", walk: Walk, known?: DirNode): DirNode {
  const files: string[] = [];
  const dirs: string[] = [];
  const links: string[] = [];
  const others: string[] = [];
  let fault: string | undefined;
  const refused = (code: string): void => {
    fault = code;
  };
  for (const name of namedChildren(shape)) {
    const found = lookAtLink(`${directory}/${name}`, refused);
    if (found?.isDirectory()) dirs.push(name);
    else if (found?.isSymbolicLink()) links.push(name);
    else if (found?.isFile()) files.push(name);
    else if (found) others.push(name);
  }
  for (const names of [files, dirs, links, others]) names.sort();
  return assemble({ directory, shape, time: 0, listing: { files, dirs, links, others, fault } }, walk, known);
}

function walkDirectory(directory: string, shape: Shape, walk: Walk, known: DirNode | undefined): DirNode {
  const { startedAt } = walk;
  if (known !== undefined && walk.untouched?.(directory)) return known;
  if (startedAt === undefined) {
    return assemble({ directory, shape, time: 0, listing: walk.read(directory) }, walk, known);
  }
  const found = look(directory);
  if (known !== undefined && found !== undefined && known.time === signature(found)) {
    // The most common case of all: nothing to enter, nothing changed.
    if (known.dirs.length === 0 && known.links.length === 0) return known;
    return assemble({ directory, shape, time: known.time, listing: known }, walk, known);
  }
  if (!found?.isDirectory()) {
    // What keeps us from looking keeps us from reading, and reading says what it is.
    const listing = found ? faulty("ENOTDIR") : walk.read(directory);
    return assemble({ directory, shape, time: 0, listing }, walk, known);
  }
  const listing = walk.read(directory);
  const trusted = listing.fault === undefined && !isFresh(found, startedAt);
  return assemble({ directory, shape, time: trusted ? signature(found) : 0, listing }, walk, known);
}

interface Reading {
  readonly directory: string;
  readonly shape: Shape;
  readonly time: number;
  readonly listing: Listing;
}

/** The node of a directory with its children; the known one itself where nothing in it has changed. */
function assemble(reading: Reading, walk: Walk, known: DirNode | undefined): DirNode {
  const { time, listing } = reading;
  const nodes = listing.dirs.length === 0 ? NOTHING : childNodes(reading, walk, known);
  const linked = listing.links.length === 0 ? NOTHING : linkNodes(reading, walk, known);
  if (
    known &&
    known.time === time &&
    sameListing(known, listing) &&
    same(known.nodes, nodes) &&
    sameLinks(known, linked)
  ) {
    return known;
  }
  const { files, dirs, links, others, fault } = listing;
  const slots = known ? keptSlots(known, files) : NOTHING;
  return { time, files, dirs, links, others, fault, nodes, linked, slots };
}

/** The nodes of the directories in a listing; the known list itself where it holds the same. */
function childNodes({ directory, shape, listing }: Reading, walk: Walk, known: DirNode | undefined): DirNode["nodes"] {
  const { dirs } = listing;
  const before = known?.dirs === dirs ? known.nodes : undefined;
  let nodes: (DirNode | undefined)[] | undefined;
  for (let at = 0; at < dirs.length; at++) {
    const name = dirs[at] as string;
    const child = childShape(shape, name);
    const node =
      child &&
      walkDirectory(`${directory}/${name}`, child, walk, before ? before[at] : known && knownChild(known, name));
    if (!nodes && before && before[at] === node) continue;
    nodes ??= before ? before.slice() : new Array<DirNode | undefined>(dirs.length).fill(undefined);
    nodes[at] = node;
  }
  return nodes ?? before ?? NOTHING;
}

function linkNodes({ directory, shape, listing }: Reading, walk: Walk, known: DirNode | undefined): DirNode["linked"] {
  return listing.links.map((name): LinkNode | undefined => {
    const child = childShape(shape, name);
    if (child === undefined || !mayBeLinked(shape, name)) return undefined;
    const link = `${directory}/${name}`;
    const refused = walk.follow(link);
    if (refused === null) return undefined;
    if (refused !== undefined) return { refused };
    const before = known?.linked[find(known.links, name)];
    return walkDirectory(link, child, walk, before && !("refused" in before) ? before : undefined);
  });
}

function knownChild(known: DirNode, name: string): DirNode | undefined {
  return known.nodes[find(known.dirs, name)];
}

function keptSlots(known: DirNode, files: readonly string[]): Slots {
  if (known.files === files || known.slots === NOTHING) return known.slots;
  return files.map((name) => {
    const at = find(known.files, name);
    return at < 0 ? undefined : slotAt(known.slots, at);
  });
}

function sameListing(a: Listing, b: Listing): boolean {
  if (a === b) return true;
  return (
    a.fault === b.fault &&
    same(a.files, b.files) &&
    same(a.dirs, b.dirs) &&
    same(a.links, b.links) &&
    same(a.others, b.others)
  );
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((item, at) => item === b[at]));
}

/** Links are followed anew each time: of two refusals the reasons are compared. */
function sameLinks({ linked }: DirNode, now: DirNode["linked"]): boolean {
  const plain = (target: LinkNode | undefined) => (target && "refused" in target ? target.refused : target);
  return same(linked.map(plain), now.map(plain));
}
