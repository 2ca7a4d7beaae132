import type { Slot } from "./examples.ts";
import { GAP, LETTER } from "./script.ts";
import type { Token, Utterance } from "./text.ts";

/** Longer stretches of words are sentences, not values. */
const MAX_WORDS = 8;
const MAX_SIGNS = 16;

/**
 * The words of a question that stand where an example's value stood: behind the same word, and before the same
 * word where that one means something; otherwise up to the end of the sentence. A value at the start of the
 * example is found by what follows it.
 */
export function findAnchored(question: Utterance, slots: readonly Slot[]): { start: number; end: number } | undefined {
  // Two neighbours tell more than one.
  const places = [...slots].sort((a, b) => neighbours(b) - neighbours(a));
  for (const slot of places) {
    const single = slot.kind === "slug";
    const found = isNeighbour(slot.left) ? behind(question, slot, single) : before(question, slot, single);
    if (found) return found;
  }
  return slots.map((slot) => betweenSigns(question, slot)).find((range) => range !== undefined);
}

/** Chinese has no spaces to find words by: the value stands between the same signs. */
function betweenSigns(
  { text, tokens }: Utterance,
  { before: head, after: tail }: Slot,
): { start: number; end: number } | undefined {
  const from = head === "" ? 0 : text.indexOf(head) + head.length;
  const to = tail === "" ? gapAfter(text, from) : text.indexOf(tail, from);
  if ((head === "" && tail === "") || (head !== "" && !text.includes(head)) || to <= from) return undefined;
  const inside = tokens.filter(({ start, end }) => start >= from && end <= to);
  const first = inside.find(({ role }) => role !== "stop" && role !== "tie")?.start ?? to;
  const value = text.slice(first, to);
  return value !== "" && value.length <= MAX_SIGNS && !GAP.test(value) ? { start: first, end: to } : undefined;
}

function gapAfter(text: string, from: number): number {
  const gap = text.slice(from).search(GAP);
  return gap < 0 ? text.length : from + gap;
}

function behind(
  question: Utterance,
  { left, right }: Slot,
  single: boolean,
): { start: number; end: number } | undefined {
  const { tokens } = question;
  for (const [index, token] of tokens.entries()) {
    if (token.term !== left?.term) continue;
    const rest = sentenceTokens(question, tokens.slice(index + 1), token.end);
    const stop = meaningful(right) ? rest.findIndex((item) => item.term === right?.term) : rest.length;
    const found = stop < 0 ? undefined : trimmed(rest.slice(0, stop), single);
    if (found) return found;
  }
  return undefined;
}

/** Nothing before the value: the words that directly precede the right neighbour. */
function before(question: Utterance, { right }: Slot, single: boolean): { start: number; end: number } | undefined {
  if (!meaningful(right)) return undefined;
  const { tokens } = question;
  for (const [index, token] of tokens.entries()) {
    if (token.term !== right?.term || index === 0) continue;
    const previous = tokens.slice(0, index);
    const start = previous.findLastIndex(({ role }) => role === "stop" || role === "light" || role === "tie") + 1;
    const found = trimmed(previous.slice(start), single);
    if (found) return found;
  }
  return undefined;
}

/** The tokens up to the next punctuation that ends a thought. */
function sentenceTokens({ text }: Utterance, tokens: readonly Token[], from: number): readonly Token[] {
  let last = from;
  for (const [index, token] of tokens.entries()) {
    // Letters between two tokens belong to a token that was taken out.
    const between = text.slice(last, token.start);
    if (/[.?!。？！,，;；\n]/.test(between) || LETTER.test(between)) return tokens.slice(0, index);
    last = token.end;
  }
  return tokens;
}

function trimmed(tokens: readonly Token[], single: boolean): { start: number; end: number } | undefined {
  const isInner = ({ role }: Token) => role !== "stop" && role !== "tie";
  const first = tokens.findIndex(isInner);
  const kept = first < 0 ? [] : tokens.slice(first, tokens.findLastIndex(isInner) + 1);
  const [head] = kept;
  const tail = kept.at(-1);
  if (!head || !tail || kept.length > MAX_WORDS || (single && kept.length > 1)) return undefined;
  // A name is a word that means nothing else: "which skills can you use" does not name the skill "use".
  if (single && !head.entity && head.term.startsWith("~")) return undefined;
  return { start: head.start, end: tail.end };
}

function neighbours({ left, right }: Slot): number {
  return Number(meaningful(left)) + Number(meaningful(right));
}

function meaningful(token: Token | undefined): boolean {
  return isNeighbour(token) && token?.role !== "stop";
}

/** A value is no neighbour: another question has another one there. */
function isNeighbour(token: Token | undefined): boolean {
  return token !== undefined && token.entity === undefined;
}
