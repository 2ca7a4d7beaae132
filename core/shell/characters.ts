import type { Refusal } from "./refusal.ts";

const MAX_LENGTH = 65_536;

/**
 * Why a text is not even parsed: characters that shells and grammars read differently, or that a person who is asked could not
 * see. Line breaks and tabs are what they are.
 */
export function characterFault(text: string): Refusal | undefined {
  if (text.length > MAX_LENGTH) {
    return { rule: "characters", message: `the command has more than ${MAX_LENGTH} characters; write it to a file` };
  }
  const found = UNSOUND.exec(text);
  if (!found) return undefined;
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  return {
    rule: "characters",
    message: `the command holds the character U+${code}, which shells read differently; leave it out`,
  };
}

/** Controls but for line break and tab, lone surrogates, what changes the direction of reading, line breaks of other scripts. */
const UNSOUND = /[^\P{Cc}\n\t]|\p{Cs}|[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\u2028\u2029\ufeff\ufffe\uffff]/u;
