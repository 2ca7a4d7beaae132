import { describe, expect, test } from "vitest";
import { compileJsonSchema } from "../../core/dispatch/ajv-validator.ts";
import { type JsonSchema, toJsonSchema, z } from "../../core/sdk/schema.ts";
import { pathArguments } from "../../core/testing/paths.ts";
import { schemaFacts } from "../../core/testing/schema-facts.ts";
import { fittingArguments, wrongValues } from "../../core/testing/schema-values.ts";

const NODE: JsonSchema = {
  type: "object",
  properties: { next: { $ref: "#" }, name: { type: "string" } },
  required: ["name"],
};

describe("arguments that fit a schema", () => {
  test.each<[string, JsonSchema, unknown]>([
    ["what it asks for", toJsonSchema(z.object({ a: z.string(), b: z.number().optional() })), { a: "text" }],
    [
      "bounds",
      toJsonSchema(z.object({ a: z.string().min(6), b: z.int().min(3), c: z.array(z.boolean()).min(2) })),
      { a: "textxx", b: 3, c: [true, true] },
    ],
    [
      "formats",
      toJsonSchema(z.object({ mail: z.email(), link: z.url(), id: z.uuid(), at: z.iso.datetime() })),
      undefined,
    ],
    [
      "a choice, a constant, an alternative",
      toJsonSchema(z.object({ a: z.enum(["x", "y"]), b: z.literal(7), c: z.union([z.number(), z.string()]) })),
      { a: "x", b: 7, c: "text" },
    ],
    [
      "objects below",
      toJsonSchema(z.object({ a: z.object({ b: z.string(), c: z.string().optional() }) })),
      { a: { b: "text" } },
    ],
    [
      "an example of its own",
      { type: "object", properties: { a: { type: "string", examples: ["own"] } }, required: ["a"] },
      { a: "own" },
    ],
    ["a schema that leads back to itself", NODE, { name: "text" }],
  ])("%s", async (_, schema, expected) => {
    const [args] = fittingArguments(schema);
    expect((await compileJsonSchema(schema))(structuredClone(args))).toEqual([]);
    if (expected !== undefined) expect(args).toEqual(expected);
  });

  test("where nothing is asked for: nothing, then the first argument, then all", () => {
    const schema = toJsonSchema(z.object({ a: z.string().optional(), b: z.number().default(4) }));
    expect(fittingArguments(schema)).toEqual([{}, { a: "text" }, { a: "text", b: 4 }]);
    expect(fittingArguments(null)).toEqual([{}]);
  });
});

test("what is wrong for an argument is of every other type, and a broken number for a whole one", () => {
  const schema = toJsonSchema(z.object({ a: z.int(), b: z.union([z.string(), z.null()]), c: z.unknown() }));
  const [whole, union, anything] = schemaFacts(schema).arguments.map((argument) => wrongValues(argument, schema));
  expect(whole).toEqual([null, true, "toolroom", [{ toolroom: [] }], { toolroom: { toolroom: true } }, 12.5]);
  expect(union).toEqual([true, 12.5, [{ toolroom: [] }], { toolroom: { toolroom: true } }]);
  expect(anything).toEqual([]);
});

test("paths are known by their names or their format, or by the word of the author", () => {
  const text = z.string();
  const schema = z.object({
    ...{ path: text, file_path: text, cwd: text, output_dir: text, paths: z.array(text) },
    ...{ where: text.meta({ format: "path" }), profile: text, filepath_count: text, path_count: z.number() },
  });
  const facts = schemaFacts(toJsonSchema(schema));
  const names = (named?: readonly string[]) => pathArguments(facts, named).map(({ name }) => name);
  expect(names()).toEqual(["path", "file_path", "cwd", "output_dir", "paths", "where"]);
  expect(names(["profile"])).toEqual(["profile"]);
  expect(names([])).toEqual([]);
});
