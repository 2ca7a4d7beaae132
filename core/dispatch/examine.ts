import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { itemSchemas, jsonType, keyRules, typesOf } from "./schema-rules.ts";

/** A key that the schema does not know, and those that it knows at that place. */
export interface UnknownKey {
  readonly path: readonly (string | number)[];
  readonly known: readonly string[];
}

/** What {@link examine} found: the value, repaired where it had to be, and the keys that nobody asked for. */
export interface Examined {
  readonly value: Json;
  readonly unknown: readonly UnknownKey[];
}

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
export function examine(value: Json, schema: JsonSchema): Examined {
  const unknown: UnknownKey[] = [];
  return { value: visit(value, [schema], { root: schema, path: [], unknown }), unknown };
}

interface Walk {
  readonly root: JsonSchema;
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
  const rules = keyRules(schemas, value, walk.root);
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    const matching = rules.patterns.filter(({ pattern }) => pattern.test(key)).map(({ schema }) => schema);
    const mine = [...(rules.known.get(key) ?? []), ...matching];
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
