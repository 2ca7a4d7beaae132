import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { isObject, isSameForAll, itemSchemas, jsonType, type KeyRules, keyRules, typesOf } from "./schema-rules.ts";

/** A key that the schema does not know, and those that it knows at that place. */
export interface UnknownKey {
  readonly path: readonly (string | number)[];
  readonly known: readonly string[];
}

/** What {@link examine} found: the value, repaired where it had to be, and the keys that nobody asked for. */
interface Examined {
  readonly value: Json;
  readonly unknown: readonly UnknownKey[];
}

/** Looks at one value after the other beside the same schema. */
export type Examiner = (value: Json) => Examined;

/**
 * Goes through arguments beside their schema, for the two things that validators do not do for us.
 *
 * - Unknown keys are found at every level, also where the schema does not forbid them in words: an object whose
 *   keys are named takes no others, unless it says so (`additionalProperties`, `patternProperties`).
 * - A list or an object that was sent as text is parsed, where the schema wants that type and admits no text, and
 *   the text is JSON from its first to its last character. All other text stays as it is.
 *
 * The value is copied only where it changes.
 */
export function createExaminer(schema: JsonSchema): Examiner {
  const rules = createRules(schema);
  const schemas = [schema];
  return (value) => {
    const unknown: UnknownKey[] = [];
    return { value: visit(value, schemas, { root: schema, rules, path: [], unknown }), unknown };
  };
}

/** The rules for an object; those of a schema that says the same of every value are kept. */
type RulesOf = (schemas: readonly unknown[], value: object) => KeyRules;

function createRules(root: JsonSchema): RulesOf {
  const kept = new WeakMap<object, KeyRules>();
  return (schemas, value) => {
    const [schema] = schemas;
    const known = schemas.length === 1 && isObject(schema) ? kept.get(schema) : undefined;
    if (known) return known;
    const rules = keyRules(schemas, value, root);
    if (schemas.length === 1 && isObject(schema) && isSameForAll(schema)) kept.set(schema, rules);
    return rules;
  };
}

interface Walk {
  readonly root: JsonSchema;
  readonly rules: RulesOf;
  readonly path: (string | number)[];
  readonly unknown: UnknownKey[];
}

function visit(value: Json, schemas: readonly unknown[], walk: Walk): Json {
  if (typeof value === "string") {
    const parsed = parsedStructure(value, schemas, walk.root);
    return parsed === undefined ? value : visit(parsed, schemas, walk);
  }
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value)
    ? visitArray(value, schemas, walk)
    : visitObject(value as { [key: string]: Json }, schemas, walk);
}

function visitArray(value: readonly Json[], schemas: readonly unknown[], walk: Walk): Json {
  let copy: Json[] | undefined;
  for (const [index, item] of value.entries()) {
    walk.path.push(index);
    const visited = visit(item, itemSchemas(schemas, index, value, walk.root), walk);
    walk.path.pop();
    if (visited === item) continue;
    copy ??= [...value];
    copy[index] = visited;
  }
  return copy ?? value;
}

function visitObject(value: { readonly [key: string]: Json }, schemas: readonly unknown[], walk: Walk): Json {
  const rules = walk.rules(schemas, value);
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const mine = schemasOf(rules, key);
    if (mine.length === 0 && rules.closed) {
      walk.unknown.push({ path: [...walk.path, key], known: [...rules.known.keys()] });
      continue;
    }
    walk.path.push(key);
    const visited = visit(item, mine.length > 0 ? mine : rules.rest, walk);
    walk.path.pop();
    if (visited === item) continue;
    copy ??= { ...value };
    // Assigning to `__proto__` would set the prototype instead.
    Object.defineProperty(copy, key, { value: visited, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

function schemasOf({ known, patterns }: KeyRules, key: string): readonly unknown[] {
  const named = known.get(key) ?? [];
  if (patterns.length === 0) return named;
  return [...named, ...patterns.filter(({ pattern }) => pattern.test(key)).map(({ schema }) => schema)];
}

function parsedStructure(text: string, schemas: readonly unknown[], root: JsonSchema): Json | undefined {
  const start = text.trimStart()[0];
  if (start !== "[" && start !== "{") return undefined;
  const wanted = start === "[" ? "array" : "object";
  for (const schema of schemas) {
    const types = typesOf(schema, root);
    if (!types?.has(wanted) || types.has("string")) return undefined;
  }
  if (schemas.length === 0) return undefined;
  try {
    const parsed = JSON.parse(text) as Json;
    return jsonType(parsed) === wanted ? parsed : undefined;
  } catch {
    // It is not JSON to its last character: then it is text, and validation says what was expected.
    return undefined;
  }
}
