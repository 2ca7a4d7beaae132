import type { FitContext, Place } from "./schema-context.ts";
import { type Opened, put } from "./schema-open.ts";
import { isNode, type SchemaNode } from "./schema-walk.ts";
import { createWords, type Words } from "./schema-words.ts";

/** A schema of a few keywords. */
export type FittedNode = Readonly<Record<string, unknown>>;

type FitPart = (value: unknown, place: Place, fit: FitContext) => FittedNode;

/** Keywords of one type only, which another type does without. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: [
    ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"],
    ...["maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"],
  ],
  array: [
    ...["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"],
    "unevaluatedItems",
  ],
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};
const OF_ANY_TYPE = new Set(Object.values(OF_TYPE).flat());
/** Dealt with here, for each type in its own way. */
const BUILT = new Set([
  "type",
  "description",
  "properties",
  "required",
  "items",
  "prefixItems",
  "enum",
  "anyOf",
  "oneOf",
]);

/** A schema that admits one type, with what the profile takes of what its author asks of that type. */
export function fitTyped(type: string, opened: Opened, fit: FitContext, fitPart: FitPart): FittedNode {
  const { node, place } = opened;
  const words = createWords(place, fit);
  const result: Record<string, unknown> = { type };
  if (type === "object") fitObject(result, opened, fit, fitPart);
  if (type === "array") result.items = itemsOf(opened, fit, fitPart);
  fitValues(result, node, words, fit);
  for (const [keyword, value] of Object.entries(node)) {
    const foreign = OF_ANY_TYPE.has(keyword) && !OF_TYPE[type]?.includes(keyword);
    if (BUILT.has(keyword) || foreign || value === undefined) continue;
    if (isTaken(keyword, value, result, opened, fit)) result[keyword] = value;
    else words.say(keyword, value);
  }
  const description = words.description(node.description);
  if (description !== undefined) result.description = description;
  return result;
}

function isTaken(
  keyword: string,
  value: unknown,
  result: FittedNode,
  { node }: Opened,
  { profile }: FitContext,
): boolean {
  if (!profile.keywords.includes(keyword)) return false;
  if (keyword === "format") return profile.formats === "any" || profile.formats.includes(value as string);
  if (keyword !== "additionalProperties") return true;
  // Names that only a pattern admits, and those that were left out, may be given all the same.
  const listed = isNode(node.properties) ? Object.keys(node.properties).length : 0;
  const kept = isNode(result.properties) ? Object.keys(result.properties).length : 0;
  return value === false && node.patternProperties === undefined && listed === kept;
}

function fitObject(result: Record<string, unknown>, { node, place }: Opened, fit: FitContext, fitPart: FitPart): void {
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isNode(node.properties) ? node.properties : {})) {
    if (value === false) fit.note("never", place, name);
    else put(properties, name, fitPart(value, fit.inside(place, value), fit));
  }
  if (Object.keys(properties).length > 0 || place.depth === 1) result.properties = properties;
  const names = Array.isArray(node.required) ? (node.required as string[]) : [];
  const required = names.filter((name) => Object.hasOwn(properties, name));
  for (const name of names) if (!Object.hasOwn(properties, name)) fit.note("required", place, name);
  if (required.length > 0) result.required = required;
}

/** One schema for all items, for a tuple too. */
function itemsOf({ node, place }: Opened, fit: FitContext, fitPart: FitPart): FittedNode {
  const { prefixItems, items } = node;
  const inside = (value: unknown): Place => fit.inside(place, value);
  if (!Array.isArray(prefixItems)) {
    if (items === undefined || items === true) fit.note("items", place);
    if (items === false) fit.note("left-out", place, "items");
    return fitPart(items, inside(items), fit);
  }
  fit.note("tuple", place);
  // A tuple that says nothing of further items may have any.
  const isFull = items === false || (typeof node.maxItems === "number" && node.maxItems <= prefixItems.length);
  const all = isFull ? prefixItems : [...prefixItems, items ?? true];
  return fitPart({ anyOf: all }, inside({}), fit);
}

/** An enumeration goes along as text only; other values are said. */
function fitValues(result: Record<string, unknown>, node: SchemaNode, words: Words, fit: FitContext): void {
  const values = node.enum;
  if (!Array.isArray(values) || result.type === "null") return;
  const texts = values.every((value) => typeof value === "string" && value !== "");
  if (texts && fit.profile.keywords.includes("enum")) result.enum = values;
  else words.say("enum", values);
}
