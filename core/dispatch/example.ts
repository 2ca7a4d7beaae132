import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { dereference, isObject, typesOf } from "./schema-rules.ts";

/** Deeper than this nobody reads an example. */
const MAX_DEPTH = 4;
const MAX_LENGTH = 400;

/** A smallest call that fits a schema in its shape, as one line of JSON: `{"path": "<string>"}`. */
export function exampleOf(schema: JsonSchema): string {
  const text = JSON.stringify(sample(schema, schema, 0));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function sample(given: unknown, root: JsonSchema, depth: number): Json {
  const schema = dereference(given, root);
  if (!isObject(schema)) return "<any>";
  for (const known of [schema.const, schema.default, listOf(schema.examples)[0], listOf(schema.enum)[0]]) {
    if (known !== undefined) return known as Json;
  }
  const [branch] = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (branch !== undefined && schema.properties === undefined) return sample(branch, root, depth + 1);
  const types = typesOf(schema, root);
  if (isObject(schema.properties) || types?.has("object")) return sampleObject(schema, root, depth);
  if (types?.has("array"))
    return depth >= MAX_DEPTH || !isObject(schema.items) ? [] : [sample(schema.items, root, depth + 1)];
  if (types?.has("string")) return "<string>";
  if (types?.has("number")) return typeof schema.minimum === "number" ? schema.minimum : 1;
  if (types?.has("boolean")) return true;
  return types?.has("null") ? null : "<any>";
}

/** The keys that are asked for; where none is, the first that there is. */
function sampleObject(schema: Readonly<Record<string, unknown>>, root: JsonSchema, depth: number): Json {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = listOf(schema.required).map(String);
  const keys = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  if (depth >= MAX_DEPTH) return {};
  return Object.fromEntries(keys.map((key) => [key, sample(properties[key], root, depth + 1)]));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
