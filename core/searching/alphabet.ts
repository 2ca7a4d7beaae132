import type { CharSet } from "./pattern-tree.ts";

/** A byte that belongs to no character. */
export const STRAY = 2;
const FIRST = STRAY + 1;

/** What an assertion has to know of a neighbour. */
export const KIND = { edge: 0, other: 1, word: 2, newline: 3, return: 4, stray: 5 } as const;

/** Characters that a program treats alike are one symbol, so tables stay small. Symbols are made as characters come. */
export interface Alphabet {
  symbolOf(codePoint: number): number;
  /** The symbols of the first 128 characters. */
  readonly ascii: Uint16Array;
  /** Whether the characters of a symbol are in a set. */
  isIn(symbol: number, set: number): boolean;
  /** One of {@link KIND}. */
  kindOf(symbol: number): number;
}

const WORD = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;

/** Whether a character belongs to a word, as Unicode has it. */
export function isWordCharacter(codePoint: number): boolean {
  if (codePoint < 128) {
    const lower = codePoint | 32;
    return (lower >= 97 && lower <= 122) || (codePoint >= 48 && codePoint <= 57) || codePoint === 95;
  }
  return WORD.test(String.fromCodePoint(codePoint));
}

/** @param kinds whether {@link Alphabet.kindOf} will be asked */
export function createAlphabet(sets: readonly CharSet[], kinds: boolean): Alphabet {
  const members: (readonly boolean[])[] = [[], [], sets.map((set) => set.stray === true)];
  const kindsOf: number[] = [KIND.edge, KIND.edge, KIND.stray];
  const known = new Map<string, number>();
  const pages: (Uint16Array | undefined)[] = [];

  const classify = (codePoint: number): number => {
    const inSets = sets.map((set) => set.has(codePoint));
    const kind = kinds ? kindOfCharacter(codePoint) : KIND.other;
    const key = `${kind}${inSets.map((is) => (is ? "1" : "0")).join("")}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const symbol = FIRST + known.size;
    known.set(key, symbol);
    members[symbol] = inSets;
    kindsOf[symbol] = kind;
    return symbol;
  };
  const ascii = Uint16Array.from({ length: 128 }, (_, codePoint) => classify(codePoint));
  return {
    ascii,
    symbolOf(codePoint) {
      let page = pages[codePoint >> 8];
      if (!page) {
        page = new Uint16Array(256);
        pages[codePoint >> 8] = page;
      }
      const known = page[codePoint & 255] as number;
      if (known > 0) return known;
      const symbol = classify(codePoint);
      page[codePoint & 255] = symbol;
      return symbol;
    },
    isIn: (symbol, set) => members[symbol]?.[set] === true,
    kindOf: (symbol) => kindsOf[symbol] as number,
  };
}

function kindOfCharacter(codePoint: number): number {
  if (codePoint === 10) return KIND.newline;
  if (codePoint === 13) return KIND.return;
  return isWordCharacter(codePoint) ? KIND.word : KIND.other;
}

/** The kind of the character before a place of UTF-8 text. */
export function kindBefore(bytes: Uint8Array, at: number): number {
  if (at === 0) return KIND.edge;
  for (let start = at - 1; start >= Math.max(0, at - 4); start--) {
    const decoded = decodeAt(bytes, start);
    if (decoded >= 0 && (decoded & 7) === at - start) return kindOfCharacter(decoded >> 3);
  }
  return KIND.stray;
}

/**
 * The character at a place of UTF-8 text: the code point times 8 plus its length in bytes; -1 where the byte there
 * begins none.
 */
export function decodeAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return lead * 8 + 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.length) return -1;
  let codePoint = lead & (0xff >> (length + 1));
  for (let index = 1; index < length; index++) {
    const next = bytes[at + index] as number;
    if ((next & 0xc0) !== 0x80) return -1;
    codePoint = (codePoint << 6) | (next & 0x3f);
  }
  if (length === 3 && (codePoint < 0x800 || (codePoint >= 0xd800 && codePoint <= 0xdfff))) return -1;
  if (length === 4 && (codePoint < 0x10000 || codePoint > 0x10ffff)) return -1;
  return codePoint * 8 + length;
}
