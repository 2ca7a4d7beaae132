import { CJK } from "./script.ts";
import { DECISIVE_FAMILIES, FAMILIES, FREE_SIGNS, LIGHT_FAMILIES, STOP_WORDS, TIE_FAMILIES } from "./words.ts";

/** What a word stands for. */
export interface Meaning {
  /** Words of one family share it: `~count`; any other word has its stem. */
  readonly term: string;
  readonly role: "content" | "light" | "tie" | "stop" | "decisive";
}

/** The words of the language by spelling; phrases have a space between their words. */
export interface Lexicon {
  /** The meaning of a Latin word or phrase, in lower case; undefined for one that is in no list. */
  known(word: string): Meaning | undefined;
  /**
   * The longest known Chinese word at `start`, or undefined. A word of one sign counts only where a known word or
   * the end follows, and where no unknown sign goes before (`loose`): 发 is "send", but not in 开发.
   */
  longest(
    text: string,
    start: number,
    loose?: boolean,
  ): { readonly word: string; readonly meaning: Meaning } | undefined;
}

/** The meaning of a word that may be in no list. */
export function meaningOf(lexicon: Lexicon, word: string): Meaning {
  return lexicon.known(word) ?? { term: stem(word), role: "content" };
}

/** Builds the lexicon: some thousand map entries, well under a millisecond a hundred. */
export function createLexicon(): Lexicon {
  const words = new Map<string, Meaning>();
  const stems = new Map<string, Meaning>();
  const add = (list: string, meaning: Meaning) => {
    for (const item of list.split(" ")) {
      const spelling = item.replaceAll("-", " ");
      words.set(spelling, meaning);
      // Forms that the lists leave out are found by their stem.
      if (/^[a-z]{4,}$/.test(spelling)) stems.set(stem(spelling), meaning);
    }
  };
  for (const word of STOP_WORDS.split(" ")) words.set(word.replaceAll("-", " "), { term: word, role: "stop" });
  for (const list of DECISIVE_FAMILIES) add(list, { term: `~${list.split(" ")[0]}`, role: "decisive" });
  for (const [name, list] of Object.entries(FAMILIES)) {
    const role = TIE_FAMILIES.has(name) ? "tie" : LIGHT_FAMILIES.has(name) ? "light" : "content";
    add(list, { term: `~${name}`, role });
  }
  const longestWord = Math.max(...[...words.keys()].filter((word) => CJK.test(word)).map((word) => word.length));
  const lengths = (text: string, start: number) => {
    const most = Math.min(longestWord, text.length - start);
    return Array.from({ length: most }, (_, index) => most - index);
  };
  const begins = (text: string, start: number) =>
    lengths(text, start).some((length) => words.has(text.slice(start, start + length)));
  return {
    known: (word) => words.get(word) ?? stems.get(stem(word)),
    longest(text, start, loose = false) {
      for (const length of lengths(text, start)) {
        const word = text.slice(start, start + length);
        const meaning = words.get(word);
        if (!meaning) continue;
        const next = start + length;
        const settled = next >= text.length || !CJK.test(text.charAt(next)) || begins(text, next);
        if (length > 1 || FREE_SIGNS.includes(word) || (!loose && settled)) return { word, meaning };
      }
      return undefined;
    },
  };
}

/** A rough English stem: endings of number and tense go, and a final `e` with them. */
export function stem(word: string): string {
  const base = word.replace(/['’]s$/, "");
  if (!/^[a-z]{4,}$/.test(base)) return base;
  const cut = base
    .replace(/ies$/, "y")
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, "")
    .replace(/(?<=[^su])s$/, "")
    .replace(/([b-df-hj-np-tv-z])\1$/, "$1");
  return cut.length > 3 ? cut.replace(/e$/, "") : cut;
}
