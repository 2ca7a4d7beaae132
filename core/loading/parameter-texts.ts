import type { JsonSchema } from "../sdk/schema.ts";

/** One parameter of a tool. */
interface Parameter {
  /** Names from the top of the arguments down; items of a list add none: `["tool_calls", "tool_name"]`. */
  readonly path: readonly string[];
  /** What the schema says of it. */
  readonly description: string | undefined;
}

/** Nesting below this is not described by locales. */
const MAX_DEPTH = 5;

/** The parameters that a schema describes or could describe, in its order; alternatives with the same name are one. */
export function parametersOf(schema: JsonSchema | null): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  if (schema !== null) {
    visit(schema, [], (path, property) => {
      const key = JSON.stringify(path);
      const description = typeof property.description === "string" ? property.description : undefined;
      if (found.get(key)?.description === undefined) found.set(key, { path, description });
      return undefined;
    });
  }
  return [...found.values()];
}

/**
 * The schema with other descriptions of its parameters; the same object where nothing is to be said.
 * @param textOf undefined leaves what the schema says
 */
export function describedSchema(
  schema: JsonSchema,
  textOf: (path: readonly string[]) => string | undefined,
): JsonSchema {
  return visit(schema, [], textOf);
}

type Visit = (path: readonly string[], property: JsonSchema) => string | undefined;

/** What lies behind a `$ref` may stand in several places, and is left as it is. */
function visit(schema: JsonSchema, path: readonly string[], see: Visit): JsonSchema {
  if (path.length > MAX_DEPTH) return schema;
  const changed: Record<string, unknown> = {};
  if (isSchema(schema.properties)) {
    const properties = mapped(Object.entries(schema.properties), ([name, property]) => {
      if (!isSchema(property)) return property;
      const inner = [...path, name];
      const text = see(inner, property);
      const below = visit(property, inner, see);
      return text === undefined || text === below.description ? below : { ...below, description: text };
    });
    if (properties) changed.properties = properties;
  }
  if (isSchema(schema.items)) {
    const items = visit(schema.items, path, see);
    if (items !== schema.items) changed.items = items;
  }
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const branches = schema[key];
    if (!Array.isArray(branches)) continue;
    const made = branches.map((branch) => (isSchema(branch) ? visit(branch, path, see) : branch));
    if (made.some((branch, at) => branch !== branches[at])) changed[key] = made;
  }
  return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
}

/** undefined where nothing changed. */
function mapped(
  entries: readonly (readonly [string, unknown])[],
  change: (entry: readonly [string, unknown]) => unknown,
): Record<string, unknown> | undefined {
  const made = entries.map((entry) => [entry[0], change(entry)] as const);
  return made.some(([, value], at) => value !== entries[at]?.[1]) ? Object.fromEntries(made) : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
