import { expect, test } from "vitest";
import { z } from "zod";
import { exampleArguments, generatedFragment } from "../../core/prompt/generated.ts";
import { toJsonSchema } from "../../core/sdk/schema.ts";
import { tool } from "./house.ts";

test("shows name, description, a table of the arguments and the form of a call", () => {
  const parameters = toJsonSchema(
    z.object({
      path: z.string().describe("file,\nrelative | to the workspace"),
      lines: z.int().min(1).max(500).default(20).describe("how many"),
      mode: z.enum(["fast", "exact"]),
      tags: z.array(z.string()).optional(),
      options: z.object({ deep: z.boolean() }).optional(),
      edits: z.array(z.object({ from: z.number() })),
      either: z.union([z.string(), z.null()]),
    }),
  );
  expect(generatedFragment(tool("edit", { description: " Edits a file.\n", parameters }))).toBe(
    [
      "## edit",
      "",
      "Edits a file.",
      "",
      "| argument | type | required | meaning |",
      "|---|---|---|---|",
      "| `path` | string | yes | file, relative \\| to the workspace |",
      "| `lines` | integer 1 to 500 | no | how many (default 20) |",
      '| `mode` | "fast" or "exact" | yes |  |',
      "| `tags` | array of string | no |  |",
      "| `options` | object | no |  |",
      "| `options.deep` | boolean | yes |  |",
      "| `edits` | array of object | yes |  |",
      "| `edits[].from` | number | yes |  |",
      "| `either` | string or null | yes |  |",
      "",
      "```json",
      '{"thoughts":["…"],"headline":"…","tool_name":"edit","tool_args":{"path":"<path>","mode":"fast","edits":[{"from":1}],"either":"<either>"}}',
      "```",
    ].join("\n"),
  );
});

test("a tool that takes anything, one that takes nothing, one without a description", () => {
  expect(generatedFragment(tool("a"))).toContain("Arguments: any object.");
  const none = generatedFragment(tool("a", { description: "", parameters: { type: "object", properties: {} } }));
  expect(none).toContain("It takes no arguments.");
  expect(none).toContain("No description is given.");
});

test("an action of a method-style tool, references, unions at the top, recursion", () => {
  const parameters = {
    type: "object",
    required: ["action", "node"],
    properties: { action: { enum: ["list", "load"] }, node: { $ref: "#/$defs/node" } },
    $defs: {
      node: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } },
      },
    },
  };
  const text = generatedFragment(tool("tree", { parameters }));
  expect(text).toContain('| `action` | "list" or "load" | yes |');
  expect(text).toContain("| `node.next.name` | string | yes |");
  expect(exampleArguments(parameters)).toEqual({ action: "list", node: { name: "<name>" } });
  const union = { anyOf: [{ type: "object", properties: { a: { const: 1 } }, required: ["a"] }, { type: "object" }] };
  expect(exampleArguments(union)).toEqual({ a: 1 });
  expect(generatedFragment(tool("u", { parameters: union }))).toContain("| `a` | 1 | no |");
  const endless = { type: "object", required: ["x"], properties: { x: { $ref: "#" } } };
  expect(generatedFragment(tool("endless", { parameters: endless })).length).toBeLessThan(1_000);
});

test.each([
  [{ $ref: "#" }],
  [{ $ref: "http://example.com/x" }],
  [{ $ref: "#/$defs/none" }],
  [{ type: "object", properties: { a: true, b: [], c: null }, required: "a" }],
  [{ type: ["object", "null"], properties: { a: { type: [] } }, required: ["a", "b", 3] }],
  [{ anyOf: "x", enum: [] }],
])("odd schemas give a text all the same: %j", (parameters) => {
  expect(generatedFragment(tool("odd", { parameters }))).toMatch(/^## odd\n/);
});

test("a description with a fence in it does not close the example", () => {
  const parameters = { type: "object", properties: { a: { const: "```" } }, required: ["a"] };
  expect(generatedFragment(tool("f", { parameters }))).toMatch(/````json\n.*```.*\n````$/s);
});
