import type { JsonSchema } from "../sdk/schema.ts";

/** What a schema says of the keys of one object value, all that applies to it taken together. */
export interface KeyRules {
  /** The schemas of each named key. */
  readonly known: Map<string, unknown[]>;
  readonly patterns: { readonly pattern: RegExp; readonly schema: unknown }[];
  /** The schemas of every other key. */
  readonly rest: unknown[];
  /** Names some keys and does not say that others are welcome: then they are refused. */
  closed: boolean;
}

/** The names that a JSON Schema has for the types of JSON. */
export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

/** A chain of references and compositions longer than this is a circle, and branching ones must not explode. */
const MAX_STEPS = 16;
const MAX_TYPE_STEPS = 8;

/** The rules for `value`; of alternatives the one that fits it best counts. @param root resolves local references */
export function keyRules(schemas: readonly unknown[], value: object, root: JsonSchema): KeyRules {
  const rules: KeyRules & { open: boolean } = { known: new Map(), patterns: [], rest: [], closed: false, open: false };
  for (const schema of schemas) gather(schema, { value, root, rules }, 0);
  if (rules.open) rules.closed = false;
  return rules;
}

/** Whether the rules of a schema are the same for every value: it chooses between no alternatives. */
export function isSameForAll(schema: Readonly<Record<string, unknown>>): boolean {
  return !["anyOf", "oneOf", "allOf", "$ref"].some((key) => Object.hasOwn(schema, key));
}

interface Gathering {
  readonly value: object;
  readonly root: JsonSchema;
  readonly rules: KeyRules & { open: boolean };
}

function gather(schema: unknown, to: Gathering, steps: number): void {
  if (!isObject(schema) || steps > MAX_STEPS) return;
  const { rules, root, value } = to;
  const deeper = (part: unknown): void => gather(part, to, steps + 1);
  if (isObject(schema.properties)) {
    rules.closed = true;
    for (const [key, property] of Object.entries(schema.properties)) {
      const known = rules.known.get(key);
      if (known) known.push(property);
      else rules.known.set(key, [property]);
    }
  }
  if (isObject(schema.patternProperties)) {
    rules.closed = true;
    for (const [source, property] of Object.entries(schema.patternProperties)) {
      rules.patterns.push({ pattern: new RegExp(source, "u"), schema: property });
    }
  }
  for (const key of ["additionalProperties", "unevaluatedProperties"]) {
    const others = schema[key];
    if (others === false) rules.closed = true;
    else if (others !== undefined) rules.open = true;
    if (isObject(others)) rules.rest.push(others);
  }
  if (typeof schema.$ref === "string") deeper(resolveRef(schema.$ref, root));
  for (const part of listOf(schema.allOf)) deeper(part);
  for (const key of ["anyOf", "oneOf"]) {
    const branches = listOf(schema[key]);
    if (branches.length > 0) deeper(bestBranch(branches, value, root));
  }
  for (const key of ["if", "then", "else"]) deeper(schema[key]);
  if (isObject(schema.dependentSchemas)) for (const part of Object.values(schema.dependentSchemas)) deeper(part);
}

/** The schemas that apply to the item at `index` of an array. */
export function itemSchemas(
  schemas: readonly unknown[],
  index: number,
  value: readonly unknown[],
  root: JsonSchema,
): unknown[] {
  const found: unknown[] = [];
  const visit = (schema: unknown, steps: number): void => {
    if (!isObject(schema) || steps > MAX_STEPS) return;
    const tuple = listOf(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined));
    if (index < tuple.length) found.push(tuple[index]);
    else if (isObject(schema.items)) found.push(schema.items);
    if (typeof schema.$ref === "string") visit(resolveRef(schema.$ref, root), steps + 1);
    for (const part of listOf(schema.allOf)) visit(part, steps + 1);
    for (const key of ["anyOf", "oneOf"]) {
      const branches = listOf(schema[key]);
      if (branches.length > 0) visit(bestBranch(branches, value, root), steps + 1);
    }
  };
  for (const schema of schemas) visit(schema, 0);
  return found;
}

/** The alternative that fits `value` best: first by type and constants, then by what it asks for, then by what it knows. */
function bestBranch(branches: readonly unknown[], value: object, root: JsonSchema): unknown {
  let best = branches[0];
  let least = Number.POSITIVE_INFINITY;
  for (const branch of branches) {
    const misfit = misfitOf(branch, value, root);
    if (misfit < least) [best, least] = [branch, misfit];
  }
  return best;
}

/** Looks at the branch itself and not at its own alternatives: that decides between all but contrived ones. */
function misfitOf(branch: unknown, value: object, root: JsonSchema): number {
  const types = typesOf(branch, root);
  if (types && !types.has(Array.isArray(value) ? "array" : "object")) return 1e6;
  const schema = dereference(branch, root);
  if (!isObject(schema) || Array.isArray(value)) return 0;
  const entries = value as Readonly<Record<string, unknown>>;
  const properties = isObject(schema.properties) ? schema.properties : undefined;
  let misfit = listOf(schema.required).filter((key) => !Object.hasOwn(entries, String(key))).length * 10;
  for (const [key, item] of Object.entries(entries)) {
    if (!properties) continue;
    if (!Object.hasOwn(properties, key)) misfit += 1;
    else if (!admitsConstant(properties[key], item)) misfit += 1000;
  }
  return misfit;
}

/** Discriminators: a literal or an enumeration that the value is not in. */
function admitsConstant(property: unknown, item: unknown): boolean {
  if (!isObject(property)) return true;
  if (property.const !== undefined) return property.const === item;
  return !Array.isArray(property.enum) || property.enum.includes(item);
}

/** The types that a schema admits; undefined where it does not say. An integer counts as a number. */
export function typesOf(schema: unknown, root: JsonSchema, steps = 0): Set<JsonType> | undefined {
  if (!isObject(schema) || steps > MAX_TYPE_STEPS) return undefined;
  let types: Set<JsonType> | undefined;
  const narrow = (found: Set<JsonType> | undefined): void => {
    if (found) types = types ? new Set([...types].filter((type) => found.has(type))) : found;
  };
  if (schema.type !== undefined)
    narrow(new Set([schema.type].flat().map((type) => (type === "integer" ? "number" : type)) as JsonType[]));
  if (Array.isArray(schema.enum)) narrow(new Set(schema.enum.map(jsonType)));
  if (schema.const !== undefined) narrow(new Set([jsonType(schema.const)]));
  if (typeof schema.$ref === "string") narrow(typesOf(resolveRef(schema.$ref, root), root, steps + 1));
  for (const part of listOf(schema.allOf)) narrow(typesOf(part, root, steps + 1));
  for (const key of ["anyOf", "oneOf"]) {
    const branches = listOf(schema[key]).map((branch) => typesOf(branch, root, steps + 1));
    if (branches.length > 0 && !branches.includes(undefined))
      narrow(new Set(branches.flatMap((found) => [...(found ?? [])])));
  }
  return types;
}

/** The name that a JSON Schema has for the type of a JSON value. */
export function jsonType(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as JsonType;
}

/** `schema`, or what it refers to. */
export function dereference(schema: unknown, root: JsonSchema): unknown {
  let found = schema;
  for (let steps = 0; steps < MAX_STEPS && isObject(found) && typeof found.$ref === "string"; steps++) {
    found = resolveRef(found.$ref, root);
  }
  return found;
}

function resolveRef(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith("#")) return undefined;
  let value: unknown = root;
  for (const token of ref.split("/").slice(1)) {
    const key = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
