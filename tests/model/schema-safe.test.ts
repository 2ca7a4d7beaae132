import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fitSchema } from "../../core/model/schema-fit.ts";
import { SCHEMA_PROFILE_IDS, SCHEMA_PROFILES, type SchemaProfileId } from "../../core/model/schema-profiles.ts";
import type { JsonSchema } from "../../core/sdk/schema.ts";
import { asSent, refusalOf } from "../helpers/wire-refusals.ts";

const RUNS = Number(process.env.SCHEMA_RUNS ?? 20);
const SEED = Number(process.env.SCHEMA_SEED ?? 5);

const SIMPLE = ["", "a", "bb", "c3", 0, 1, 2.5, 7, true, false, null];
const VALUES = [
  ...SIMPLE,
  [],
  ["a"],
  [1, "a"],
  ["a", 1, true],
  {},
  { a: "a" },
  { a: 1, b: "bb" },
  { b: null },
  { x1: 7 },
];
/** Arguments that a model might give. */
const CALLS = [
  {},
  ...VALUES.flatMap((value) => [{ a: value }, { b: value }, { a: value, b: "a" }]),
  ...VALUES.flatMap((value) => [{ a: "bb", b: value }, { a: { a: value } }]),
  // Where google must be told a type, lists in lists in lists are not told of.
  ...SIMPLE.map((value) => ({ a: [value, ["a"], { b: value }], b: 1 })),
  { a: { a: { a: { b: 1 } } } },
  { a: "a", b: 7, x1: "a" },
];

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constantFrom<JsonSchema>(
    ...[{}, { type: "boolean" }, { type: "null" }, { type: "integer", minimum: 1 }, { type: "number", maximum: 2.5 }],
    ...[{ type: "number", exclusiveMinimum: 0, multipleOf: 0.5 }, { const: "a" }, { const: 7 }, { const: null }],
    ...[
      { type: "string", minLength: 1, maxLength: 2 },
      { type: "string", pattern: "^(?=a)a" },
      { type: ["string", "null"] },
    ],
    ...[
      { type: "string", format: "uri" },
      { type: ["integer", "string", "array"] },
      { type: "array" },
      { type: "object" },
    ],
    ...[
      { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
      { $ref: "#/$defs/Tree" },
      { $ref: "#" },
    ],
    ...[
      { $ref: "#/$defs/Word", description: "x" },
      { $ref: "#/properties/a" },
      { type: "array", prefixItems: [true], items: false },
    ],
  ),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom(...SIMPLE), { minLength: 1, maxLength: 4 }) }),
  fc.record({
    type: fc.constant("string"),
    enum: fc.uniqueArray(fc.constantFrom("", "a", "bb", null), { minLength: 1 }),
  }),
);

/** Schemas of everything that is rewritten; what an alternative does not list is none of its keys. */
const { schema, object } = fc.letrec<{ schema: JsonSchema; object: JsonSchema; part: JsonSchema | boolean }>((tie) => ({
  part: fc.oneof({ weight: 8, arbitrary: tie("schema") }, fc.boolean()),
  object: fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b"), tie("part"), { maxKeys: 2 }),
      required: fc.subarray(["a", "b", "c"]),
      additionalProperties: fc.constantFrom<unknown>(false, true, { type: "string" }, { pattern: "(?!b)" }),
      patternProperties: fc.constantFrom({ "^x": { type: "integer" } }, { "^(?=x)": {} }),
      minProperties: fc.constant(1),
      propertyNames: fc.constant({ pattern: "^(?!z)" }),
      dependentRequired: fc.constant({ a: ["b"] }),
    },
    { requiredKeys: ["type"] },
  ) as fc.Arbitrary<JsonSchema>,
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("object"),
    fc.record({ type: fc.constant("array"), items: tie("part") }),
    fc.record({ type: fc.constant("array"), contains: tie("part"), maxContains: fc.constant(1) }),
    fc.record({ anyOf: fc.array(tie("part"), { minLength: 1, maxLength: 3 }), description: fc.constant("some") }),
    fc.record({ oneOf: fc.array(tie("part"), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      allOf: fc.array(tie("part"), { minLength: 1, maxLength: 2 }),
      unevaluatedProperties: fc.constant(false),
    }),
    fc.record({ not: tie("part") }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    fc.record({ if: tie("part"), then: tie("part"), else: tie("part") }),
    fc.tuple(tie("object"), tie("schema")).map(([object, more]) => ({ ...more, ...object })),
  ) as fc.Arbitrary<JsonSchema>,
}));

const closed = schema.map((part) => ({
  type: "object",
  properties: (part.properties ?? { b: part }) as JsonSchema,
  required: (part.required ?? []) as string[],
  additionalProperties: false,
}));

const top: fc.Arbitrary<JsonSchema> = fc
  .oneof(
    closed,
    fc.record({ anyOf: fc.array(closed, { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(closed, { minLength: 1, maxLength: 2 }), required: fc.constant(["a"]) }),
    fc.record({ properties: fc.record({ a: schema }), allOf: fc.array(object, { minLength: 1, maxLength: 2 }) }),
    fc.record({ $ref: fc.constant("#/$defs/Tree") }),
    fc.record({ type: fc.constant("object"), properties: fc.record({ a: schema, b: schema }), not: schema }),
  )
  .map((own) => ({
    ...own,
    $defs: {
      Word: { type: "string", pattern: "^(?!c)" },
      Tree: { type: "object", properties: { a: { $ref: "#/$defs/Tree" }, b: { $ref: "#/$defs/Word" } } },
    },
  }));

test(`what a provider is sent is taken by it, and admits every call that the schema admits (${RUNS} schemas, seed ${SEED})`, () => {
  const check = fc.property(top, (full) => {
    const calls = admitted(full);
    for (const id of SCHEMA_PROFILE_IDS) {
      const { schema: fitted, refusals } = fitSchema(full, SCHEMA_PROFILES[id]);
      // A schema that no object passes may be refused.
      if (refusals.length > 0) expect(calls).toEqual([]);
      if (refusals.length === 0) expect(refused(id, fitted), `${id}: ${JSON.stringify(fitted)}`).toBeUndefined();
      const sent = validator(fitted);
      expect(sent, `${id}: ${JSON.stringify(fitted)}`).toBeDefined();
      const lost = calls.filter((call) => !sent?.(call));
      expect(lost, `${id}: ${JSON.stringify(fitted)}`).toEqual([]);
    }
  });
  fc.assert(check, { numRuns: RUNS, seed: SEED });
});

/** Why a provider with these rules would refuse the schema. */
function refused(profile: SchemaProfileId, schema: JsonSchema): string | undefined {
  const format = ({ openai: "openai-responses", anthropic: "anthropic", google: "google" } as const)[
    profile === "generic" ? "anthropic" : profile
  ];
  const tool = { name: "odd", parameters: asSent(format, schema), input_schema: schema };
  return refusalOf(format, { tools: format === "google" ? [{ functionDeclarations: [tool] }] : [tool] });
}

/** None for a schema that has no end, such as one that is its own alternative. */
function admitted(schema: JsonSchema): readonly object[] {
  const valid = validator(schema);
  try {
    return valid ? CALLS.filter((call) => valid(call)) : [];
  } catch {
    return [];
  }
}

const DRAFT = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** Undefined for what is no schema, such as one with a reference to a place that it has not. */
function validator(schema: JsonSchema): ((value: unknown) => boolean) | undefined {
  try {
    return DRAFT.compile(schema);
  } catch {
    return undefined;
  }
}
