import type { JsonObject } from "../../sdk/result.ts";
import type { JsonSchema } from "../../sdk/schema.ts";
import { findAnchored } from "./anchors.ts";
import type { EntityKind } from "./entity.ts";
import type { Slot } from "./examples.ts";
import { fillNumbers, fillSpans, fillUnits } from "./numbers.ts";
import { enumOf, fits, isNumeric, propertiesOf, propertyOf, requiredOf, typesOf } from "./schema.ts";
import type { Token, Utterance } from "./text.ts";
import { consume, createWork, type FillOptions, overlap, type Range, unusedOf, use, type Work } from "./work.ts";

/** The arguments that were found in a question. */
export interface Filling {
  readonly args: JsonObject;
  /** Required parameters, and slots of the example, for which the question holds nothing. */
  readonly missing: readonly string[];
  /** What of the question became an argument. */
  readonly consumed: readonly Range[];
  /** The question names another value than the example's: "off" where the example says "on". */
  readonly contradicted: boolean;
}

/** Fills the arguments of a tool from a question: by analogy with the example, then by the schema. */
export function fill(question: Utterance, options: FillOptions): Filling {
  const work = createWork(question, options);
  fillUnits(work);
  fillEnums(work);
  fillNumbers(work, "exact");
  for (const slot of options.example?.slots ?? []) if (slot.kind !== "number") fillSlot(work, slot);
  fillNumbers(work, "loose");
  fillSpans(work);
  for (const name of requiredOf(options.parameters)) fillBySchema(work, name);
  return { args: work.args, missing: missingOf(work), consumed: work.consumed, contradicted: isContradicted(work) };
}

/** What is required, what the example has, and one of the units where the example has any. */
function missingOf({ args, parameters, example, unitParams }: Work): string[] {
  const slots = example?.slots.map(({ param }) => param) ?? [];
  const wanted = new Set([...requiredOf(parameters), ...slots.filter((param) => !unitParams.has(param))]);
  const missing = [...wanted].filter((name) => !Object.hasOwn(args, name));
  const units = [...unitParams.keys()];
  const needsUnit = slots.some((param) => unitParams.has(param)) && !units.some((param) => Object.hasOwn(args, param));
  return needsUnit ? [...missing, units.join("|")] : missing;
}

function fillSlot(work: Work, slot: Slot): void {
  if (Object.hasOwn(work.args, slot.param)) return;
  const siblings = work.siblings.flatMap(({ slots }) => slots.filter(({ param }) => param === slot.param));
  const wordy = siblings.some(({ kind }) => WORDY.includes(kind));
  const kinds = siblings.map(({ kind }) => kind);
  const found = unusedOf(work, wordy ? ["quoted", ...kinds] : kinds);
  const [first] = found;
  if (slot.list && found.length > 0) {
    work.args[slot.param] = found.map(({ value }) => value);
    for (const entity of found) consume(work, entity);
  } else if (first) {
    use(work, slot.param, first);
  } else if (wordy && saysExample(work)) {
    const words = findAnchored(freePart(work), siblings);
    if (!words) return;
    work.args[slot.param] = work.question.text.slice(words.start, words.end);
    work.consumed.push(words);
  }
}

/** Plain words are a value only in a question that says all that the example says: "which skills you have got" loads none. */
function saysExample({ question, example }: Work): boolean {
  const terms = new Set(question.tokens.map(({ term }) => term));
  const says = ({ term, role, start, end }: Token) =>
    role === "light" || terms.has(term) || question.text.includes(example?.utterance.text.slice(start, end) ?? "");
  return example?.words.every(says) ?? false;
}

/** The question without what has become an argument: that is no part of another value. */
function freePart({ question, consumed }: Work): Utterance {
  return { ...question, tokens: question.tokens.filter((token) => !consumed.some((range) => overlap(token, range))) };
}

/** Kinds of slots that plain words can fill as well. */
const WORDY: readonly Slot["kind"][] = ["text", "quoted", "slug"];

/** A word of the question that is itself a value of an enum: "base64". */
function fillEnums(work: Work): void {
  for (const [name, values] of enumsOf(work.parameters)) {
    const token = work.question.tokens.find((item) => values.some((value) => isSpelled(work.question, item, value)));
    const value = token && values.find((item) => isSpelled(work.question, token, item));
    if (!token || value === undefined || Object.hasOwn(work.args, name)) continue;
    work.args[name] = value;
    work.consumed.push({ start: token.start, end: token.end });
  }
}

function isContradicted({ example, parameters, question }: Work): boolean {
  return enumsOf(parameters).some(([name, values]) => {
    const constant = example?.constants[name];
    const named = values.filter((value) => question.tokens.some((token) => isSpelled(question, token, value)));
    return typeof constant === "string" && named.length > 0 && !named.includes(constant);
  });
}

function enumsOf(parameters: JsonSchema): [string, readonly string[]][] {
  return Object.keys(propertiesOf(parameters)).map((name) => [name, enumOf(propertyOf(parameters, name))]);
}

function isSpelled({ text }: Utterance, { start, end }: Token, value: string): boolean {
  return text.slice(start, end).toLowerCase() === value.toLowerCase();
}

/** A required parameter that no example shows: by its type, its format, its name and its description. */
function fillBySchema(work: Work, name: string): void {
  const schema = propertyOf(work.parameters, name);
  if (!schema || Object.hasOwn(work.args, name)) return;
  const [found] = unusedOf(work, kindsOf(name, schema));
  if (found && fits(schema, found.value)) use(work, name, found);
}

function kindsOf(name: string, schema: JsonSchema): EntityKind[] {
  if (isNumeric(schema)) return ["number"];
  if (!typesOf(schema).includes("string") || enumOf(schema).length > 0) return [];
  const words = `${name} ${String(schema.format ?? "")} ${String(schema.description ?? "")}`.toLowerCase();
  if (/\b(ur[il]|link|web ?page)\b/.test(words)) return ["url"];
  if (/e-?mail/.test(words)) return ["email"];
  if (/path|file|folder|director/.test(words)) return ["path"];
  if (/\b(date|time|until|when|moment)\b/.test(words)) return ["date", "clock"];
  return ["quoted", "slug"];
}
