import type { FitContext, Place } from "./schema-context.ts";
import { isNode, type SchemaNode } from "./schema-walk.ts";

/** Keywords that ask nothing of a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["description", "title", "default", "examples", "example", "$comment", "$id", "id", "$schema", "$anchor"],
  ...["deprecated", "readOnly", "writeOnly", "$defs", "definitions"],
]);

/** A schema without references and `allOf` at its own level, and where it stands. */
export interface Opened {
  readonly node: SchemaNode;
  readonly place: Place;
}

/** Puts what a schema refers to, and the parts of its `allOf`, in place of them. A boolean admits all here. */
export function openNode(value: unknown, place: Place, fit: FitContext): Opened {
  if (!isNode(value)) return { node: {}, place };
  const { $ref, allOf, ...own } = modernNode(value, place, fit);
  let opened: Opened = { node: own, place };
  if (typeof $ref === "string") opened = openReference($ref, opened, fit);
  if (!Array.isArray(allOf)) return opened;
  fit.note("all-of", place, "allOf");
  for (const part of allOf) {
    const inner = openNode(part, fit.inside(opened.place, part, 0), fit);
    opened = {
      node: mergeNodes(opened.node, inner.node),
      place: { ...opened.place, references: new Set([...opened.place.references, ...inner.place.references]) },
    };
  }
  return opened;
}

function openReference(reference: string, { node, place }: Opened, fit: FitContext): Opened {
  const target = fit.resolve(reference);
  if (!target) {
    fit.note("unresolved", place, reference);
    return { node, place };
  }
  if (place.references.has(reference)) {
    fit.note("recursion", place, reference);
    const { type } = isNode(target.value) ? target.value : {};
    return { node: mergeNodes(node, type === undefined ? {} : { type }), place };
  }
  if (!fit.count()) {
    fit.note("too-large", place, reference);
    return { node, place };
  }
  fit.note("reference", place, reference);
  const there = { ...place, pointer: target.pointer, references: new Set([...place.references, reference]) };
  const opened = openNode(target.value, there, fit);
  return { node: mergeNodes(node, opened.node), place: opened.place };
}

/** The keywords of a schema as draft 2020-12 has them. */
export function modernNode(value: SchemaNode, place: Place, fit: FitContext): SchemaNode {
  const node: Record<string, unknown> = { ...value };
  const rewritten = (keyword: string): void => {
    fit.note("older-draft", place, keyword);
    delete node[keyword];
  };
  if (typeof node.nullable === "boolean") {
    rewritten("nullable");
    // OpenAPI 3.0 means it of a schema with a type.
    if (value.nullable && value.type !== undefined) node.type = [...new Set([value.type, "null"].flat())];
  }
  for (const [exclusive, inclusive] of BOUNDS) {
    if (typeof node[exclusive] !== "boolean") continue;
    rewritten(exclusive);
    if (!value[exclusive] || typeof node[inclusive] !== "number") continue;
    node[exclusive] = node[inclusive];
    delete node[inclusive];
  }
  if (Array.isArray(node.items)) {
    const { additionalItems } = node;
    rewritten("items");
    if (Array.isArray(value.items) && value.items.length > 0) node.prefixItems = value.items;
    if (additionalItems !== undefined) node.items = additionalItems;
  }
  if (node.additionalItems !== undefined) rewritten("additionalItems");
  if (typeof node.required === "boolean") rewritten("required");
  if (isNode(node.dependencies)) {
    const { dependencies } = node;
    rewritten("dependencies");
    const all = Object.entries(dependencies);
    const names = all.filter(([, needed]) => Array.isArray(needed));
    const schemas = all.filter(([, needed]) => !Array.isArray(needed));
    if (names.length > 0) node.dependentRequired = Object.fromEntries(names);
    if (schemas.length > 0) node.dependentSchemas = Object.fromEntries(schemas);
  }
  for (const keyword of ["$recursiveRef", "$dynamicRef"]) {
    if (node[keyword] === undefined) continue;
    fit.note("unresolved", place, keyword);
    delete node[keyword];
  }
  if (Array.isArray(node.enum) && node.enum.length === 0) {
    fit.note("empty-enum", place, "enum");
    delete node.enum;
  }
  return node;
}

const BOUNDS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/**
 * One schema that admits what both admit, or more: where both say something of the same keyword and no merging is known,
 * the first one's word stands.
 */
export function mergeNodes(first: SchemaNode, second: SchemaNode): SchemaNode {
  const merged: Record<string, unknown> = { ...first };
  const taken = TOGETHER.filter((group) => group.some((keyword) => Object.hasOwn(first, keyword))).flat();
  for (const [keyword, value] of Object.entries(second)) {
    if (taken.includes(keyword)) continue;
    if (!Object.hasOwn(first, keyword)) merged[keyword] = value;
    else if (keyword === "properties") merged.properties = mergedProperties(first.properties, value);
    else if (keyword === "required") merged.required = [...new Set([first.required, value].flat())];
    else if (keyword === "additionalProperties" && value === false) merged.additionalProperties = false;
    else if (keyword === "type") merged.type = commonTypes(first.type, value) ?? first.type;
  }
  // What they look at was said of one schema, and there are others' arguments and items now.
  if (asksSomething(first) && asksSomething(second)) {
    delete merged.unevaluatedProperties;
    delete merged.unevaluatedItems;
  }
  return merged;
}

/** Keywords that mean something together only. */
const TOGETHER = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
];

/** A schema that is closed stays so in a merger, so what one of the two lists is listed. */
function mergedProperties(first: unknown, second: unknown): SchemaNode {
  const merged: Record<string, unknown> = { ...(first as SchemaNode) };
  for (const [name, value] of Object.entries(second as SchemaNode)) {
    const same = !Object.hasOwn(merged, name) || JSON.stringify(merged[name]) === JSON.stringify(value);
    put(merged, name, same ? value : { allOf: [merged[name], value] });
  }
  return merged;
}

/** Sets a key whatever its name is. */
export function put(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function commonTypes(first: unknown, second: unknown): unknown {
  const [a, b] = [[first].flat(), [second].flat()];
  const common = a.flatMap((type) => {
    if (b.includes(type)) return [type];
    if (type === "number" && b.includes("integer")) return ["integer"];
    return type === "integer" && b.includes("number") ? ["integer"] : [];
  });
  return common.length === 0 ? undefined : common.length === 1 ? common[0] : common;
}

/** Whether a schema asks anything of a value. */
export function asksSomething(node: SchemaNode): boolean {
  return Object.keys(node).some((keyword) => !ANNOTATIONS.has(keyword));
}
