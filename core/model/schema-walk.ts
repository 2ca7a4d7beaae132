import type { JsonSchema } from "../sdk/schema.ts";

/** A schema that is not a boolean. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema. */
const ONE = [
  ...["items", "additionalItems", "unevaluatedItems", "contains", "propertyNames"],
  ...["additionalProperties", "unevaluatedProperties", "not", "if", "then", "else"],
] as const;
/** Keywords whose value is a list of schemas. */
const LIST = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;
/** Keywords whose value is schemas by name. */
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] as const;

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const NUMBERS = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"],
];
const TEXTS = ["$ref", "pattern", "format", "description"];

/** What {@link walkSchema} found. */
export interface SchemaWalk {
  /** The JSON pointers of all schemas in it. */
  readonly places: ReadonlyMap<object, string>;
  /** What is in no draft of JSON Schema, by its pointer. */
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
  /** A part has an identity of its own, so that references in it may mean something else than they say. */
  readonly embedded: boolean;
}

/** Looks at every schema inside a schema once, however deep. */
export function walkSchema(root: JsonSchema): SchemaWalk {
  const places = new Map<object, string>();
  const faults: { pointer: string; message: string }[] = [];
  let embedded = false;
  const waiting: { readonly value: unknown; readonly pointer: string }[] = [{ value: root, pointer: "" }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, pointer } = next;
    if (typeof value === "boolean") continue;
    if (!isNode(value)) {
      faults.push({ pointer, message: `expected a schema, found ${shown(value)}` });
      continue;
    }
    if (places.has(value)) continue;
    places.set(value, pointer);
    if (pointer !== "" && typeof value.$id === "string") embedded = true;
    const fault = keywordFault(value);
    if (fault) faults.push({ pointer: `${pointer}/${fault.keyword}`, message: fault.message });
    else waiting.push(...children(value, pointer).reverse());
  }
  return { places, faults, embedded };
}

function children(node: SchemaNode, pointer: string) {
  const found: { value: unknown; pointer: string }[] = [];
  for (const keyword of ONE) {
    const value = node[keyword];
    if (value === undefined) continue;
    // The tuples of older drafts.
    if (keyword === "items" && Array.isArray(value)) {
      found.push(...value.map((item, at) => ({ value: item, pointer: `${pointer}/items/${at}` })));
    } else found.push({ value, pointer: `${pointer}/${keyword}` });
  }
  for (const keyword of LIST) {
    const list = (node[keyword] ?? []) as readonly unknown[];
    found.push(...list.map((item, at) => ({ value: item, pointer: `${pointer}/${keyword}/${at}` })));
  }
  for (const keyword of NAMED) {
    const named = Object.entries((node[keyword] ?? {}) as SchemaNode);
    found.push(...named.map(([name, value]) => ({ value, pointer: `${pointer}/${keyword}/${escaped(name)}` })));
  }
  return found;
}

/** The first keyword of a schema whose value it cannot have. */
function keywordFault(node: SchemaNode): { readonly keyword: string; readonly message: string } | undefined {
  const wrong = (keyword: string, expected: string) => ({
    keyword,
    message: `expected ${expected}, found ${shown(node[keyword])}`,
  });
  const { type, required } = node;
  if (type !== undefined && ![type].flat().every((name) => TYPES.has(name))) {
    return wrong("type", `a type of JSON (${[...TYPES].join(", ")}) or a list of them`);
  }
  if (Array.isArray(type) && type.length === 0) return wrong("type", "at least one type");
  // A flag at the argument itself is how draft 3 said it.
  if (required !== undefined && typeof required !== "boolean" && !isTexts(required)) {
    return wrong("required", "a list of names");
  }
  for (const keyword of NAMED) {
    if (node[keyword] !== undefined && !isNode(node[keyword])) return wrong(keyword, "schemas by name");
  }
  for (const keyword of LIST) {
    const value = node[keyword];
    if (value !== undefined && !(Array.isArray(value) && value.length > 0)) return wrong(keyword, "a list of schemas");
  }
  if (node.enum !== undefined && !Array.isArray(node.enum)) return wrong("enum", "a list of values");
  for (const keyword of NUMBERS) {
    const value = node[keyword];
    const older = keyword.startsWith("exclusive") && typeof value === "boolean";
    if (value !== undefined && typeof value !== "number" && !older) return wrong(keyword, "a number");
  }
  for (const keyword of TEXTS) {
    if (node[keyword] !== undefined && typeof node[keyword] !== "string") return wrong(keyword, "text");
  }
  return undefined;
}

/** A name as it stands in a JSON pointer. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Whether a value is a schema, and no boolean one. */
export function isNode(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
