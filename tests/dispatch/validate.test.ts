import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z as mini } from "zod/mini";
import { createValidator, refuseArguments, type Validated } from "../../core/dispatch/validate.ts";
import { isToolError } from "../../core/sdk/errors.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import { type JsonSchema, type SchemaSource, toJsonSchema, z } from "../../core/sdk/schema.ts";

async function check(source: SchemaSource, value: unknown): Promise<Validated> {
  const validator = await createValidator({ source, json: toJsonSchema(source), repair: true });
  return await validator(value as JsonObject);
}

async function accepted(source: SchemaSource, value: unknown): Promise<JsonObject> {
  const validated = await check(source, value);
  if ("faults" in validated) throw new Error(JSON.stringify(validated.faults));
  return validated.value;
}

async function faults(source: SchemaSource, value: unknown) {
  const validated = await check(source, value);
  return "faults" in validated ? validated.faults : [];
}

/** The same schema as an author would write it with zod, and as plain JSON Schema without a word about other keys. */
const BOTH: Readonly<Record<string, SchemaSource>> = {
  zod: z.object({
    path: z.string().min(1),
    start_line: z.int().min(1).default(1),
    ratio: z.number().optional(),
    mode: z.enum(["fast", "slow"]).optional(),
    tags: z.array(z.string()).optional(),
    edits: z.array(z.object({ old: z.string(), new: z.string().default("") })).optional(),
    options: z.object({ deep: z.object({ flag: z.boolean() }) }).optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    target: z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("file"), name: z.string() }),
        z.object({ kind: z.literal("line"), number: z.number() }),
      ])
      .optional(),
    map: z.record(z.string(), z.number()).optional(),
  }),
  "JSON Schema": {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1 },
      start_line: { type: "integer", minimum: 1, default: 1 },
      ratio: { type: "number" },
      mode: { enum: ["fast", "slow"] },
      tags: { type: "array", items: { type: "string" } },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { old: { type: "string" }, new: { type: "string", default: "" } },
          required: ["old"],
        },
      },
      options: { type: "object", properties: { deep: { $ref: "#/$defs/deep" } }, required: ["deep"] },
      either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      target: {
        oneOf: [
          {
            type: "object",
            properties: { kind: { const: "file" }, name: { type: "string" } },
            required: ["kind", "name"],
          },
          {
            type: "object",
            properties: { kind: { const: "line" }, number: { type: "number" } },
            required: ["kind", "number"],
          },
        ],
      },
      map: { type: "object", additionalProperties: { type: "number" } },
    },
    required: ["path"],
    $defs: { deep: { type: "object", properties: { flag: { type: "boolean" } }, required: ["flag"] } },
  },
};

describe.each(Object.entries(BOTH))("arguments against %s", (_, schema) => {
  it("get their defaults, at every level, and are deep-frozen", async () => {
    const value = await accepted(schema, { path: "a", edits: [{ old: "x" }] });
    expect(value).toEqual({ path: "a", start_line: 1, edits: [{ old: "x", new: "" }] });
    expect(Object.isFrozen(value)).toBe(true);
    expect(Object.isFrozen((value.edits as unknown[])[0])).toBe(true);
  });

  it("do not change what was asked for", async () => {
    const asked = Object.freeze({ path: "a", tags: '["x"]' });
    await accepted(schema, asked);
    expect(asked).toEqual({ path: "a", tags: '["x"]' });
  });

  it("take no boolean for an integer", async () => {
    expect(await faults(schema, { path: "a", start_line: true })).toEqual([
      {
        pointer: "/start_line",
        kind: "invalid",
        expected: expect.stringMatching(/integer|number/),
        received: "boolean true",
      },
    ]);
    expect(await faults(schema, { path: "a", start_line: 1.5 })).toMatchObject([
      { pointer: "/start_line", expected: "integer" },
    ]);
    expect(await faults(schema, { path: "a", start_line: "1" })).toMatchObject([{ received: 'string "1"' }]);
    expect(await faults(schema, { path: "a", start_line: 0 })).toMatchObject([
      { expected: expect.stringMatching(/a number .* 1$/) },
    ]);
  });

  it("name the nearest key of one that is not known, before what is missing", async () => {
    expect(await faults(schema, { pathh: "x" })).toEqual([
      {
        pointer: "/pathh",
        kind: "unknown",
        expected: expect.stringContaining('"path", "start_line"'),
        received: 'string "x"',
        nearest: "path",
      },
      { pointer: "/path", kind: "missing", expected: "string", received: "nothing" },
    ]);
    expect(await faults(schema, { path: "x", zzzzzz: 1 })).not.toHaveProperty("[0].nearest");
  });

  it("are refused unknown keys at every level", async () => {
    const value = {
      path: "a",
      edits: [{ old: "x" }, { old: "y", neww: "z" }],
      options: { deep: { flag: true, "odd/key~": 1 } },
      target: { kind: "line", number: 1, name: "x" },
    };
    expect((await faults(schema, value)).map(({ pointer, kind }) => `${kind} ${pointer}`)).toEqual([
      "unknown /edits/1/neww",
      "unknown /options/deep/odd~1key~0",
      "unknown /target/name",
    ]);
  });

  it("may have any key where the schema says so", async () => {
    expect(await accepted(schema, { path: "a", map: { anything: 1 } })).toMatchObject({ map: { anything: 1 } });
    expect(await faults(schema, { path: "a", map: { anything: "x" } })).toMatchObject([{ pointer: "/map/anything" }]);
  });

  it("say what alternatives expect", async () => {
    expect(await faults(schema, { path: "a", either: 5 })).toMatchObject([
      { pointer: "/either", expected: "string or array", received: "number 5" },
    ]);
    expect(await faults(schema, { path: "a", mode: "medium" })).toMatchObject([
      { pointer: "/mode", expected: 'one of "fast", "slow"' },
    ]);
    expect(await faults(schema, { path: "a", target: { kind: "line", number: "x" } })).toEqual(
      expect.arrayContaining([expect.objectContaining({ pointer: "/target/number", expected: "number" })]),
    );
  });

  it("parse a list or an object that came as text, to its last character only", async () => {
    expect(await accepted(schema, { path: "a", tags: ' ["x", "y"] ' })).toMatchObject({ tags: ["x", "y"] });
    expect(await accepted(schema, { path: "a", options: '{"deep": "{\\"flag\\": true}"}' })).toMatchObject({
      options: { deep: { flag: true } },
    });
    expect(await accepted(schema, { path: "a", edits: ['{"old": "x"}'] })).toMatchObject({
      edits: [{ old: "x", new: "" }],
    });
    for (const tags of ['["x"] and more', '["x"', '{"a": 1}', "x"]) {
      expect(await faults(schema, { path: "a", tags })).toMatchObject([{ pointer: "/tags", expected: "array" }]);
    }
  });

  it("leave text alone where text is welcome", async () => {
    for (const text of ["[x]: y", "[1]", '{"a": 1}']) {
      expect(await accepted(schema, { path: text, either: text })).toMatchObject({ path: text, either: text });
    }
  });

  it("are refused unknown keys of what came as text", async () => {
    expect(await faults(schema, { path: "a", options: '{"deep": {"flag": true, "x": 1}}' })).toMatchObject([
      { pointer: "/options/deep/x", kind: "unknown" },
    ]);
  });

  it("cannot touch prototypes", async () => {
    const hostile = JSON.parse('{"path": "a", "__proto__": {"polluted": 1}}') as unknown;
    expect(await faults(schema, hostile)).toMatchObject([{ pointer: "/__proto__", kind: "unknown" }]);
    expect(await faults(schema, { path: "a", constructor: 1, toString: 2 })).toHaveLength(2);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("never come through with a key that the schema does not name", async () => {
    const known = ["path", "start_line", "ratio", "mode", "tags", "edits", "options", "either", "target", "map"];
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.jsonValue(), async (key, value) => {
        fc.pre(!known.includes(key));
        const asked = Object.defineProperty({ path: "a" }, key, { value, enumerable: true });
        expect(await faults(schema, asked)).toMatchObject([{ kind: "unknown" }]);
      }),
      { numRuns: 50 },
    );
  });
});

describe("zod schemas of other kinds", () => {
  it("may be of another flavour", async () => {
    const schema = mini.object({ a: mini.string(), b: mini._default(mini.number(), 5) }) as unknown as SchemaSource;
    expect(await accepted(schema, { a: "x" })).toEqual({ a: "x", b: 5 });
    expect(await faults(schema, { a: 1, c: 2 })).toMatchObject([
      { pointer: "/c", kind: "unknown" },
      { pointer: "/a", expected: "string" },
    ]);
  });

  it("may ask asynchronously, once and again", async () => {
    const schema = z.object({ a: z.string().refine(async (text) => text === "yes", "expected yes") });
    const validator = await createValidator({ source: schema, json: toJsonSchema(schema), repair: true });
    expect(await validator({ a: "yes" })).toEqual({ value: { a: "yes" } });
    expect(await validator({ a: "no" })).toMatchObject({ faults: [{ pointer: "/a", expected: "expected yes" }] });
    expect(await validator({ a: "yes", b: 1 })).toMatchObject({ faults: [{ pointer: "/b", kind: "unknown" }] });
  });

  it("may change values as long as they stay JSON", async () => {
    expect(await accepted(z.object({ a: z.string().trim().toLowerCase() }), { a: " X " })).toEqual({ a: "x" });
    const dates = z.object({ at: z.string().transform((text) => new Date(text)) });
    await expect(check(dates, { at: "2020-01-01" })).rejects.toThrow(
      /makes an instance of Date at \/at, expected JSON/,
    );
  });

  it("that throw are the tool's fault", async () => {
    const schema = z.object({
      a: z.string().refine(() => {
        throw new Error("oops");
      }),
    });
    await expect(check(schema, { a: "x" })).rejects.toSatisfy(
      (error) => isToolError(error) && error.code === "EXECUTION_ERROR",
    );
  });

  it("may be recursive", async () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node).optional();
      },
    });
    expect(await accepted(node, { name: "a", children: [{ name: "b", children: "[]" }] })).toEqual({
      name: "a",
      children: [{ name: "b", children: [] }],
    });
    expect(await faults(node, { name: "a", children: [{ name: "b", chidren: [] }] })).toMatchObject([
      { pointer: "/children/0/chidren", nearest: "children" },
    ]);
  });

  it("say bounds and formats", async () => {
    const schema = z.object({
      s: z.string().min(2).max(3),
      n: z.number().max(5),
      l: z.array(z.any()).min(1),
      m: z.number().multipleOf(3),
      e: z.email(),
      r: z.string().regex(/^x/),
      p: z.string().startsWith("ab"),
      t: z.tuple([z.string(), z.number()]),
    });
    const value = { s: "abcd", n: 6, l: [], m: 4, e: "no", r: "y", p: "x", t: ["a", "b"] };
    expect((await faults(schema, value)).map(({ pointer, expected }) => `${pointer} ${expected}`)).toEqual([
      "/s a string of at most 3 characters",
      "/n a number of at most 5",
      "/l at least 1 items",
      "/m a multiple of 3",
      "/e a string in the format email",
      "/r a string that matches /^x/",
      expect.stringMatching(/^\/p .*ab/),
      "/t/1 number",
    ]);
  });
});

describe("plain JSON Schemas of other kinds", () => {
  it("may carry an $id, again and again", async () => {
    const schema = { $id: "https://example.org/x", type: "object", properties: { a: { type: "string" } } };
    for (let round = 0; round < 3; round++) expect(await accepted(schema, { a: "x" })).toEqual({ a: "x" });
  });

  it.each([
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ])("may be of the draft %s", async ($schema) => {
    const schema = { $schema, type: "object", properties: { a: { type: "integer" } }, required: ["a"], "x-own": true };
    expect(await accepted(schema, { a: 1 })).toEqual({ a: 1 });
    expect(await faults(schema, { a: "x" })).toMatchObject([{ pointer: "/a", expected: "integer" }]);
  });

  it("know tuples of both spellings", async () => {
    const items = [{ type: "string" }, { type: "object", properties: { a: {} } }];
    for (const list of [
      { type: "array", prefixItems: items },
      { type: "array", items },
    ]) {
      const schema = { type: "object", properties: { list } };
      expect(await accepted(schema, { list: ["x", { a: 1 }] })).toEqual({ list: ["x", { a: 1 }] });
      expect(await faults(schema, { list: ["x", { b: 1 }] })).toMatchObject([{ pointer: "/list/1/b" }]);
      expect(await faults(schema, { list: [1] })).toMatchObject([{ pointer: "/list/0", expected: "string" }]);
    }
  });

  it("take together what allOf and references say", async () => {
    const schema: JsonSchema = {
      type: "object",
      allOf: [{ $ref: "#/$defs/a" }, { properties: { b: { type: "number" } } }],
      $defs: { a: { properties: { a: { type: "string" } }, required: ["a"] } },
    };
    expect(await accepted(schema, { a: "x", b: 1 })).toEqual({ a: "x", b: 1 });
    expect(await faults(schema, { a: "x", c: 1 })).toMatchObject([{ pointer: "/c", nearest: expect.any(String) }]);
    expect(await faults(schema, {})).toMatchObject([{ pointer: "/a", kind: "missing", expected: "string" }]);
  });

  it("may name keys by pattern, or take all", async () => {
    const patterns = { type: "object", patternProperties: { "^x-": { type: "number" } } };
    expect(await accepted(patterns, { "x-a": 1 })).toEqual({ "x-a": 1 });
    expect(await faults(patterns, { "x-a": "1" })).toHaveLength(1);
    expect(await faults(patterns, { y: 1 })).toMatchObject([{ pointer: "/y", kind: "unknown" }]);
    for (const open of [
      { type: "object" },
      {},
      { type: "object", properties: { a: {} }, additionalProperties: true },
    ]) {
      expect(await accepted(open, { whatever: [1] })).toEqual({ whatever: [1] });
    }
    expect(await faults({ type: "object", properties: {} }, { a: 1 })).toMatchObject([
      { kind: "unknown", expected: "no key" },
    ]);
  });

  it("end even where they refer to themselves without end", async () => {
    const self = {
      anyOf: [{ $ref: "#" }, { $ref: "#" }],
      allOf: [{ $ref: "#/$defs/x" }],
      $defs: { x: { $ref: "#/$defs/x" } },
    };
    const validator = createValidator({ source: { properties: { a: {} } }, json: self, repair: true });
    expect(await (await validator)({ a: "[1]" })).toEqual({ value: { a: "[1]" } });
  });

  it("that cannot be compiled say so", async () => {
    await expect(check({ type: "object", properties: { a: { $ref: "#/nowhere" } } }, { a: 1 })).rejects.toThrow(
      /nowhere/,
    );
  });
});

describe("no schema", () => {
  it("accepts any object as it is", async () => {
    const validator = await createValidator({ source: undefined, json: null, repair: true });
    const value = { a: "[1]" };
    expect(await validator(value)).toEqual({ value });
  });
});

describe("the words of a refusal", () => {
  const schema = toJsonSchema(
    z.object({
      path: z.string(),
      edits: z.array(z.object({ old: z.string(), count: z.int().min(2) })),
      mode: z.enum(["a", "b"]).optional(),
    }),
  );

  it("say where, what was expected and received, the shape, and not to try the same again", () => {
    const error = refuseArguments(
      "edit",
      [
        { pointer: "/pathh", kind: "unknown", expected: '"path"', received: 'string "x"', nearest: "path" },
        { pointer: "/path", kind: "missing", expected: "string", received: "nothing" },
        { pointer: "", kind: "invalid", expected: "object", received: "array of 2" },
      ],
      schema,
    );
    expect(error.message).toBe(
      'the arguments of edit do not fit: /pathh is not known, did you mean "path"?; /path is missing: expected string; the arguments: expected object, received array of 2',
    );
    expect(error.details).toMatchObject({
      pointer: "/pathh",
      hint: 'The shape is {"path":"<string>","edits":[{"old":"<string>","count":2}]}. Mend the arguments; do not resend the identical call.',
    });
  });

  it("stay short however much is wrong", () => {
    const many = Array.from(
      { length: 50 },
      (_, index) => ({ pointer: `/k${index}`, kind: "unknown", expected: "no key", received: "null" }) as const,
    );
    const { message, details } = refuseArguments("t", many, null);
    expect(message).toMatch(/and 45 more$/);
    expect(details.data?.faults).toHaveLength(5);
    expect(message.length).toBeLessThan(400);
  });
});
