import type { FitContext, Place } from "./schema-context.ts";
import { type Opened, openNode, put } from "./schema-open.ts";
import { isNode, type SchemaNode } from "./schema-walk.ts";

/** Keywords that may not stand at the top of a tool's parameters, besides alternatives. */
const REFUSED = ["enum", "const", "not"] as const;
const ALTERNATIVES = ["anyOf", "oneOf"] as const;

/**
 * The top of a tool's parameters as every provider wants it: an object without alternatives beside it. Alternatives are
 * merged into one object, where only what every alternative asks for is required. A key that an alternative does not
 * list is none of its keys, as in a call, whatever the schema says of further ones.
 *
 * @returns undefined where the schema admits no object
 */
export function topObject(value: unknown, place: Place, fit: FitContext): Opened | undefined {
  const opened = openNode(value, place, fit);
  let { node } = opened;
  if (value === false || !admitsObject(node)) return undefined;
  for (const keyword of REFUSED) {
    if (node[keyword] === undefined) continue;
    fit.note("top-keyword", opened.place, keyword);
    node = without(node, keyword);
  }
  for (const keyword of ALTERNATIVES) {
    const list = node[keyword];
    if (!Array.isArray(list)) continue;
    fit.note("top-alternatives", opened.place, keyword);
    node = without(without(without(node, keyword), "unevaluatedProperties"), "unevaluatedItems");
    const objects = list.flatMap((part) => topObject(part, fit.inside(opened.place, part, 0), fit) ?? []);
    if (objects.length === 0) return undefined;
    node = withAlternatives(
      node,
      objects.map((part) => part.node),
    );
  }
  if (node.type !== "object") fit.note("top-object", opened.place);
  const { type: _, properties, ...rest } = node;
  return { node: { type: "object", properties: isNode(properties) ? properties : {}, ...rest }, place: opened.place };
}

function admitsObject({ type }: SchemaNode): boolean {
  return type === undefined || [type].flat().includes("object");
}

/** What the schema says beside the alternatives goes before what these say. */
function withAlternatives(node: SchemaNode, parts: readonly SchemaNode[]): SchemaNode {
  const found = new Map<string, unknown[]>();
  for (const { properties } of parts) {
    for (const [name, value] of Object.entries(isNode(properties) ? properties : {})) {
      const known = found.get(name) ?? [];
      if (!known.some((other) => JSON.stringify(other) === JSON.stringify(value))) known.push(value);
      found.set(name, known);
    }
  }
  const properties: Record<string, unknown> = {};
  for (const [name, values] of found) put(properties, name, values.length === 1 ? values[0] : { anyOf: values });
  for (const [name, value] of Object.entries(isNode(node.properties) ? node.properties : {})) {
    put(properties, name, value);
  }
  const [first, ...others] = parts.map(({ required }) => (Array.isArray(required) ? required : []));
  const required = [
    ...(Array.isArray(node.required) ? node.required : []),
    ...(first ?? []).filter((name) => others.every((list) => list.includes(name))),
  ];
  const isClosed = parts.every((part) => part.additionalProperties === false && part.patternProperties === undefined);
  return {
    ...without(node, "required"),
    properties,
    ...(required.length > 0 ? { required: [...new Set(required)].sort() } : {}),
    ...(isClosed && node.additionalProperties === undefined && node.patternProperties === undefined
      ? { additionalProperties: false }
      : {}),
  };
}

/** Takes arguments out whose names the provider refuses; without one that is required no call could be made. */
export function namedArguments({ node, place }: Opened, fit: FitContext): SchemaNode {
  const { argumentNames } = fit.profile;
  const properties = node.properties as SchemaNode;
  const refused = argumentNames ? Object.keys(properties).filter((name) => !argumentNames.test(name)) : [];
  if (refused.length === 0) return node;
  const required = Array.isArray(node.required) ? node.required : [];
  for (const name of refused) {
    const { pointer } = fit.inside(place, properties[name]);
    if (required.includes(name)) fit.refuse("argument-name", pointer, name);
    else fit.note("argument-name", { ...place, pointer }, name);
  }
  const kept = Object.entries(properties).filter(([name]) => !refused.includes(name));
  // They may be given all the same.
  return { ...without(node, "additionalProperties"), properties: Object.fromEntries(kept) };
}

function without(node: SchemaNode, keyword: string): SchemaNode {
  const { [keyword]: _, ...rest } = node;
  return rest;
}
