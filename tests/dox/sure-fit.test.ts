import fc from "fast-check";
import { expect, it } from "vitest";
import { compileJsonSchema } from "../../core/dispatch/ajv-validator.ts";
import { createExaminer } from "../../core/dispatch/examine.ts";
import { surelyFits } from "../../core/dox/sure-fit.ts";
import type { Json } from "../../core/sdk/json.ts";
import type { JsonSchema } from "../../core/sdk/schema.ts";

const SCHEMAS: readonly JsonSchema[] = [
  {
    type: "object",
    properties: { a: { type: "string", minLength: 2 }, b: { type: "integer", minimum: 0 } },
    required: ["a"],
    additionalProperties: false,
  },
  { type: "object", properties: { a: { enum: ["x", 1] }, b: { type: ["null", "number"], exclusiveMaximum: 1 } } },
  {
    type: "object",
    properties: { a: { anyOf: [{ const: "x" }, { type: "array", items: { type: "boolean" }, maxItems: 1 }] } },
  },
  { type: "object", additionalProperties: { type: "number" } },
  { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } },
];

const value = fc.oneof(
  fc.constantFrom<Json>("x", "xy", "", 0, 1, -1, 0.5, true, null),
  fc.array(fc.constantFrom<Json>(true, 1), { maxLength: 2 }),
);
const args = fc.dictionary(fc.constantFrom("a", "b", "c"), value);

it.each(SCHEMAS.map((schema) => [JSON.stringify(schema), schema] as const))(
  "what surely fits %s, fits",
  async (_, schema) => {
    const check = await compileJsonSchema(schema);
    const examine = createExaminer(schema);
    let sure = 0;
    fc.assert(
      fc.property(args, (one) => {
        if (!surelyFits(one, schema)) return;
        sure++;
        expect(check(structuredClone(one))).toEqual([]);
        expect(examine(one).unknown).toEqual([]);
      }),
      { numRuns: 300, seed: 5 },
    );
    if (!JSON.stringify(schema).includes("$ref")) expect(sure).toBeGreaterThan(0);
  },
);
