import type { JsonSchema } from "../sdk/schema.ts";

/** One argument of a tool as tables show it. */
export interface Argument {
  /** `path`; a member `options.deep`, a member of each item `edits[].from`. */
  readonly name: string;
  /** In words: `string`, `integer from 1`, `"fast" or "exact"`, `array of object`. */
  readonly type: string;
  /** Whether the object that it belongs to must have it. */
  readonly required: boolean;
  /** As JSON; undefined where there is none. */
  readonly preset: string | undefined;
  /** Empty where the schema has none. */
  readonly description: string;
}

/** Nesting that is still shown; below it an argument is named by its type only. */
export const MAX_DEPTH = 4;

/** The arguments of a schema in its order, nested ones behind the one that they belong to. `null` takes any object. */
export function argumentsOf(schema: JsonSchema | null): readonly Argument[] {
  return schema === null ? [] : argumentsBelow(schema, { root: schema, depth: 0, name: "" });
}

/** Where in a schema one looks. */
export interface At {
  readonly root: JsonSchema;
  readonly depth: number;
  /** Name of the argument that the schema belongs to; empty at the top. */
  readonly name: string;
}

/** One step further down. */
export function below(at: At): At {
  return { ...at, depth: at.depth + 1 };
}

function argumentsBelow(schema: JsonSchema, at: At): readonly Argument[] {
  const object = resolved(schema, at.root);
  if (at.depth > MAX_DEPTH) return [];
  const required = new Set(Array.isArray(object.required) ? object.required : []);
  return properties(object).flatMap(([key, property]) => {
    const name = at.name === "" ? key : `${at.name}.${key}`;
    const inner = resolved(property, at.root);
    const [description, preset] = ["description", "default"].map((word) =>
      inner[word] === undefined ? property[word] : inner[word],
    );
    const argument: Argument = {
      name,
      type: typeOf(inner, at.root),
      required: required.has(key),
      preset: preset === undefined ? undefined : JSON.stringify(preset),
      description: typeof description === "string" ? description : "",
    };
    const items = isSchema(inner.items) ? argumentsBelow(inner.items, { ...below(at), name: `${name}[]` }) : [];
    return [argument, ...argumentsBelow(inner, { ...below(at), name }), ...items];
  });
}

/** The members of an object; of a union, those of all its branches. */
export function properties(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const own = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const branches = branchesOf(schema).flatMap((branch) => properties(branch));
  const all = new Map<string, JsonSchema>();
  for (const [key, value] of [...own, ...branches]) if (isSchema(value) && !all.has(key)) all.set(key, value);
  return [...all];
}

/** The branches of a union, of whatever kind. */
export function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return ["anyOf", "oneOf", "allOf"].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.filter(isSchema) : [];
  });
}

function typeOf(schema: JsonSchema, root: JsonSchema, depth = 0): string {
  if (depth > MAX_DEPTH) return "any";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((item) => JSON.stringify(item)).join(" or ");
  const inner = (item: JsonSchema): string => typeOf(resolved(item, root), root, depth + 1);
  if (schema.type === "array") return isSchema(schema.items) ? `array of ${inner(schema.items)}` : "array";
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (typeof schema.type === "string") return `${schema.type}${range(schema)}`;
  return [...new Set(branchesOf(schema).map(inner))].join(" or ") || "any";
}

function range(schema: JsonSchema): string {
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && typeof maximum === "number") return ` ${minimum} to ${maximum}`;
  if (typeof minimum === "number") return ` from ${minimum}`;
  return typeof maximum === "number" ? ` up to ${maximum}` : "";
}

/** A local reference followed, a few steps at most; anything else as it is. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let step = 0; step < MAX_DEPTH && typeof current.$ref === "string"; step++) {
    const tokens = current.$ref.startsWith("#") ? current.$ref.split("/").slice(1) : [];
    const target = tokens.reduce<unknown>(
      (value, token) => (isSchema(value) ? value[token.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
      root,
    );
    if (tokens.length === 0 || !isSchema(target)) return current;
    current = target;
  }
  return current;
}

/** A text in a cell of a Markdown table. */
export function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

/** Whether a value can be looked into. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
