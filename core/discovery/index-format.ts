import { type DirNode, type LinkNode, NOTHING, type Tree } from "./dir-node.ts";
import { type FileSlot, type Slots, slotList } from "./slots.ts";

/**
 * A tree as a list of numbers and a text, each read from front to back.
 *
 * Of one directory the numbers are its time, the lengths of its joined names of directories and files, and a
 * set of {@link PART} bits that says what follows; the text holds the names, joined by `/`, which no name can
 * hold, and the texts of the slots. Parsing objects of JSON for the same takes four times as long, and the
 * index is read at every start.
 */
export interface PackedTree {
  readonly numbers: Float64Array;
  readonly text: string;
}

/** What a directory has besides its time, files and directories. */
const PART = { allNodes: 1, someNodes: 2, slots: 4, links: 8, others: 16, fault: 32 } as const;

/** What stands for a link: nothing known, a reason why it is refused, the directory that it leads to. */
const LINK = { none: 0, refused: 1, followed: 2 } as const;

/** Packs a tree; a home that is the root is packed once. */
export function packTree({ root, home }: Tree): PackedTree {
  const numbers: number[] = [];
  const texts: string[] = [];
  const say = (text: string): void => {
    numbers.push(text.length);
    texts.push(text);
  };

  const packNode = (node: DirNode): void => {
    const { time, files, dirs, nodes, links, others, fault } = node;
    const slots = slotList(node.slots, files.length);
    numbers.push(time);
    say(dirs.join("/"));
    say(files.join("/"));
    const known = nodes.filter((child) => child !== undefined).length;
    const withSlots = slots.some((slot) => slot !== undefined);
    numbers.push(
      (known > 0 && known === dirs.length ? PART.allNodes : 0) |
        (known > 0 && known < dirs.length ? PART.someNodes : 0) |
        (withSlots ? PART.slots : 0) |
        (links.length > 0 ? PART.links : 0) |
        (others.length > 0 ? PART.others : 0) |
        (fault === undefined ? 0 : PART.fault),
    );
    if (withSlots) slots.forEach(packSlot);
    if (links.length > 0) packLinks(node);
    if (others.length > 0) say(others.join("/"));
    if (fault !== undefined) say(fault);
    for (let at = 0; at < dirs.length; at++) {
      const child = nodes[at];
      if (known > 0 && known < dirs.length) numbers.push(child ? 1 : 0);
      if (child) packNode(child);
    }
  };

  const packSlot = (slot: FileSlot | undefined): void => {
    numbers.push(slot?.time ?? 0);
    if (!slot) return;
    numbers.push(slot.size);
    say(slot.text);
  };

  const packLinks = ({ links, linked }: DirNode): void => {
    say(links.join("/"));
    for (let at = 0; at < links.length; at++) {
      const target = linked[at];
      if (!target) numbers.push(LINK.none);
      else if ("refused" in target) {
        numbers.push(LINK.refused);
        say(target.refused);
      } else {
        numbers.push(LINK.followed);
        packNode(target);
      }
    }
  };

  packNode(root);
  if (home !== root) packNode(home);
  return { numbers: Float64Array.from(numbers), text: texts.join("") };
}

/**
 * The tree that was packed. The caller has made sure that the bytes are those that were written.
 * @param shared whether root and home are one directory
 */
export function unpackTree({ numbers, text }: PackedTree, shared: boolean): Tree {
  let number = 0;
  let place = 0;
  const next = (): number => numbers[number++] as number;
  const take = (length: number): string => {
    place += length;
    return text.slice(place - length, place);
  };
  // Plugins look alike: their lists of names are shared.
  const seen = new Map<string, readonly string[]>();

  const names = (length: number): readonly string[] => (length === 0 ? NOTHING : take(length).split("/"));
  const commonNames = (length: number): readonly string[] => {
    if (length === 0) return NOTHING;
    const joined = take(length);
    const known = seen.get(joined);
    if (known) return known;
    const split = joined.split("/");
    if (length < 100) seen.set(joined, split);
    return split;
  };

  const unpackNode = (): DirNode => {
    const time = next();
    const dirsLength = next();
    const dirs = commonNames(dirsLength);
    const files = dirsLength === 0 ? names(next()) : commonNames(next());
    const parts = next();
    const slots = parts & PART.slots ? skipSlots(files.length) : NOTHING;
    const links = parts & PART.links ? names(next()) : NOTHING;
    const linked = links.length === 0 ? NOTHING : links.map(unpackLink);
    const others = parts & PART.others ? names(next()) : NOTHING;
    const fault = parts & PART.fault ? take(next()) : undefined;
    const nodes = unpackNodes(dirs.length, parts);
    return { time, files, dirs, links, others, fault, nodes, linked, slots };
  };

  const unpackNodes = (count: number, parts: number): DirNode["nodes"] => {
    if (count === 0) return NOTHING;
    const nodes = new Array<DirNode | undefined>(count).fill(undefined);
    if ((parts & (PART.allNodes | PART.someNodes)) === 0) return nodes;
    for (let at = 0; at < count; at++) if (parts & PART.allNodes || next() === 1) nodes[at] = unpackNode();
    return nodes;
  };

  const skipSlots = (count: number): Slots => {
    const slots = { numbers, text, number, place };
    for (let at = 0; at < count; at++) {
      if (next() === 0) continue;
      number += 1;
      place += next();
    }
    return slots;
  };

  const unpackLink = (): LinkNode | undefined => {
    const kind = next();
    if (kind === LINK.none) return undefined;
    return kind === LINK.refused ? { refused: take(next()) } : unpackNode();
  };

  const root = unpackNode();
  const home = shared ? root : unpackNode();
  if (number !== numbers.length || place !== text.length) throw new RangeError("more was packed than one tree");
  return { root, home };
}
