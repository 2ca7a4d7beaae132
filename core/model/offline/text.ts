import { findEntities } from "./entities.ts";
import type { Entity } from "./entity.ts";
import { type Lexicon, type Meaning, meaningOf } from "./lexicon.ts";
import { CJK, GAP_RANGES, SIGN_RANGES } from "./script.ts";
import { HOW_MANY } from "./words.ts";

/** One word of a question, or one value in it. */
export interface Token extends Meaning {
  readonly start: number;
  readonly end: number;
  /** Set where the token is a value rather than a word; its term is then the kind: `<path>`. */
  readonly entity?: Entity;
}

/** A question, an example or a description, taken apart. */
export interface Utterance {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/**
 * Takes a text apart: values first, then words; Chinese by the longest known word, unknown stretches by pairs of signs.
 * @param given values that are known from elsewhere; they go before those that are found
 */
export function analyse(text: string, lexicon: Lexicon, given: readonly Entity[] = []): Utterance {
  const overlaps = (a: Entity) => given.some((b) => a.start < b.end && a.end > b.start);
  const found = findEntities(text, lexicon).filter((entity) => !overlaps(entity));
  const entities = [...given, ...found].sort((a, b) => a.start - b.start);
  const tokens: Token[] = [];
  let at = 0;
  for (const entity of entities) {
    tokens.push(...readWords(text, { start: at, end: entity.start }, lexicon));
    tokens.push({ term: `<${entity.kind}>`, role: "content", start: entity.start, end: entity.end, entity });
    at = entity.end;
  }
  tokens.push(...readWords(text, { start: at, end: text.length }, lexicon));
  return { text, tokens };
}

/** The meanings that a text is found by: no values, no stop words, each once. */
export function contentTerms(utterance: Utterance): string[] {
  return [...new Set(utterance.tokens.filter(isWord).map(({ term }) => term))];
}

/** Whether a token says something by itself: no value, no stop word, no tie. */
export function isWord({ role, entity }: Token): boolean {
  return entity === undefined && role !== "stop" && role !== "tie";
}

/** The term of a number's unit: written with it, or the word that follows at once. */
export function unitOf(utterance: Utterance, entity: Entity): string | undefined {
  if (entity.unit !== undefined) return entity.unit;
  const next = unitToken(utterance, entity);
  return next?.term;
}

/** The word of a number's unit, where it is a word of its own. */
export function unitToken(utterance: Utterance, entity: Entity): Token | undefined {
  const next = utterance.tokens.find(({ start, term }) => start >= entity.end && term !== "个");
  const adjacent = next && /^[\s个]*$/.test(utterance.text.slice(entity.end, next.start));
  return adjacent && isWord(next) ? next : undefined;
}

const WORD = new RegExp(
  `[${SIGN_RANGES}]+|[^${GAP_RANGES}${SIGN_RANGES}]+(?:['’][^${GAP_RANGES}${SIGN_RANGES}]+)*`,
  "g",
);

function readWords(text: string, { start, end }: { start: number; end: number }, lexicon: Lexicon): Token[] {
  const tokens: Token[] = [];
  for (const { 0: run, index } of text.slice(start, end).matchAll(WORD)) {
    const from = start + index;
    if (CJK.test(run))
      tokens.push(...readChinese(run, from, { lexicon, unit: /\d$/.test(text.slice(0, from).trimEnd()) }));
    else tokens.push({ ...meaningOf(lexicon, spelling(run)), start: from, end: from + run.length });
  }
  return joinPhrases(tokens, text, lexicon);
}

/** "how many" is one meaning; so are up to four words, where the lexicon has them. */
function joinPhrases(tokens: readonly Token[], text: string, lexicon: Lexicon): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const phrases = [4, 3, 2].map((count) => phraseOf(tokens.slice(at, at + count), text, lexicon));
    const found = phrases.find((phrase) => phrase !== undefined);
    const token = found ?? tokens[at];
    if (token) joined.push(token);
    at += found ? tokens.slice(at).filter(({ start }) => start < found.end).length : 1;
  }
  return joined;
}

function phraseOf(words: readonly Token[], text: string, lexicon: Lexicon): Token | undefined {
  const [first] = words;
  const last = words.at(-1);
  if (!first || !last || first === last) return undefined;
  const phrase = spelling(text.slice(first.start, last.end));
  const meaning = phrase.includes(" ") ? lexicon.known(phrase) : undefined;
  return meaning && { ...meaning, start: first.start, end: last.end };
}

/** As the lexicon writes it. */
function spelling(words: string): string {
  return words
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s-]+/g, " ")
    .replaceAll("’", "'");
}

/** @param options.unit a number goes before: the first sign is its unit, whatever follows. So it is after "how many". */
function readChinese(run: string, start: number, { lexicon, unit }: { lexicon: Lexicon; unit: boolean }): Token[] {
  const tokens: Token[] = [];
  const add = (meaning: Meaning, at: number, length: number) =>
    tokens.push({ ...meaning, start: start + at, end: start + at + length });
  let unknown = 0;
  let counted = unit;
  const flush = (to: number) => {
    const size = Math.min(2, to - unknown);
    for (let at = unknown; size > 0 && at + size <= to; at++) {
      add({ term: run.slice(at, at + size), role: "content" }, at, size);
    }
  };
  for (let at = 0; at < run.length; ) {
    const found = lexicon.longest(run, at, at > unknown) ?? (counted ? unitAt(run, at, lexicon) : undefined);
    counted = found !== undefined && HOW_MANY.test(found.word);
    if (!found) {
      at++;
      continue;
    }
    flush(at);
    add(found.meaning, at, found.word.length);
    at += found.word.length;
    unknown = at;
  }
  flush(run.length);
  return tokens;
}

function unitAt(run: string, at: number, lexicon: Lexicon): { word: string; meaning: Meaning } | undefined {
  const word = run.charAt(at);
  const meaning = lexicon.known(word);
  return meaning?.role === "content" ? { word, meaning } : undefined;
}
