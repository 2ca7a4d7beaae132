import { describe, expect, it } from "vitest";
import { z as mini } from "zod/mini";
import { isZod, type SchemaSource, toJsonSchema, z } from "../../core/sdk/schema.ts";

describe("the JSON Schema of a zod object", () => {
  it("does not require what has a default, and refuses unknown keys at every level", () => {
    const schema = z.object({ a: z.string().default("x"), b: z.array(z.object({ c: z.boolean() })) });
    expect(toJsonSchema(schema)).toEqual({
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        b: {
          type: "array",
          items: {
            type: "object",
            properties: { c: { type: "boolean" } },
            required: ["c"],
            additionalProperties: false,
          },
        },
      },
      required: ["b"],
      additionalProperties: false,
    });
  });

  it("leaves out the bounds that zod adds to an integer, and keeps the author's", () => {
    const { properties } = toJsonSchema(z.object({ a: z.int(), b: z.int().min(1).max(9) }));
    expect(properties).toEqual({ a: { type: "integer" }, b: { type: "integer", minimum: 1, maximum: 9 } });
  });

  it("keeps what the author said of other keys", () => {
    expect(toJsonSchema(z.looseObject({ a: z.string() })).additionalProperties).toEqual({});
    expect(toJsonSchema(z.strictObject({ a: z.string() })).additionalProperties).toBe(false);
    expect(toJsonSchema(z.object({ a: z.string() }).catchall(z.number())).additionalProperties).toEqual({
      type: "number",
    });
    expect(toJsonSchema(z.object({ r: z.record(z.string(), z.number()) })).properties).toEqual({
      r: { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" } },
    });
  });

  it("is without loss for enums, unions, tuples and descriptions", () => {
    const { properties } = toJsonSchema(
      z.object({
        e: z.enum(["a", "b"]).describe("which"),
        u: z.union([z.string(), z.array(z.string())]),
        d: z.discriminatedUnion("t", [z.object({ t: z.literal("x") }), z.object({ t: z.literal("y"), n: z.number() })]),
        p: z.tuple([z.string(), z.number()]),
      }),
    );
    expect(properties).toMatchObject({
      e: { type: "string", enum: ["a", "b"], description: "which" },
      u: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      d: { oneOf: [{ additionalProperties: false }, { additionalProperties: false, required: ["t", "n"] }] },
      p: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    });
  });

  it("has no entry $schema", () => {
    expect(toJsonSchema(z.object({}))).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  it("does not exist for a date", () => {
    expect(() => toJsonSchema(z.object({ at: z.date() }))).toThrow(/[Dd]ate/);
  });

  it("exists for schemas of another flavour of zod", () => {
    expect(isZod(mini.object({}))).toBe(true);
    const schema = mini.object({ a: mini.string() }) as unknown as SchemaSource;
    expect(toJsonSchema(schema)).toMatchObject({
      required: ["a"],
      additionalProperties: false,
    });
  });
});

describe("a plain JSON Schema", () => {
  it("is handed through as it is", () => {
    const schema = { type: "object", properties: { items: { type: "array", items: { type: "object" } } } };
    expect(toJsonSchema(schema)).toBe(schema);
    expect(isZod(schema)).toBe(false);
    expect(isZod(null)).toBe(false);
  });
});
