import { isObject } from "../dispatch/schema-rules.ts";
import type { Json } from "../sdk/json.ts";

/**
 * Whether a value fits a schema for certain. False says nothing: the schema may use something that only a validator
 * knows. Compiling a validator costs a millisecond and more for each schema, and nearly every example fits.
 */
export function surelyFits(value: Json, schema: unknown): boolean {
  if (!isObject(schema)) return schema === true;
  for (const [keyword, rule] of Object.entries(schema)) {
    const holds = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (!holds?.(value, rule, schema)) return false;
  }
  return true;
}

type Keyword = (value: Json, rule: unknown, schema: Readonly<Record<string, unknown>>) => boolean;

const always: Keyword = () => true;

/** What is not in this table is never certain. An object that names its keys takes no others, as in a call. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $schema: always,
  title: always,
  description: always,
  default: always,
  examples: always,
  deprecated: always,
  format: always,
  type: (value, rule) => (Array.isArray(rule) ? rule : [rule]).some((type) => isOfType(value, type)),
  enum: (value, rule) => Array.isArray(rule) && typeof value !== "object" && rule.includes(value),
  const: (value, rule) => typeof value !== "object" && value === rule,
  minLength: (value, rule) => typeof value !== "string" || (typeof rule === "number" && [...value].length >= rule),
  maxLength: (value, rule) => typeof value !== "string" || (typeof rule === "number" && [...value].length <= rule),
  minimum: (value, rule) => typeof value !== "number" || (typeof rule === "number" && value >= rule),
  maximum: (value, rule) => typeof value !== "number" || (typeof rule === "number" && value <= rule),
  exclusiveMinimum: (value, rule) => typeof value !== "number" || (typeof rule === "number" && value > rule),
  exclusiveMaximum: (value, rule) => typeof value !== "number" || (typeof rule === "number" && value < rule),
  minItems: (value, rule) => !Array.isArray(value) || (typeof rule === "number" && value.length >= rule),
  maxItems: (value, rule) => !Array.isArray(value) || (typeof rule === "number" && value.length <= rule),
  items: (value, rule) => !Array.isArray(value) || value.every((item) => surelyFits(item, rule)),
  anyOf: (value, rule) => Array.isArray(rule) && rule.some((branch) => surelyFits(value, branch)),
  required: (value, rule) =>
    !isObject(value) ||
    (Array.isArray(rule) && rule.every((key) => typeof key === "string" && Object.hasOwn(value, key))),
  properties: (value, rule) =>
    !isObject(value) ||
    (isObject(rule) &&
      Object.entries(value).every(([key, item]) => Object.hasOwn(rule, key) && surelyFits(item as Json, rule[key]))),
  // With `properties`, no other key came this far; without, only what is free of rules is certain.
  additionalProperties: (value, rule, schema) =>
    !isObject(value) ||
    isObject(schema.properties) ||
    (isObject(rule) && Object.values(value).every((item) => surelyFits(item as Json, rule))),
};

function isOfType(value: Json, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
