import type { FitContext, Place } from "./schema-context.ts";
import { asksSomething, mergeNodes, type Opened, openNode } from "./schema-open.ts";
import { type FittedNode, fitTyped } from "./schema-typed.ts";
import { isNode, type SchemaNode } from "./schema-walk.ts";
import { createWords, shortened } from "./schema-words.ts";

/** Keywords that tell a type where none is said. Authors mean it so, though a value of another type would pass. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  object: ["properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"],
  string: ["pattern", "minLength", "maxLength", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

/** A schema for a provider that takes a few keywords only: each alternative has one type and what belongs to it. */
export function narrowNode(value: unknown, place: Place, fit: FitContext): FittedNode {
  if (!isNode(value)) return anyValue(undefined, fit);
  if (place.depth > fit.profile.maxDepth || !fit.count()) {
    fit.note(place.depth > fit.profile.maxDepth ? "too-deep" : "too-large", place);
    const plain = ["string", "number", "integer", "boolean", "object"].find((name) => name === value.type);
    return plain ? described({ type: plain }, value.description, place, fit) : anyValue(value.description, fit);
  }
  const opened = openNode(value, place, fit);
  const { description, ...node } = opened.node;
  const outcomes = alternativesOf({ ...opened, node }, fit).flatMap((alternative) => typedNodes(alternative, fit));
  return joined(outcomes, description, opened, fit);
}

/** The alternatives of a schema, each with what stands beside them; those that admit nothing are left out. */
function alternativesOf({ node, place }: Opened, fit: FitContext): readonly Opened[] {
  const [keyword, second] = (["anyOf", "oneOf"] as const).filter((name) => Array.isArray(node[name]));
  if (keyword === undefined) return [{ node, place }];
  if (second !== undefined) fit.note("left-out", place, second);
  if (keyword === "oneOf") fit.note("alternatives", place, "oneOf");
  const { anyOf: _, oneOf: __, ...beside } = node;
  return (node[keyword] as readonly unknown[]).flatMap((part) => {
    if (part === false) {
      fit.note("never", place, keyword);
      return [];
    }
    if (!fit.count()) {
      fit.note("too-large", place);
      return [{ node: {}, place }];
    }
    const inner = openNode(part, fit.inside(place, part, 0), fit);
    const both = asksSomething(beside) ? mergeNodes(inner.node, beside) : inner.node;
    return alternativesOf({ node: both, place: inner.place }, fit);
  });
}

/** One schema for each type that a schema admits. */
function typedNodes({ node, place }: Opened, fit: FitContext): readonly FittedNode[] {
  const values = Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, "const") ? [node.const] : undefined;
  const types = typesOf(node);
  if (values === undefined && types === undefined) {
    if (!fit.profile.untyped) fit.note("untyped", place);
    return [anyValue(saidOf(node, place, fit), fit)];
  }
  if (values === undefined) return (types ?? []).map((type) => fitTyped(type, { node, place }, fit, narrowNode));
  const byType = new Map<string, unknown[]>();
  for (const value of values) {
    const type = typeOfValue(value, types);
    if (type !== undefined) byType.set(type, [...(byType.get(type) ?? []), value]);
  }
  const rest = withoutValues(node);
  return [...byType].map(([type, list]) => fitTyped(type, { node: { ...rest, enum: list }, place }, fit, narrowNode));
}

function withoutValues({ enum: _, const: __, ...rest }: SchemaNode): SchemaNode {
  return rest;
}

function typesOf(node: SchemaNode): readonly string[] | undefined {
  if (node.type !== undefined) return [...new Set([node.type].flat() as string[])];
  const implied = Object.keys(IMPLIED).find((type) => IMPLIED[type]?.some((keyword) => Object.hasOwn(node, keyword)));
  return implied === undefined ? undefined : [implied];
}

/** The type of a value of an enumeration, if it is among the types. */
function typeOfValue(value: unknown, types: readonly string[] | undefined): string | undefined {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (type !== "number") return types === undefined || types.includes(type) ? type : undefined;
  if (types === undefined || types.includes("number")) return "number";
  return types.includes("integer") && Number.isInteger(value) ? "integer" : undefined;
}

/** What a schema without a type asks for, in words. */
function saidOf({ description, ...node }: SchemaNode, place: Place, fit: FitContext): string | undefined {
  const words = createWords(place, fit);
  for (const [keyword, value] of Object.entries(node)) words.say(keyword, value);
  return words.description(description);
}

/** One schema of all that a schema may be. */
function joined(
  outcomes: readonly FittedNode[],
  description: unknown,
  { node, place }: Opened,
  fit: FitContext,
): FittedNode {
  const { profile } = fit;
  const [only] = outcomes;
  if (only && outcomes.length === 1) return described(only, description, place, fit);
  const items = distinct(outcomes);
  if (items.length === 0) return anyValue(description, fit);
  if (items.length > 1 && items.some((item) => item.type === undefined && item.anyOf === undefined)) {
    fit.note("any", place);
    return anyValue(description, fit);
  }
  // Alternatives of a part that is an alternative itself.
  const flat = distinct(items.flatMap((item) => (isAlone(item) ? (item.anyOf as readonly FittedNode[]) : [item])));
  const parts = profile.nullable === "type-list" ? withNull(flat) : flat;
  const [first, ...others] = parts;
  if (others.length > 0 && !Array.isArray(node.anyOf) && !Array.isArray(node.oneOf)) fit.note("types", place);
  const whole = first !== undefined && others.length === 0 ? first : { anyOf: parts };
  return described(whole, description, place, fit);
}

function distinct(items: readonly FittedNode[]): readonly FittedNode[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function isAlone(item: FittedNode): boolean {
  return Array.isArray(item.anyOf) && Object.keys(item).length === 1;
}

/** Null joins the first of the other types: as a type of its own it would stand beside the alternatives. */
function withNull(items: readonly FittedNode[]): readonly FittedNode[] {
  const [first, ...rest] = items.filter(({ type }) => type !== "null");
  if (first === undefined || rest.length === items.length - 1) return items;
  if (Array.isArray(first.type)) return [first, ...rest];
  const values = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
  return [{ ...first, type: [first.type, "null"], ...values }, ...rest];
}

/** Words before those that a schema has; where none may stand beside alternatives, before those of the first. */
function described(item: FittedNode, words: unknown, place: Place, fit: FitContext): FittedNode {
  if (typeof words !== "string" || words === "" || words === item.description) return item;
  if (Array.isArray(item.anyOf) && !fit.profile.besideAnyOf) {
    const [first, ...others] = item.anyOf as readonly FittedNode[];
    return { ...item, anyOf: [described(first ?? {}, words, place, fit), ...others] };
  }
  const own = typeof item.description === "string" ? ` ${item.description}` : "";
  return { ...item, description: shortened(words + own, place, fit) };
}

/** Any value; where a type must be said, all of them. */
function anyValue(description: unknown, fit: FitContext): FittedNode {
  const words = typeof description === "string" && description !== "" ? { description } : {};
  if (fit.profile.untyped) return words;
  const simple = ["number", "boolean", "object"].map((type) => ({ type }));
  const inner = { anyOf: [{ type: ["string", "null"] }, ...simple, { type: "array", items: { type: "string" } }] };
  return { anyOf: [{ type: ["string", "null"], ...words }, ...simple, { type: "array", items: inner }] };
}
