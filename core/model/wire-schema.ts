import type { JsonSchema } from "../sdk/schema.ts";

/** Keywords that providers refuse at the root of a tool's parameters, and with them the whole request. */
const COMBINERS = ["anyOf", "oneOf", "allOf"] as const;

/**
 * A tool's schema as providers take it: an object at the root. Alternatives at the root are merged into one
 * object, where only what every alternative asks for is required; the dispatcher still checks the full schema.
 */
export function wireSchema(schema: JsonSchema): JsonSchema {
  const parts = COMBINERS.flatMap((keyword) => partsOf(schema, keyword));
  const { $schema: _, anyOf: __, oneOf: ___, allOf: ____, ...rest } = schema as Record<string, unknown>;
  if (parts.length === 0) return { ...rest, type: "object", properties: objectOf(rest.properties) };
  const properties: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(objectOf(part.schema.properties))) {
      properties[name] = Object.hasOwn(properties, name) ? either(properties[name], value) : value;
    }
  }
  Object.assign(properties, objectOf(rest.properties));
  const required = requiredOf(schema, parts);
  const merged: Record<string, unknown> = { ...rest, type: "object", properties };
  // What one alternative forbids, another may ask for.
  if (rest.additionalProperties === false) delete merged.additionalProperties;
  if (required.length > 0) merged.required = required;
  else delete merged.required;
  return merged;
}

interface Part {
  readonly keyword: (typeof COMBINERS)[number];
  readonly schema: Readonly<Record<string, unknown>>;
}

function partsOf(schema: JsonSchema, keyword: Part["keyword"]): Part[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.map((part) => ({ keyword, schema: objectOf(part) })) : [];
}

function requiredOf(schema: JsonSchema, parts: readonly Part[]): string[] {
  const always = [schema, ...parts.filter(({ keyword }) => keyword === "allOf").map((part) => part.schema)];
  const names = new Set(always.flatMap((part) => namesOf(part.required)));
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const [first, ...others] = parts
      .filter((part) => part.keyword === keyword)
      .map((part) => namesOf(part.schema.required));
    for (const name of first ?? []) if (others.every((list) => list.includes(name))) names.add(name);
  }
  return [...names].sort();
}

function either(a: unknown, b: unknown): unknown {
  return JSON.stringify(a) === JSON.stringify(b) ? a : { anyOf: [a, b] };
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
