import { type DirNode, type LinkNode, NOTHING, type Tree } from "./dir-node.ts";
import { type FileSlot, type Slots, slotList } from "./slots.ts";

/**
 * A tree as times, counts and a text, each read from front to back.
 *
 * Of one directory there are its time, and as counts a set of {@link PART} bits that says what follows: lists of
 * names (how many, and the length of each in the text), slots, links, children. Parsing objects of JSON for the
 * same takes several times as long, and the index is read at every start. Counts are apart from times because
 * small integers cost no memory to look at.
 */
export interface PackedTree {
  readonly times: Float64Array;
  readonly counts: Int32Array;
  readonly text: string;
}

/** What a directory has. `alike`: the same names as the directory with directories that came before. */
const PART = {
  dirs: 1,
  files: 2,
  alike: 4,
  allNodes: 8,
  someNodes: 16,
  slots: 32,
  links: 64,
  others: 128,
  fault: 256,
} as const;

/** What stands for a link: nothing known, a reason why it is refused, the directory that it leads to. */
const LINK = { none: 0, refused: 1, followed: 2 } as const;

/** Packs a tree; a home that is the root is packed once. */
export function packTree({ root, home }: Tree): PackedTree {
  const packing: Packing = { times: [], counts: [], texts: [], last: undefined };
  packNode(root, packing);
  if (home !== root) packNode(home, packing);
  const { times, counts, texts } = packing;
  return { times: Float64Array.from(times), counts: Int32Array.from(counts), text: texts.join("") };
}

interface Packing {
  readonly times: number[];
  readonly counts: number[];
  readonly texts: string[];
  /** The last directory with directories. */
  last: DirNode | undefined;
}

function packNode(node: DirNode, packing: Packing): void {
  const { counts } = packing;
  const { dirs, files, nodes, others, fault } = node;
  const slots = slotList(node.slots, files.length);
  const parts = partsOf(node, slots, packing.last);
  packing.times.push(node.time);
  counts.push(parts);
  if (dirs.length > 0) packing.last = node;
  if (parts & PART.dirs) packNames(dirs, packing);
  if (parts & PART.files) packNames(files, packing);
  if (parts & PART.slots) for (const slot of slots) packSlot(slot, packing);
  if (parts & PART.links) packLinks(node, packing);
  if (parts & PART.others) packNames(others, packing);
  if (fault !== undefined) say(fault, packing);
  for (let at = 0; at < dirs.length; at++) {
    const child = nodes[at];
    if (parts & PART.someNodes) counts.push(child ? 1 : 0);
    if (child) packNode(child, packing);
  }
}

function partsOf(
  { dirs, files, nodes, links, others, fault }: DirNode,
  slots: Slots,
  last: DirNode | undefined,
): number {
  const known = nodes.filter((child) => child !== undefined).length;
  const alike = dirs.length > 0 && last !== undefined && same(dirs, last.dirs) && same(files, last.files);
  const names = (dirs.length > 0 ? PART.dirs : 0) | (files.length > 0 ? PART.files : 0);
  return (
    (alike ? PART.alike : names) |
    (known > 0 && known === dirs.length ? PART.allNodes : 0) |
    (known > 0 && known < dirs.length ? PART.someNodes : 0) |
    ((slots as readonly unknown[]).some((slot) => slot !== undefined) ? PART.slots : 0) |
    (links.length > 0 ? PART.links : 0) |
    (others.length > 0 ? PART.others : 0) |
    (fault === undefined ? 0 : PART.fault)
  );
}

function packNames(names: readonly string[], packing: Packing): void {
  packing.counts.push(names.length);
  for (const name of names) say(name, packing);
}

function packSlot(slot: FileSlot | undefined, packing: Packing): void {
  packing.times.push(slot?.time ?? 0);
  packing.counts.push(slot?.size ?? 0);
  say(slot?.text ?? "", packing);
}

function packLinks({ links, linked }: DirNode, packing: Packing): void {
  packNames(links, packing);
  for (let at = 0; at < links.length; at++) {
    const target = linked[at];
    packing.counts.push(target ? ("refused" in target ? LINK.refused : LINK.followed) : LINK.none);
    if (target && "refused" in target) say(target.refused, packing);
    else if (target) packNode(target, packing);
  }
}

function say(text: string, { counts, texts }: Packing): void {
  counts.push(text.length);
  texts.push(text);
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}

/**
 * The tree that was packed. The caller has made sure that the bytes are those that were written.
 * @param shared whether root and home are one directory
 */
export function unpackTree({ times, counts, text }: PackedTree, shared: boolean): Tree {
  const cursor: Cursor = { times, counts, text, time: 0, count: 0, place: 0, dirs: NOTHING, files: NOTHING };
  const root = unpackNode(cursor);
  const home = shared ? root : unpackNode(cursor);
  const whole = cursor.time === times.length && cursor.count === counts.length && cursor.place === text.length;
  if (!whole) throw new RangeError("expected one tree, found something else");
  return { root, home };
}

interface Cursor extends PackedTree {
  /** Where the next of each is read. */
  time: number;
  count: number;
  place: number;
  /** The names of the last directory with directories: plugins look alike, and share them. */
  dirs: readonly string[];
  files: readonly string[];
}

/** Runs once for each directory at every start, so it makes nothing that can be shared. */
function unpackNode(cursor: Cursor): DirNode {
  const time = cursor.times[cursor.time++] as number;
  const parts = cursor.counts[cursor.count++] as number;
  let dirs: readonly string[] = parts & PART.dirs ? names(cursor) : NOTHING;
  let files: readonly string[] = parts & PART.files ? names(cursor) : NOTHING;
  if (parts & PART.alike) {
    dirs = cursor.dirs;
    files = cursor.files;
  } else if (parts & PART.dirs) {
    cursor.dirs = dirs;
    cursor.files = files;
  }
  const slots = parts & PART.slots ? skipSlots(cursor, files.length) : NOTHING;
  const links = parts & PART.links ? names(cursor) : NOTHING;
  const linked = links.length === 0 ? NOTHING : links.map(() => unpackLink(cursor));
  const others = parts & PART.others ? names(cursor) : NOTHING;
  const fault = parts & PART.fault ? take(cursor, next(cursor)) : undefined;
  const nodes = dirs.length === 0 ? NOTHING : unpackNodes(cursor, dirs.length, parts);
  return { time, files, dirs, links, others, fault, nodes, linked, slots };
}

function unpackNodes(cursor: Cursor, count: number, parts: number): DirNode["nodes"] {
  const nodes = new Array<DirNode | undefined>(count).fill(undefined);
  if ((parts & (PART.allNodes | PART.someNodes)) === 0) return nodes;
  for (let at = 0; at < count; at++) {
    if (parts & PART.allNodes || next(cursor) === 1) nodes[at] = unpackNode(cursor);
  }
  return nodes;
}

/** Leaves the slots packed: see `slots.ts`. */
function skipSlots(cursor: Cursor, size: number): Slots {
  const { times, counts, text, time, count, place } = cursor;
  let end = place;
  for (let at = 0; at < size; at++) end += counts[count + 2 * at + 1] as number;
  cursor.time = time + size;
  cursor.count = count + 2 * size;
  cursor.place = end;
  return { times, counts, text, time, count, place };
}

function unpackLink(cursor: Cursor): LinkNode | undefined {
  const kind = next(cursor);
  if (kind === LINK.none) return undefined;
  return kind === LINK.refused ? { refused: take(cursor, next(cursor)) } : unpackNode(cursor);
}

function names(cursor: Cursor): readonly string[] {
  const { counts, text } = cursor;
  const count = counts[cursor.count++] as number;
  const list = new Array<string>(count);
  let start = cursor.place;
  for (let at = 0; at < count; at++) {
    const end = start + (counts[cursor.count++] as number);
    list[at] = text.slice(start, end);
    start = end;
  }
  cursor.place = start;
  return list;
}

function next(cursor: Cursor): number {
  return cursor.counts[cursor.count++] as number;
}

function take(cursor: Cursor, length: number): string {
  const start = cursor.place;
  cursor.place = start + length;
  return cursor.text.slice(start, start + length);
}
