import type { JsonSchema } from "../sdk/schema.ts";
import { createFitContext, type FitContext, TOP } from "./schema-context.ts";
import { keepNode } from "./schema-keep.ts";
import { narrowNode } from "./schema-narrow.ts";
import { put } from "./schema-open.ts";
import type { SchemaProfile } from "./schema-profiles.ts";
import { REFUSAL_RULES, type SchemaRefusal, type SchemaRewrite } from "./schema-rules.ts";
import { namedArguments, topObject } from "./schema-top.ts";
import { type SchemaNode, walkSchema } from "./schema-walk.ts";

/** A schema as a provider takes it, or why there is none. */
export interface SchemaFit {
  /** With refusals: an object about which nothing is said. */
  readonly schema: JsonSchema;
  /** What was rewritten, each once. None of it makes a valid call impossible. */
  readonly rewrites: readonly SchemaRewrite[];
  /** Not empty: the provider would refuse every request with this tool. */
  readonly refusals: readonly SchemaRefusal[];
}

const NOTHING: JsonSchema = { type: "object", properties: {} };

/** Fits the schema of a tool's arguments to what a provider takes. The schema that is given is not changed. */
export function fitSchema(schema: JsonSchema, profile: SchemaProfile): SchemaFit {
  const walk = walkSchema(schema);
  if (walk.faults.length > 0) {
    const refusals = walk.faults.map(({ pointer, message }) => ({
      pointer,
      rule: "not-a-schema" as const,
      message: `${REFUSAL_RULES["not-a-schema"]}: ${message}`,
    }));
    return { schema: NOTHING, rewrites: [], refusals };
  }
  const fit = createFitContext(schema, profile, walk);
  const top = topObject(schema, TOP, fit);
  if (!top) fit.refuse("not-an-object", "", "it");
  const node = top && namedArguments(top, fit);
  if (!node || fit.refusals.length > 0) return { schema: NOTHING, rewrites: fit.rewrites, refusals: fit.refusals };
  for (const keyword of ["$schema", "$id"]) if (Object.hasOwn(schema, keyword)) fit.note("annotation", TOP, keyword);
  const { $defs: _, definitions: __, $schema: ___, $id: ____, ...own } = node;
  const fitted = profile.keywords === "draft-2020-12" ? keptWhole(own, schema, fit) : narrowNode(own, TOP, fit);
  return { schema: fitted, rewrites: fit.rewrites, refusals: [] };
}

/** With the definitions that are referred to. */
function keptWhole(node: SchemaNode, schema: JsonSchema, fit: FitContext): JsonSchema {
  const definitions = { ...(schema.definitions as SchemaNode), ...(schema.$defs as SchemaNode) };
  const before = fit.changes;
  let fitted = fittedDefinitions(definitions, fit);
  // What refers to a definition that admits more admits more, too; so the second time this is known.
  if (fit.changes > before) {
    fit.widen();
    fitted = fittedDefinitions(definitions, fit);
  }
  const own = keepNode(node, TOP, fit) as JsonSchema;
  return JSON.stringify(own).includes('"$ref":"#/$defs/') ? { ...own, $defs: fitted } : own;
}

function fittedDefinitions(definitions: SchemaNode, fit: FitContext): SchemaNode {
  const fitted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(definitions))
    put(fitted, name, keepNode(value, fit.inside(TOP, value), fit));
  return fitted;
}
