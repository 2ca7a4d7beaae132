import type { ToolDefinition } from "../model.ts";
import type { ParsedExample } from "./examples.ts";
import type { Filling } from "./fill.ts";
import { isWord, type Token, type Utterance } from "./text.ts";
import { HOW_MANY } from "./words.ts";
import { overlap } from "./work.ts";

/** A value that found its place; less than a word, because values look alike for many tools. */
const VALUE_WEIGHT = 0.6;
/** Of a word that can ask for anything. */
const LIGHT_FACTOR = 0.3;
/** Of a word that another example of the tool says, not this one. */
const OTHER_FACTOR = 0.75;
/** Of a word of the description, where examples show how people ask. */
const DESCRIBED_FACTOR = 0.5;

/** A tool, taken apart for matching. */
export interface IndexedTool {
  readonly tool: ToolDefinition;
  readonly examples: readonly ParsedExample[];
  readonly vocabulary: ReadonlySet<string>;
  /** The part of the vocabulary that people are expected to say. */
  readonly said: ReadonlySet<string>;
  /** The terms of name and description, for tools without examples. */
  readonly described: readonly string[];
}

/** How much a term tells: more the fewer tools know it, most when none does. */
export type Weights = (token: Pick<Token, "term" | "role">) => number;

/** The weights of the terms of some tools. */
export function createWeights(tools: readonly IndexedTool[]): Weights {
  const known = new Map<string, number>();
  for (const { vocabulary } of tools) for (const term of vocabulary) known.set(term, (known.get(term) ?? 0) + 1);
  return ({ term, role }) => {
    const weight = 1 + Math.log((tools.length + 1) / (known.get(term) ?? 0.5));
    return role === "light" ? weight * LIGHT_FACTOR : weight;
  };
}

/** One way to read a question as a call. */
export interface Fitting {
  readonly indexed: IndexedTool;
  readonly example: ParsedExample | undefined;
  readonly filling: Filling;
}

/** 0 to 1: how much of the question the tool knows, times (damped) how much of the example the question says. */
export function likeness(
  question: Utterance,
  { indexed, example, filling, weights }: Fitting & { weights: Weights },
): number {
  const own = new Set(example?.words.map(({ term }) => term) ?? indexed.said);
  let known = 0;
  let all = 0;
  for (const token of question.tokens) {
    if (token.role === "stop" || token.role === "tie" || isConsumed(token, filling)) continue;
    const weight = weights(token);
    all += weight;
    if (token.entity || !indexed.vocabulary.has(token.term)) continue;
    known += weight * (own.has(token.term) ? 1 : indexed.said.has(token.term) ? OTHER_FACTOR : DESCRIBED_FACTOR);
  }
  if (known === 0) return 0;
  const values = filling.consumed.length * VALUE_WEIGHT;
  const covered = (known + values) / (all + values);
  return (
    covered *
    Math.sqrt(example ? saidOf(question, { example, filling, weights }) : describedOf(question, indexed, weights))
  );
}

function saidOf(question: Utterance, { example, filling, weights }: SaidOptions): number {
  const terms = new Set(question.tokens.map(({ term }) => term));
  const values = example.slots.filter(({ param }) => Object.hasOwn(filling.args, param)).length;
  let said = values * VALUE_WEIGHT;
  let all = example.slots.length * VALUE_WEIGHT;
  for (const token of example.words) {
    const weight = weights(token);
    all += weight;
    if (terms.has(token.term)) said += weight;
  }
  return all === 0 ? 0 : said / all;
}

interface SaidOptions {
  readonly example: ParsedExample;
  readonly filling: Filling;
  readonly weights: Weights;
}

/** A description is long: two of its telling words are as much as a question can say. */
function describedOf(question: Utterance, { described }: IndexedTool, weights: Weights): number {
  const terms = new Set(question.tokens.map(({ term }) => term));
  const said = described.filter((term) => terms.has(term)).map((term) => weights({ term, role: "content" }));
  const most = described.map((term) => weights({ term, role: "content" })).sort((a, b) => b - a);
  const enough = (most[0] ?? 0) + (most[1] ?? 0);
  return enough === 0 ? 0 : Math.min(1, said.reduce((sum, weight) => sum + weight, 0) / enough);
}

/** A decisive word that the tool does not know, a value that found no place, or a word that the example stands on and the question lacks. */
export function isSpoiled(question: Utterance, { indexed, example, filling }: Fitting): boolean {
  if (filling.contradicted) return true;
  const open = question.tokens.filter((token) => !isConsumed(token, filling));
  if (open.some(({ role, term }) => role === "decisive" && !indexed.vocabulary.has(term))) return true;
  if (asksForOtherThings(question, indexed)) return true;
  if (open.some(({ entity }) => entity !== undefined && entity.kind !== "slug")) return true;
  const words = new Set(question.tokens.map(({ start, end }) => question.text.slice(start, end).toLowerCase()));
  return (example?.needs ?? []).some((word) => !words.has(word));
}

/** "How many files …" asks for a count of files, whatever else the tool counts. */
function asksForOtherThings({ text, tokens }: Utterance, { said }: IndexedTool): boolean {
  return tokens.some(({ term, start, end }, index) => {
    if (!HOW_MANY.test(text.slice(start, end).replace(/\s+/g, " "))) return false;
    if (!said.has(term)) return true;
    const next = tokens.slice(index + 1).find(({ role }) => role !== "stop");
    return next !== undefined && isWord(next) && !said.has(next.term);
  });
}

function isConsumed(token: Token, { consumed }: Filling): boolean {
  return consumed.some((range) => overlap(token, range));
}
