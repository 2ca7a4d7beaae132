/** What a file gave when it was read: its signature then, and the JSON text of what came out of it. */
export interface FileSlot {
  readonly time: number;
  readonly size: number;
  readonly text: string;
}

/** Slots as they lie in the index: see `index-format.ts`. Most are looked at once or never, so they are not unpacked before. */
interface PackedSlots {
  readonly numbers: Float64Array;
  readonly text: string;
  /** Where the numbers of the first slot stand, and where the texts of the slots begin. */
  readonly number: number;
  readonly place: number;
}

/** The slots of a directory's files, in step with them; a list may be shorter than the files are. */
export type Slots = readonly (FileSlot | undefined)[] | PackedSlots;

/** The slot of the file at a place, or undefined. */
export function slotAt(slots: Slots, at: number): FileSlot | undefined {
  if (isList(slots)) return slots[at];
  const { numbers, text } = slots;
  let { number, place } = slots;
  for (let before = 0; before < at; before++) {
    if (numbers[number] === 0) number += 1;
    else {
      place += numbers[number + 2] as number;
      number += 3;
    }
  }
  const time = numbers[number] as number;
  if (time === 0) return undefined;
  return {
    time,
    size: numbers[number + 1] as number,
    text: text.slice(place, place + (numbers[number + 2] as number)),
  };
}

/** The slots of `count` files as a list. */
export function slotList(slots: Slots, count: number): (FileSlot | undefined)[] {
  return Array.from({ length: count }, (_, at) => slotAt(slots, at));
}

function isList(slots: Slots): slots is readonly (FileSlot | undefined)[] {
  return Array.isArray(slots);
}
