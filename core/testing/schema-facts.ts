import { dereference, isObject, type JsonType, keyRules, typesOf } from "../dispatch/schema-rules.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";

/** One argument, as its schema says. */
export interface Argument {
  readonly name: string;
  readonly schema: unknown;
  /** What JSON it may be; undefined for anything. */
  readonly types: ReadonlySet<JsonType> | undefined;
  /** It takes text of any kind. */
  readonly isText: boolean;
  /** It takes a list of such texts. */
  readonly isTextList: boolean;
}

/** What the contracts vary of a tool's arguments. */
export interface SchemaFacts {
  /** Null: any object is accepted. */
  readonly schema: JsonSchema | null;
  readonly arguments: readonly Argument[];
  readonly required: readonly string[];
  /** Whether a key that is not known is refused beside `args`. */
  isClosed(args: JsonObject): boolean;
}

/** Reads the schema of a tool's arguments at its first level. */
export function schemaFacts(schema: JsonSchema | null): SchemaFacts {
  const root: JsonSchema = schema ?? {};
  const parts = partsOf(root, root);
  const properties = Object.fromEntries(
    parts.flatMap((part) => (isObject(part.properties) ? Object.entries(part.properties) : [])),
  );
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required.map(String) : []));
  return {
    schema,
    arguments: Object.entries(properties).map(([name, property]) => argumentOf(name, property, root)),
    required: [...new Set(required)],
    isClosed: (args) => keyRules([root], args, root).closed,
  };
}

/** What a text argument is given instead of `text`: the text itself, or a list with it. */
export function asArgument({ isText }: Argument, text: string): Json {
  return isText ? text : [text];
}

/** The schema and those that it is put together of; of alternatives none, as nobody knows which applies. */
function partsOf(schema: unknown, root: JsonSchema): readonly Readonly<Record<string, unknown>>[] {
  const found = dereference(schema, root);
  if (!isObject(found)) return [];
  const all = Array.isArray(found.allOf) ? found.allOf : [];
  return [found, ...all.flatMap((part) => partsOf(part, root))];
}

function argumentOf(name: string, schema: unknown, root: JsonSchema): Argument {
  const types = typesOf(schema, root);
  const plain = dereference(schema, root);
  const items = isObject(plain) ? plain.items : undefined;
  return {
    name,
    schema,
    types,
    isText: isFreeText(schema, root),
    isTextList: types?.has("array") === true && items !== undefined && isFreeText(items, root),
  };
}

function isFreeText(schema: unknown, root: JsonSchema): boolean {
  const plain = dereference(schema, root);
  if (!isObject(plain) || plain.enum !== undefined || plain.const !== undefined) return false;
  return typesOf(plain, root)?.has("string") === true;
}
