import { expect, test } from "vitest";
import { checkSchema } from "../../core/dox/schemas.ts";
import type { JsonSchema } from "../../core/sdk/schema.ts";

const check = (schema: JsonSchema, id = "tidy") => checkSchema({ id, file: "usr/tools/tidy.ts", schema });

test("a schema that everybody takes is not spoken of, nor what says the same in other words", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      path: { type: "string", minLength: 1 },
      depth: { type: ["integer", "null"], default: 3, minimum: 0 },
    },
    required: ["path"],
    additionalProperties: false,
  };
  expect(check(schema)).toEqual([]);
  expect(check({})).toEqual([]);
});

test("a rewrite is told once, with its place, its rule and the profiles", () => {
  const properties = { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false } };
  expect(check({ type: "object", properties })).toEqual([
    {
      code: "SCHEMA_REWRITTEN",
      severity: "info",
      file: "usr/tools/tidy.ts",
      message:
        "the parameters of tidy are rewritten for google, generic: /properties/pair: each item may be what any place of the tuple may be (tuple)",
    },
  ]);
});

test("what some refuse is a warning that names them", () => {
  const found = check({ type: "object", properties: { $top: { type: "integer" } }, required: ["$top"] });
  expect(found).toMatchObject([{ code: "SCHEMA_REFUSED", severity: "warning" }]);
  expect(found[0]?.message).toContain("cannot be sent to anthropic, generic,");
  expect(found[0]?.message).toContain("/properties/$top $top is required and has a name that is refused");
});

test("what all refuse is an error", () => {
  const found = check({ type: "object", properties: { n: { type: "int" } } });
  expect(found).toMatchObject([{ code: "SCHEMA_REFUSED", severity: "error" }]);
  expect(found[0]?.message).toContain("openai, anthropic, google, generic");
});

test("an id that is no name for providers is told with the name that they get", () => {
  const found = check({ type: "object" }, "server__a tool");
  expect(found).toMatchObject([{ code: "TOOL_PUBLISHED_NAME", severity: "info", file: "usr/tools/tidy.ts" }]);
  expect(found[0]?.message).toMatch(/server__a tool as server__a_tool_[0-9a-f]{8}:/);
  expect(check({ type: "object" }, "n".repeat(64))).toEqual([]);
});
