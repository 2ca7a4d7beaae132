import { describe, expect, test } from "vitest";
import { fitSchema } from "../../core/model/schema-fit.ts";
import {
  profileOfProvider,
  SCHEMA_PROFILE_IDS,
  SCHEMA_PROFILES,
  type SchemaProfileId,
} from "../../core/model/schema-profiles.ts";
import type { JsonSchema } from "../../core/sdk/schema.ts";

const fitFor = (schema: JsonSchema, profile: SchemaProfileId) => fitSchema(schema, SCHEMA_PROFILES[profile]);
/** The schema of one argument, as it comes out. */
const argument = (schema: unknown, profile: SchemaProfileId) =>
  (fitFor({ type: "object", properties: { a: schema } }, profile).schema.properties as JsonSchema).a;
const rules = (schema: JsonSchema, profile: SchemaProfileId) =>
  fitFor(schema, profile).rewrites.map(({ pointer, rule }) => `${pointer} ${rule}`);

test.each([
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["google", "google"],
  ["openai-compatible", "generic"],
  ["ollama", "generic"],
  ["lab", "generic"],
  ["constructor", "generic"],
])("the provider %s has the rules %s", (provider, profile) => {
  expect(profileOfProvider(provider).id).toBe(profile);
});

describe.each(SCHEMA_PROFILE_IDS)("at the top, for %s", (profile) => {
  test("a plain object stays as it is", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", description: "which" }, b: { type: "array", items: { type: "number" } } },
      required: ["a"],
    };
    const { $schema: _, ...rest } = schema;
    expect(fitFor(schema, profile).schema).toEqual(rest);
    expect(rules(schema, profile)).toEqual([" annotation"]);
  });

  test("any object is an object without known properties", () => {
    expect(fitFor({}, profile).schema).toEqual({ type: "object", properties: {} });
  });

  test("alternatives become one object that asks for what all of them ask for", () => {
    const schema = {
      anyOf: [
        { type: "object", properties: { kind: { const: "a" }, x: { type: "number" } }, required: ["kind", "x"] },
        { type: "object", properties: { kind: { const: "b" } }, required: ["kind"], additionalProperties: false },
        { type: "null" },
      ],
    };
    const { schema: fitted } = fitFor(schema, profile);
    expect(fitted).toMatchObject({ type: "object", required: ["kind"] });
    expect(Object.keys(fitted.properties as object)).toEqual(["kind", "x"]);
    expect(fitted).not.toHaveProperty("anyOf");
    expect(rules(schema, profile)).toContain(" top-alternatives");
  });

  test("alternatives that admit no other keys are one object that admits none", () => {
    const parts = ["b", "c"].map((name) => ({
      type: "object",
      properties: { a: { type: "string" }, [name]: { type: "string" } },
      additionalProperties: false,
    }));
    const { schema } = fitFor({ oneOf: parts }, profile);
    expect(Object.keys(schema.properties as object)).toEqual(["a", "b", "c"]);
    expect(schema.additionalProperties).toBe(profile === "google" ? undefined : false);
  });

  test("all parts of allOf, and what a reference means, are asked for", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/Base" }, { properties: { c: { type: "string" } }, required: ["c"] }],
      properties: { a: { type: "string" } },
      required: ["a"],
      $defs: { Base: { type: "object", properties: { b: { type: "number" } }, required: ["b"] } },
    };
    expect(fitFor(schema, profile).schema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" }, c: { type: "string" } },
      required: ["a", "b", "c"],
    });
  });

  test("nothing but an object may stand there", () => {
    for (const schema of [{ type: "string" }, { anyOf: [{ type: "string" }, { type: "null" }] }]) {
      expect(fitFor(schema, profile).refusals).toEqual([
        { pointer: "", rule: "not-an-object", message: "it admits no object, and the arguments of a call are one" },
      ]);
    }
  });

  test("what is said of the whole object besides is left out", () => {
    const schema = { type: "object", properties: {}, enum: [{}], not: { required: ["x"] } };
    expect(fitFor(schema, profile).schema).toEqual({ type: "object", properties: {} });
    expect(rules(schema, profile)).toEqual([" top-keyword", " top-keyword"]);
  });

  test("the schema that is given is not changed", () => {
    const text = JSON.stringify({ oneOf: [{ properties: { a: { type: ["array", "null"], items: [{}] } } }] });
    const schema = deepFrozen(JSON.parse(text));
    fitFor(schema, profile);
    expect(JSON.stringify(schema)).toBe(text);
  });

  test.each([
    ["a type that is none", { type: "object", properties: { a: { type: "Boolean" } } }, "/properties/a/type"],
    ["a list of properties", { type: "object", properties: [] }, "/properties"],
    ["text in place of a schema", { type: "object", properties: { "a/b": "number" } }, "/properties/a~1b"],
    ["an alternative among none", { type: "object", properties: { a: { anyOf: [] } } }, "/properties/a/anyOf"],
    ["a bound that is text", { type: "object", properties: { a: { minimum: "1" } } }, "/properties/a/minimum"],
    ["required names that are none", { type: "object", required: [1] }, "/required"],
  ])("%s is no schema", (_, schema, pointer) => {
    expect(fitFor(schema, profile).refusals).toMatchObject([{ pointer, rule: "not-a-schema" }]);
  });

  test("a schema may be as deep as it likes, refer to itself, and grow when it is written out", () => {
    let deep: JsonSchema = { type: "string" };
    for (let level = 0; level < 3_000; level++) deep = { type: "object", properties: { a: deep } };
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => {
        const next = { $ref: `#/$defs/L${(at + 1) % 30}` };
        return [
          `L${at}`,
          { type: "object", properties: { l: next, r: next }, anyOf: [next, next], allOf: [next, next] },
        ];
      }),
    );
    for (const schema of [{ ...deep }, { $ref: "#/$defs/L0", $defs }, { $ref: "#" }, { allOf: [{ $ref: "#" }] }]) {
      const fitted = fitFor(schema, profile);
      expect(fitted.refusals).toEqual([]);
      expect(JSON.stringify(fitted.schema).length).toBeLessThan(2_000_000);
      expect(fitted.rewrites.map(({ rule }) => rule)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(too-deep|too-large|recursion)$/)]),
      );
    }
  });
});

describe("older drafts", () => {
  test.each(["openai", "anthropic"] as const)("%s gets draft 2020-12", (profile) => {
    expect(argument({ type: "number", minimum: 1, exclusiveMinimum: true }, profile)).toEqual({
      type: "number",
      exclusiveMinimum: 1,
    });
    expect(argument({ type: "number", maximum: 1, exclusiveMaximum: false }, profile)).toEqual({
      type: "number",
      maximum: 1,
    });
    expect(argument({ type: "array", items: [{ type: "string" }], additionalItems: false }, profile)).toEqual({
      type: "array",
      prefixItems: [{ type: "string" }],
      items: false,
    });
    expect(argument({ type: "string", nullable: true, required: true }, profile)).toEqual({ type: ["string", "null"] });
    expect(argument({ dependencies: { a: ["b"], c: { required: ["d"] } } }, profile)).toEqual({
      dependentRequired: { a: ["b"] },
      dependentSchemas: { c: { required: ["d"] } },
    });
    expect(rules({ type: "object", properties: { a: { type: "string", nullable: true } } }, profile)).toEqual([
      "/properties/a older-draft",
    ]);
  });

  test("definitions come under their newer name, with what is referred to only", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/definitions/A", description: "here" }, b: { $ref: "#/properties/a" } },
      definitions: { A: { type: "array", items: { $ref: "#/definitions/A" } } },
    };
    expect(fitFor(schema, "anthropic").schema).toEqual({
      type: "object",
      properties: {
        a: { $ref: "#/$defs/A", description: "here" },
        b: { description: "here", type: "array", items: { $ref: "#/$defs/A" } },
      },
      $defs: { A: { type: "array", items: { $ref: "#/$defs/A" } } },
    });
  });

  test("what refers to nothing here may be anything", () => {
    for (const $ref of ["https://example.org/x.json", "#/$defs/None", "#anchor"]) {
      expect(argument({ $ref, description: "x" }, "anthropic")).toEqual({ description: "x" });
    }
  });
});

describe("openai", () => {
  test("a list says what its items are", () => {
    expect(argument({ type: "array" }, "openai")).toEqual({ type: "array", items: {} });
    expect(argument({ type: ["array", "null"] }, "openai")).toEqual({ type: ["array", "null"], items: {} });
    expect(argument({ type: "array" }, "anthropic")).toEqual({ type: "array" });
  });

  test.each(["^(?!x)", "(?<=a)b", "\\p{L}", "(?<name>a)", "[^]", "\\u{61}"])("the pattern %s is said", (pattern) => {
    expect(argument({ type: "string", pattern, description: "x" }, "openai")).toEqual({
      type: "string",
      description: `x (pattern: ${pattern})`,
    });
    expect(argument({ type: "string", pattern }, "anthropic")).toEqual({ type: "string", pattern });
  });

  test.each(["^[a-z]+$", "\\d{2,}", "a\\/b", "(?:a|b)\\."])("the pattern %s stays", (pattern) => {
    expect(argument({ type: "string", pattern }, "openai")).toEqual({ type: "string", pattern });
  });

  test("formats that it does not know are said", () => {
    expect(argument({ type: "string", format: "email" }, "openai")).toEqual({ type: "string", format: "email" });
    expect(argument({ type: "string", format: "uri" }, "openai")).toEqual({
      type: "string",
      description: "(format: uri)",
    });
  });

  test("what would admit less, because something in it admits more, goes", () => {
    const wide = { type: "string", pattern: "(?=a)" };
    expect(argument({ not: wide }, "openai")).toEqual({});
    expect(argument({ oneOf: [wide, { type: "null" }] }, "openai")).toMatchObject({ anyOf: [{ type: "string" }, {}] });
    expect(argument({ oneOf: [{ type: "string" }, { type: "null" }] }, "openai")).toHaveProperty("oneOf");
  });
});

describe("names of arguments", () => {
  const properties = { "filter[id]": { type: "string" }, a: { type: "string" } };

  test.each([
    ["openai", false],
    ["anthropic", true],
    ["google", false],
    ["generic", true],
  ] as const)("%s looks at them: %s", (profile, looks) => {
    const optional = fitFor({ type: "object", properties, required: ["a"], additionalProperties: false }, profile);
    expect(Object.keys(optional.schema.properties as object)).toEqual(looks ? ["a"] : ["filter[id]", "a"]);
    if (looks) expect(optional.schema).not.toHaveProperty("additionalProperties");
    const required = fitFor({ type: "object", properties, required: ["filter[id]"] }, profile);
    expect(required.refusals.map(({ pointer, rule }) => `${pointer} ${rule}`)).toEqual(
      looks ? ["/properties/filter[id] argument-name"] : [],
    );
  });

  test("inside of an argument they may be any", () => {
    expect(argument({ type: "object", properties: { $top: { type: "string" } } }, "anthropic")).toHaveProperty(
      "properties.$top",
    );
  });
});

describe("google", () => {
  test.each<[string, unknown, unknown]>([
    ["constants", { const: "a" }, { type: "string", enum: ["a"] }],
    ["enumerations", { enum: ["a", null] }, { type: ["string", "null"], enum: ["a", null] }],
    [
      "numbers that are enumerated",
      { type: "integer", enum: [1, 2] },
      { type: "integer", description: "(enum: [1,2])" },
    ],
    ["an empty text among others", { enum: ["", "a"] }, { type: "string", description: '(enum: ["","a"])' }],
    ["an empty enumeration", { type: "string", enum: [] }, { type: "string" }],
    [
      "values of several types",
      { enum: ["a", 1] },
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "number", description: "(enum: [1])" },
        ],
      },
    ],
    [
      "null beside a type",
      { type: ["object", "null"], properties: { x: { type: "string" } }, required: ["x"] },
      { type: ["object", "null"], properties: { x: { type: "string" } }, required: ["x"] },
    ],
    [
      "several types",
      { type: ["array", "string", "null"], items: { type: "number" }, minLength: 1, description: "x" },
      {
        anyOf: [
          { type: ["array", "null"], items: { type: "number" }, description: "x" },
          { type: "string", minLength: 1 },
        ],
      },
    ],
    [
      "what stands beside alternatives",
      {
        type: "object",
        properties: { x: { type: "string" }, y: { type: "string" } },
        anyOf: [{ required: ["x"] }, { required: ["y"] }],
      },
      {
        anyOf: ["x", "y"].map((name) => ({
          type: "object",
          properties: { x: { type: "string" }, y: { type: "string" } },
          required: [name],
        })),
      },
    ],
    [
      "tuples",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    ],
    ["names that are not listed", { type: "object", properties: {}, required: ["x"] }, { type: "object" }],
    [
      "values of any key",
      { type: "object", additionalProperties: { type: "number" } },
      { type: "object", description: '(additionalProperties: {"type":"number"})' },
    ],
    [
      "bounds and defaults",
      { type: "integer", minimum: 1, default: 5, title: "N", description: "n" },
      { type: "integer", description: "n (minimum: 1, default: 5)" },
    ],
    ["formats", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
    ["other formats", { type: "string", format: "uri" }, { type: "string", description: "(format: uri)" }],
    ["a schema without a type", { properties: { x: true } }, { type: "object", properties: { x: expect.anything() } }],
    ["keywords of another type", { type: "string", items: { type: "string" } }, { type: "string" }],
  ])("%s", (_, schema, fitted) => {
    expect(argument(schema, "google")).toEqual(fitted);
  });

  test("any value is one of every type", () => {
    const any = argument(true, "google") as { anyOf: { type: unknown }[] };
    expect(any.anyOf.map(({ type }) => type)).toEqual([["string", "null"], "number", "boolean", "object", "array"]);
    // Nothing may stand beside alternatives.
    const told = argument({ description: "x", default: 1 }, "google") as { anyOf: unknown[] };
    expect(Object.keys(told)).toEqual(["anyOf"]);
    expect(told.anyOf[0]).toEqual({ type: ["string", "null"], description: "x (default: 1)" });
  });

  test("a schema in itself is cut where it begins again", () => {
    const schema = {
      type: "object",
      properties: { tree: { $ref: "#/$defs/Tree" } },
      $defs: {
        Tree: {
          type: "object",
          properties: { name: { type: "string" }, below: { type: "array", items: { $ref: "#/$defs/Tree" } } },
        },
      },
    };
    expect(fitFor(schema, "google").schema.properties).toEqual({
      tree: {
        type: "object",
        properties: { name: { type: "string" }, below: { type: "array", items: { type: "object" } } },
      },
    });
    expect(rules(schema, "google")).toContain("/$defs/Tree/properties/below/items recursion");
  });
});

describe("generic", () => {
  test("null is an alternative, and a description stands beside", () => {
    expect(argument({ type: ["string", "null"], description: "x" }, "generic")).toEqual({
      anyOf: [{ type: "string" }, { type: "null" }],
      description: "x",
    });
  });

  test("bounds stay, lengths and patterns are said, other keys are refused", () => {
    expect(argument({ type: "integer", minimum: 1, maximum: 3 }, "generic")).toEqual({
      type: "integer",
      minimum: 1,
      maximum: 3,
    });
    expect(argument({ type: "string", maxLength: 9, pattern: "\\S" }, "generic")).toEqual({
      type: "string",
      description: "(maxLength: 9, pattern: \\S)",
    });
    expect(argument({ type: "object", properties: { x: true }, additionalProperties: false }, "generic")).toEqual({
      type: "object",
      properties: { x: {} },
      additionalProperties: false,
    });
  });

  test("long descriptions are cut, never inside a character", () => {
    const { description } = argument({ type: "string", description: "😀".repeat(600) }, "generic") as {
      description: string;
    };
    expect(description).toMatch(/^😀+…$/u);
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(
      rules({ type: "object", properties: { a: { type: "string", description: "x".repeat(1025) } } }, "generic"),
    ).toEqual(["/properties/a description"]);
  });
});

test("a place is that in the schema as it was written", () => {
  const schema = {
    oneOf: [{ type: "object", properties: { a: { $ref: "#/$defs/x~1y" } } }],
    $defs: { "x/y": { type: "object", properties: { "~": { type: "string", pattern: "(?=a)" } } } },
  };
  expect(rules(schema, "google")).toContain("/$defs/x~1y/properties/~0 in-words");
  expect(rules(schema, "openai")).toContain("/$defs/x~1y/properties/~0 in-words");
});

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(Object.freeze(value))) deepFrozen(part);
  return value;
}
