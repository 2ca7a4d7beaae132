/** What a file gave when it was read: its signature then, and the JSON text of what came out of it. */
export interface FileSlot {
  readonly time: number;
  readonly size: number;
  readonly text: string;
}

/**
 * Slots as they lie in the index (see `index-format.ts`): a time, a size and the length of a text each. Most are
 * looked at once or never, so they are not unpacked before.
 */
interface PackedSlots {
  readonly times: Float64Array;
  readonly counts: Int32Array;
  readonly text: string;
  /** Where those of the first slot stand. */
  readonly time: number;
  readonly count: number;
  readonly place: number;
}

/** The slots of a directory's files, in step with them; a list may be shorter than the files are. */
export type Slots = readonly (FileSlot | undefined)[] | PackedSlots;

/** The slot of the file at a place, or undefined. */
export function slotAt(slots: Slots, at: number): FileSlot | undefined {
  if (isList(slots)) return slots[at];
  const time = slots.times[slots.time + at] as number;
  if (time === 0) return undefined;
  const { counts } = slots;
  const own = slots.count + 2 * at;
  let { place } = slots;
  for (let before = slots.count; before < own; before += 2) place += counts[before + 1] as number;
  const text = slots.text.slice(place, place + (counts[own + 1] as number));
  return { time, size: counts[own] as number, text };
}

/** The slots of `count` files as a list. */
export function slotList(slots: Slots, count: number): (FileSlot | undefined)[] {
  return Array.from({ length: count }, (_, at) => slotAt(slots, at));
}

function isList(slots: Slots): slots is readonly (FileSlot | undefined)[] {
  return Array.isArray(slots);
}
