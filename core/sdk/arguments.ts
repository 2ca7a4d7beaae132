import type { Json } from "./json.ts";
import type { JsonObject } from "./result.ts";
import type { JsonSchema } from "./schema.ts";

/** `json`: the object does not parse (INVALID_JSON, exit code 1). `usage`: the words are wrong (exit code 2). */
export interface ArgumentFault {
  readonly kind: "json" | "usage";
  readonly message: string;
}

/** What {@link parseArguments} made of the words. */
export type ParsedArguments = { readonly args: JsonObject } | { readonly error: ArgumentFault };

/** A `$ref` chain longer than this is a circle. */
const MAX_REFS = 16;

/**
 * The arguments of a call as a person writes them: nothing, one JSON object, or `key=value` words.
 *
 * - A single word that starts with `{` is the JSON object.
 * - Otherwise each word splits at its first `=`; one without `=`, with nothing before it, or a repeated key is wrong usage.
 * - A value for a parameter whose schema admits a string stays text; any other is parsed as JSON, and failing
 *   that kept as text for validation to refuse.
 *
 * @param schema the tool's parameters; null when it has none or they are not known
 */
export function parseArguments(words: readonly string[], schema: JsonSchema | null): ParsedArguments {
  const [first] = words;
  if (words.length === 1 && first?.startsWith("{")) return parseObject(first);
  const args: Record<string, Json> = {};
  for (const word of words) {
    const split = word.indexOf("=");
    if (split < 1) {
      const expected = "expected key=value, or one JSON object as the only argument";
      return fault("usage", `${expected}, found ${JSON.stringify(word)}`);
    }
    const key = word.slice(0, split);
    if (Object.hasOwn(args, key)) return fault("usage", `expected each argument once, found ${key} twice`);
    // Assigning to `__proto__` would set the prototype instead.
    Object.defineProperty(args, key, {
      value: readValue(word.slice(split + 1), propertySchemas(schema, key), schema),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { args };
}

/**
 * The words of a line. Spaces separate; a quote (`"` or `'`) at the start of a word or right after its first `=`
 * groups up to its partner, and inside double quotes `\"` and `\\` are escapes. Quotes elsewhere are text.
 */
export function splitWords(line: string): { readonly words: readonly string[] } | { readonly error: ArgumentFault } {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    const char = line.charAt(at);
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
    } else if ((char === '"' || char === "'") && (word === undefined || word.indexOf("=") === word.length - 1)) {
      const quoted = readQuoted(line, at);
      if (!quoted) return fault("usage", `expected a closing ${char}, found the end of the line`);
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else {
      word = (word ?? "") + char;
      at++;
    }
  }
  if (word !== undefined) words.push(word);
  return { words };
}

/** Whether a value of this schema may be a string. `root` resolves local references. */
export function admitsString(schema: unknown, root: JsonSchema | null, refs = 0): boolean {
  if (typeof schema !== "object" || schema === null) return schema !== false;
  const { type, enum: values, const: constant, anyOf, oneOf, allOf, $ref } = schema as Record<string, unknown>;
  if (typeof $ref === "string") return refs < MAX_REFS && admitsString(resolveRef($ref, root), root, refs + 1);
  if (typeof type === "string" && type !== "string") return false;
  if (Array.isArray(type) && !type.includes("string")) return false;
  if (Array.isArray(values) && !values.some((value) => typeof value === "string")) return false;
  if (constant !== undefined && typeof constant !== "string") return false;
  const admits = (item: unknown) => admitsString(item, root, refs);
  if (Array.isArray(anyOf) && !anyOf.some(admits)) return false;
  if (Array.isArray(oneOf) && !oneOf.some(admits)) return false;
  return !(Array.isArray(allOf) && !allOf.every(admits));
}

/** The schemas that an object schema gives for one property, those of its alternatives included. */
function propertySchemas(schema: unknown, key: string, root = schema as JsonSchema | null, refs = 0): unknown[] {
  if (typeof schema !== "object" || schema === null || refs > MAX_REFS) return [];
  const { properties, additionalProperties, $ref, ...rest } = schema as Record<string, unknown>;
  if (typeof $ref === "string") return propertySchemas(resolveRef($ref, root), key, root, refs + 1);
  const parts = [rest.anyOf, rest.oneOf, rest.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const found = parts.flatMap((part) => propertySchemas(part, key, root, refs + 1));
  if (typeof properties === "object" && properties !== null && Object.hasOwn(properties, key)) {
    found.push((properties as Record<string, unknown>)[key]);
  }
  const isMap = typeof additionalProperties === "object" && additionalProperties !== null;
  return found.length === 0 && isMap ? [additionalProperties] : found;
}

function resolveRef(ref: string, root: JsonSchema | null): unknown {
  if (!ref.startsWith("#")) return undefined;
  let value: unknown = root;
  for (const token of ref.slice(1).split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function readValue(text: string, schemas: readonly unknown[], root: JsonSchema | null): Json {
  if (schemas.some((schema) => admitsString(schema, root))) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function parseObject(text: string): ParsedArguments {
  try {
    return { args: JSON.parse(text) as JsonObject };
  } catch (error) {
    return fault("json", `the arguments are not a JSON object: ${(error as Error).message}`);
  }
}

function readQuoted(line: string, start: number): { text: string; end: number } | undefined {
  const quote = line.charAt(start);
  let text = "";
  for (let at = start + 1; at < line.length; at++) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (char === quote) return { text, end: at + 1 };
    if (char === "\\" && quote === '"' && (next === '"' || next === "\\")) {
      text += next;
      at++;
    } else {
      text += char;
    }
  }
  return undefined;
}

function fault(kind: ArgumentFault["kind"], message: string): { readonly error: ArgumentFault } {
  return { error: { kind, message } };
}
