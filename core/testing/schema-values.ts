import { dereference, isObject, type JsonType, typesOf } from "../dispatch/schema-rules.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { Argument } from "./schema-facts.ts";

/**
 * Objects that fit a schema of arguments, as far as that can be told: what it asks for, that and the first argument
 * that it does not ask for, and all that there is.
 */
export function fittingArguments(schema: JsonSchema | null): readonly JsonObject[] {
  const root = dereference(schema, schema ?? {});
  if (!isObject(root)) return [{}];
  const asked = fittingValue(root, root, 0);
  const smallest = typeof asked === "object" && asked !== null && !Array.isArray(asked) ? (asked as JsonObject) : {};
  const properties = Object.entries(isObject(root.properties) ? root.properties : {});
  const others = properties.filter(([name]) => !Object.hasOwn(smallest, name));
  const withOthers = (count: number): JsonObject =>
    Object.fromEntries([
      ...Object.entries(smallest),
      ...others.slice(0, count).map(([name, property]) => [name, fittingValue(property, root, 1)] as const),
    ]);
  return others.length === 0 ? [smallest] : [smallest, withOthers(1), withOthers(others.length)];
}

/** One value of each type of JSON that an argument does not take. An integer is of the type number. */
export function wrongValues({ types, schema }: Argument, root: JsonSchema): readonly Json[] {
  if (types === undefined) return [];
  const wrong = Object.entries(WRONG).flatMap(([type, value]) => (types.has(type as JsonType) ? [] : [value]));
  const plain = dereference(schema, root);
  return isObject(plain) && plain.type === "integer" ? [...wrong, 12.5] : wrong;
}

const WRONG: Readonly<Record<JsonType, Json>> = {
  null: null,
  boolean: true,
  number: 12.5,
  string: "toolroom",
  array: [{ toolroom: [] }],
  object: { toolroom: { toolroom: true } },
};

/** A schema may lead back to itself. */
const MAX_DEPTH = 6;

const FORMATS: Readonly<Record<string, string>> = {
  date: "2030-01-31",
  "date-time": "2030-01-31T12:00:00Z",
  time: "12:00:00Z",
  email: "ada@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  uuid: "6f2c8d1e-4b5a-4c3d-9e8f-7a6b5c4d3e2f",
};

function fittingValue(given: unknown, root: JsonSchema, depth: number): Json {
  const schema = dereference(given, root);
  if (!isObject(schema)) return "text";
  const known = [schema.const, schema.default, first(schema.examples), first(schema.enum)].find(
    (value) => value !== undefined,
  );
  if (known !== undefined) return known as Json;
  const branch = first(schema.anyOf) ?? first(schema.oneOf);
  if (branch !== undefined && schema.properties === undefined) return fittingValue(branch, root, depth + 1);
  const types = typesOf(schema, root);
  if (isObject(schema.properties) || types?.has("object")) return objectOf(schema, root, depth);
  if (types === undefined || types.has("string")) return textOf(schema);
  if (types.has("number")) return numberOf(schema);
  if (types.has("array")) return depth > MAX_DEPTH ? [] : listOf(schema, root, depth);
  return types.has("boolean") ? true : null;
}

function objectOf(schema: Readonly<Record<string, unknown>>, root: JsonSchema, depth: number): Json {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  if (depth > MAX_DEPTH) return {};
  return Object.fromEntries(required.map((key) => [key, fittingValue(properties[key], root, depth + 1)]));
}

function listOf(schema: Readonly<Record<string, unknown>>, root: JsonSchema, depth: number): Json {
  return Array.from({ length: Number(schema.minItems ?? 0) }, () => fittingValue(schema.items, root, depth + 1));
}

function textOf({ format, minLength, maxLength }: Readonly<Record<string, unknown>>): string {
  const text = FORMATS[String(format)] ?? "text";
  return text.padEnd(Number(minLength ?? 0), "x").slice(0, Number(maxLength ?? Number.POSITIVE_INFINITY));
}

function numberOf({ minimum, exclusiveMinimum, maximum }: Readonly<Record<string, unknown>>): number {
  if (typeof minimum === "number") return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof maximum === "number" ? Math.min(1, maximum) : 1;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
