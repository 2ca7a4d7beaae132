import type { Json } from "../../sdk/json.ts";
import type { JsonSchema } from "../../sdk/schema.ts";
import type { Entity, EntityKind } from "./entity.ts";
import { leftOf, type ParsedExample } from "./examples.ts";
import { type Lexicon, meaningOf } from "./lexicon.ts";
import { isNumeric, propertiesOf, propertyOf, typesOf } from "./schema.ts";
import { type Utterance, unitToken } from "./text.ts";

/** A part of the question, by the places of its characters. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What fills are made by. `siblings` are all examples of the tool: places that one shows are known to the others. */
export interface FillOptions {
  readonly parameters: JsonSchema;
  readonly example: ParsedExample | undefined;
  readonly siblings: readonly ParsedExample[];
  readonly lexicon: Lexicon;
}

/** The arguments of one call while they are looked for. */
export interface Work extends FillOptions {
  readonly question: Utterance;
  readonly args: Record<string, Json>;
  readonly consumed: Range[];
  readonly entities: readonly Entity[];
  readonly used: Set<Entity>;
  /** Number parameters that are named like a unit, with its term: seconds → ~second. */
  readonly unitParams: ReadonlyMap<string, string>;
}

/** Starts with the constants of the example. */
export function createWork(question: Utterance, options: FillOptions): Work {
  const unitParams = new Map<string, string>();
  for (const name of Object.keys(propertiesOf(options.parameters))) {
    const meaning = meaningOf(options.lexicon, name.toLowerCase());
    if (UNITS_OF_TIME.has(meaning.term) && isNumeric(propertyOf(options.parameters, name)))
      unitParams.set(name, meaning.term);
  }
  return {
    ...options,
    question,
    args: { ...options.example?.constants },
    consumed: [],
    entities: question.tokens.flatMap(({ entity }) => entity ?? []),
    used: new Set(),
    unitParams,
  };
}

const UNITS_OF_TIME = new Set(["~second", "~minute", "~hour", "~day", "~week", "~month", "~year"]);

/** Whether two ranges share a character. */
export function overlap(a: Range, b: Range): boolean {
  return a.start < b.end && a.end > b.start;
}

/** The values of the question that are no argument yet. */
export function unusedOf(work: Work, kinds: readonly EntityKind[]): Entity[] {
  return work.entities.filter((entity) => kinds.includes(entity.kind) && !work.used.has(entity));
}

/** Makes a value of the question an argument. */
export function use(work: Work, param: string, entity: Entity): void {
  const textual = typesOf(propertyOf(work.parameters, param)).includes("string");
  work.args[param] = textual ? String(entity.value) : entity.value;
  consume(work, entity);
}

/** Marks a value as used, with the unit and the word that belong to it. */
export function consume(work: Work, entity: Entity): void {
  work.used.add(entity);
  const number = entity.kind === "number";
  const unit = number ? unitToken(work.question, entity) : undefined;
  const left = number ? leftOf(work.question, entity.start) : undefined;
  // "the first 20 lines" is one value.
  const start = left?.term === "~first" ? left.start : entity.start;
  work.consumed.push({ start, end: unit?.end ?? entity.end });
}
