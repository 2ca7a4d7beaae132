import type { FitContext, Place } from "./schema-context.ts";
import { modernNode, openNode, put } from "./schema-open.ts";
import { isPattern } from "./schema-patterns.ts";
import { isNode, type SchemaNode } from "./schema-walk.ts";
import { createWords, type Words } from "./schema-words.ts";

/** Keywords whose parts may be widened: then they admit more themselves. */
const SCHEMAS = ["items", "additionalProperties", "contains", "propertyNames"];
const LISTS = ["anyOf", "allOf", "prefixItems"];
const BY_NAME = ["properties", "patternProperties", "dependentSchemas"];
/** What is widened inside these makes them admit less, so they go whole then. */
const TURNING = [["not"], ["if", "then", "else"]];
const UNEVALUATED = ["unevaluatedItems", "unevaluatedProperties"];
/** Said once, at the top, or of no use to a provider. */
const DROPPED = ["$schema", "$id", "$anchor", "$comment", "$defs", "definitions"];

/** A schema for a provider that takes a whole draft: only what is refused there is rewritten. */
export function keepNode(value: unknown, place: Place, fit: FitContext): unknown {
  if (typeof value === "boolean") return value;
  if (!isNode(value)) return {};
  if (place.depth > fit.profile.maxDepth || !fit.count()) {
    fit.note(place.depth > fit.profile.maxDepth ? "too-deep" : "too-large", place);
    return {};
  }
  const before = fit.changes;
  const opened = own(value, place, fit);
  const node: Record<string, unknown> = { ...opened.node };
  const words = createWords(opened.place, fit);
  for (const keyword of DROPPED) drop(node, keyword, opened.place, fit);
  fitParts(node, opened.place, fit);
  fitTexts(node, words, fit);
  if (fit.profile.items === "required" && [node.type].flat().includes("array") && node.items === undefined) {
    fit.note("items", opened.place);
    node.items = {};
  }
  if (fit.changes > before) for (const keyword of UNEVALUATED) leaveOut(node, keyword, opened.place, fit);
  const description = words.description(node.description);
  return description === undefined ? node : { ...node, description };
}

/** References to definitions stay; others are replaced by what they refer to. */
function own(value: SchemaNode, place: Place, fit: FitContext): { node: SchemaNode; place: Place } {
  if (typeof value.$ref !== "string") return { node: modernNode(value, place, fit), place };
  const name = definitionName(value.$ref);
  if (name === undefined || !isOne(name, fit)) return openNode(value, place, fit);
  fit.refer();
  return { node: { ...modernNode(value, place, fit), $ref: `#/$defs/${name}` }, place };
}

/** Definitions of both names come under one, so where there are two of a name a reference is followed. */
function isOne(name: string, fit: FitContext): boolean {
  return Boolean(fit.resolve(`#/$defs/${name}`)) !== Boolean(fit.resolve(`#/definitions/${name}`));
}

/** The last part of a reference to a definition, as it stands there. */
function definitionName(reference: string): string | undefined {
  return /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference)?.[1];
}

function fitParts(node: Record<string, unknown>, place: Place, fit: FitContext): void {
  const fitted = (value: unknown): unknown => keepNode(value, fit.inside(place, value), fit);
  for (const keyword of BY_NAME) {
    const named = node[keyword];
    if (!isNode(named)) continue;
    const result: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(named)) put(result, name, fitted(value));
    node[keyword] = result;
  }
  for (const keyword of LISTS) if (Array.isArray(node[keyword])) node[keyword] = node[keyword].map(fitted);
  const before = fit.changes;
  for (const keyword of SCHEMAS) if (node[keyword] !== undefined) node[keyword] = fitted(node[keyword]);
  // More items may match now than may be there.
  if (fit.changes > before) leaveOut(node, "maxContains", place, fit);
  for (const group of TURNING) {
    const start = fit.changes;
    for (const keyword of group) if (node[keyword] !== undefined) node[keyword] = fitted(node[keyword]);
    if (fit.changes > start) for (const keyword of group) leaveOut(node, keyword, place, fit);
  }
  if (Array.isArray(node.oneOf)) {
    const start = fit.changes;
    const parts = node.oneOf.map(fitted);
    if (fit.changes === start) node.oneOf = parts;
    // More than one may match now.
    else if (node.anyOf !== undefined) leaveOut(node, "oneOf", place, fit);
    else {
      fit.note("alternatives", place, "oneOf");
      delete node.oneOf;
      node.anyOf = parts;
    }
  }
  for (const keyword of UNEVALUATED) if (node[keyword] !== undefined) node[keyword] = fitted(node[keyword]);
}

function fitTexts(node: Record<string, unknown>, words: Words, fit: FitContext): void {
  const { formats, patterns } = fit.profile;
  if (typeof node.format === "string" && formats !== "any" && !formats.includes(node.format)) {
    words.say("format", node.format);
    delete node.format;
  }
  if (typeof node.pattern === "string" && !isPattern(node.pattern, patterns)) {
    words.say("pattern", node.pattern);
    delete node.pattern;
  }
  const byPattern = isNode(node.patternProperties) ? Object.keys(node.patternProperties) : [];
  if (byPattern.every((pattern) => isPattern(pattern, patterns))) return;
  words.say("patternProperties", node.patternProperties);
  delete node.patternProperties;
  delete node.additionalProperties;
}

function drop(node: Record<string, unknown>, keyword: string, place: Place, fit: FitContext): void {
  if (node[keyword] === undefined) return;
  fit.note("annotation", place, keyword);
  delete node[keyword];
}

function leaveOut(node: Record<string, unknown>, keyword: string, place: Place, fit: FitContext): void {
  if (node[keyword] === undefined) return;
  fit.note("left-out", place, keyword);
  delete node[keyword];
}
