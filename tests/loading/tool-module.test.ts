import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Tool } from "../../core/index.ts";
import { loadExtension } from "../../core/loading/extension-module.ts";
import { endsInTransform } from "../../core/loading/schema-transforms.ts";
import { loadTool } from "../../core/loading/tool-module.ts";
import { changed, workbench } from "./workbench.ts";

/** Loads one tool file; `files` may hold more, the last is the tool. */
async function tool(files: string | Record<string, string>, id = "word_count") {
  const { write, loader } = workbench();
  const file = write(typeof files === "string" ? { [`tools/${id}.ts`]: files } : files);
  return loadTool(loader(), { id, file });
}

async function contract(body: string, before = "") {
  const outcome = await tool(
    `import { Tool, z } from "toolroom"; ${before} export default class A extends Tool { ${body} execute() { return this.success(""); } }`,
  );
  if ("diagnostic" in outcome) throw new Error(JSON.stringify(outcome.diagnostic));
  return outcome.tool.contract;
}

async function fault(body: string, before = "") {
  const outcome = await tool(
    `import { Tool, z } from "toolroom"; ${before}\nexport default class A extends Tool {\n  ${body}\n  execute() { return this.success(""); }\n}`,
  );
  if ("tool" in outcome) throw new Error("it loaded");
  return outcome.diagnostic;
}

describe("what a tool says of itself", () => {
  test("nothing: any arguments, medium risk, serial", async () => {
    expect(await contract("")).toEqual({
      parameters: null,
      risk: "medium",
      sends: [],
      parallel: "serial",
      untrusted: false,
    });
  });

  test("everything", async () => {
    expect(
      await contract(
        `static readonly parameters = parameters; static readonly description = "Counts."; static readonly risk = "low"; static readonly sends = ["url"];
         static readonly output = z.object({ lines: z.number() }); static readonly parallel = "safe"; static readonly untrusted = true; static readonly timeoutMs = 500; static readonly role = "answer";`,
        `const parameters = z.object({ url: z.string().describe("where"), limit: z.number().int().default(3) });`,
      ),
    ).toEqual({
      parameters: {
        type: "object",
        properties: { url: { type: "string", description: "where" }, limit: { type: "integer", default: 3 } },
        required: ["url"],
        additionalProperties: false,
      },
      description: "Counts.",
      risk: "low",
      sends: ["url"],
      output: expect.objectContaining({ type: "object" }),
      parallel: "safe",
      untrusted: true,
      timeoutMs: 500,
      role: "answer",
    });
  });

  test("a plain JSON Schema, kept as it is and frozen", async () => {
    const { parameters } = await contract(
      `static readonly parameters = { type: "object", properties: { n: { type: "integer" } } };`,
    );
    expect(parameters).toEqual({ type: "object", properties: { n: { type: "integer" } } });
    expect(Object.isFrozen((parameters as { properties: object }).properties)).toBe(true);
  });

  test("risk as a function, members by getters and from a base of the author's", async () => {
    const found = await contract(
      `static override get parameters() { return z.object({ n: z.number() }); } static readonly risk = () => ({ level: "low" as const, reasons: [] });`,
    );
    expect(found).toMatchObject({ risk: "dynamic", parameters: { type: "object" } });
    const inherited = await tool({
      "tools/lib/base.ts": `import { Tool } from "toolroom"; export abstract class Base extends Tool { static readonly description = "Inherited."; execute() { return this.success(""); } }`,
      "tools/word_count.ts": `import { Base } from "./lib/base.ts"; export default class extends Base { static readonly risk = "high"; }`,
    });
    expect(inherited).toMatchObject({
      tool: { id: "word_count", contract: { description: "Inherited.", risk: "high" } },
    });
  });

  test("unions of objects, recursive schemas", async () => {
    const found = await contract(
      "static readonly parameters = parameters;",
      `const node: z.ZodType = z.lazy(() => z.object({ child: node.optional() }));
       const parameters = z.discriminatedUnion("action", [z.object({ action: z.literal("a"), node }), z.object({ action: z.literal("b") })]);`,
    );
    expect(JSON.stringify(found.parameters)).toContain("$ref");
  });

  test("the class is the one that the host knows, loaded again only after a change", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "a.ts": `import { Tool } from "toolroom"; export default class A extends Tool { execute() { return this.success("1"); } }`,
    });
    const loader = open();
    const [one, two] = [await loadTool(loader, { id: "a", file }), await loadTool(loader, { id: "a", file })];
    if (!("tool" in one)) throw new Error(one.diagnostic.message);
    expect(two).toBe(one);
    expect(new one.tool.cls()).toBeInstanceOf(Tool);
    expect(await loadTool(changed(loader, [file]).loader, { id: "a", file })).not.toBe(one);
  });
});

describe("tools of other makes", () => {
  test("a bundle with its own copy of the SDK and of zod", async () => {
    const outcome = await tool({
      "dist/word_count.mjs": `
        class OwnTool { static [Symbol.for("toolroom.Tool")] = true; success(m) { return m; } }
        export default class Bundled extends OwnTool { static parameters = { type: "object" }; execute() { return this.success("ok"); } }`,
    });
    expect(outcome).toMatchObject({ tool: { contract: { parameters: { type: "object" } } } });
  });

  test("CommonJS: module.exports, and exports.default", async () => {
    for (const ending of ["module.exports = A;", "exports.default = A;"]) {
      const outcome = await tool({
        "tools/word_count.cjs": `const { Tool, z } = require("toolroom"); class A extends Tool { static parameters = z.object({ n: z.number() }); execute() {} } ${ending}`,
      });
      expect(outcome).toMatchObject({ tool: { contract: { parameters: { required: ["n"] } } } });
    }
  });

  test("execute as a field of the class", async () => {
    const outcome = await tool(
      `import { Tool } from "toolroom"; export default class A extends Tool { execute = async () => this.success(""); }`,
    );
    expect(outcome).toHaveProperty("tool");
  });
});

describe("a default export that is no tool", () => {
  const rows: [name: string, source: string, code: string, message: string, hint: string][] = [
    [
      "an empty file",
      "",
      "LOAD_NO_DEFAULT",
      "expected a default export, found no exports at all",
      "Add: export default class WordCount extends Tool {",
    ],
    [
      "named exports only",
      "export const b = 1; export const a = 2;",
      "LOAD_NO_DEFAULT",
      "found only the named exports a, b",
      "export default class WordCount",
    ],
    [
      "the class as a named export",
      `import { Tool } from "toolroom"; export class Counter extends Tool { execute() {} }`,
      "LOAD_NO_DEFAULT",
      "named exports Counter",
      "Write: export default class Counter extends Tool { … }",
    ],
    ["null", "export default null", "LOAD_NOT_A_TOOL", "found null", "Write: export default class WordCount"],
    ["undefined", "export default undefined", "LOAD_NOT_A_TOOL", "found undefined", "Write:"],
    ["a number", "export default 1", "LOAD_NOT_A_TOOL", "found a number", "Write:"],
    [
      "an object",
      "export default { name: 'x', execute() {} }",
      "LOAD_NOT_A_TOOL",
      "found an object with the keys name, execute",
      "Write:",
    ],
    ["a function", "export default function run() {}", "LOAD_NOT_A_TOOL", "found the function run", "Write:"],
    ["a promise", "export default Promise.resolve(1)", "LOAD_NOT_A_TOOL", "found a promise", "Write:"],
    [
      "another class",
      "export default class Foo { execute() {} }",
      "LOAD_NOT_A_TOOL",
      "found the class Foo, which does not extend Tool",
      "export default class Foo extends Tool",
    ],
    [
      "an instance",
      `import { Tool } from "toolroom"; class A extends Tool { execute() {} } export default new A();`,
      "LOAD_NOT_A_TOOL",
      "found an instance of A",
      "Export the class itself",
    ],
    [
      "an extension",
      `import { Extension } from "toolroom"; export default class E extends Extension<"hist_add_before"> { execute() {} }`,
      "LOAD_NOT_A_TOOL",
      "found the class E",
      "extends Tool",
    ],
    [
      "a class without execute",
      `import { Tool } from "toolroom"; export default class A extends Tool {}`,
      "LOAD_NO_EXECUTE",
      "expected the class A to have a method execute",
      "Add: async execute(",
    ],
    [
      "a misspelt execute",
      `import { Tool } from "toolroom"; export default class A extends Tool { excute() {} }`,
      "LOAD_NO_EXECUTE",
      "found none",
      "Add:",
    ],
    ["Tool itself", `export { Tool as default } from "toolroom";`, "LOAD_NO_EXECUTE", "found none", "Add:"],
  ];
  test.each(rows)("%s", async (_, source, code, message, hint) => {
    const outcome = await tool(source);
    if ("tool" in outcome) throw new Error("it loaded");
    expect(outcome.diagnostic).toMatchObject({ severity: "error", code, file: "tools/word_count.ts" });
    expect(outcome.diagnostic.message).toContain(message);
    expect(outcome.diagnostic.hint).toContain(hint);
  });

  test("the line is told", async () => {
    const outcome = await tool("const a = 1;\n\n  export default a;");
    expect(outcome).toMatchObject({ diagnostic: { line: 3, column: 3 } });
  });
});

describe("static members that are not what the contract asks", () => {
  const rows: [body: string, message: string][] = [
    [
      'static readonly risk: any = "LOW";',
      'static risk: expected "low", "medium", "high" or a function of the arguments, found "LOW"',
    ],
    ["static readonly risk: any = 3;", "found 3"],
    ["static readonly description: any = 1;", "static description: expected a string, found 1"],
    ['static readonly sends: any = "url";', 'static sends: expected an array of argument names, found "url"'],
    [
      'static readonly sends = ["uri"]; static readonly parameters = z.object({ url: z.string() });',
      'static sends: names "uri", which is no parameter',
    ],
    ["static readonly parallel: any = true;", 'static parallel: expected "safe" or "serial", found true'],
    ['static readonly untrusted: any = "yes";', "static untrusted: expected true or false"],
    ["static readonly timeoutMs = 0;", "static timeoutMs: expected a number of milliseconds above 0, found 0"],
    ["static readonly timeoutMs = Number.NaN;", "found NaN"],
    ["static readonly timeoutMs = 1e12;", "found 1000000000000"],
    ['static readonly role: any = "boss";', 'static role: expected "answer" or "fallback"'],
    ["static get risk(): any { throw new Error('no'); }", "static risk: its getter threw no"],
  ];
  test.each(rows)("%s", async (body, message) => {
    const found = await fault(body);
    expect(found).toMatchObject({ code: "LOAD_BAD_STATIC", file: "tools/word_count.ts", line: 3 });
    expect(found.message).toContain(message);
    expect(found.hint).toMatch(/^(?:Write: static|Parameters: )/);
  });
});

describe("schemas without a JSON form", () => {
  const rows: [body: string, message: string][] = [
    ["static readonly parameters = z.object({ when: z.date() });", "Date cannot be represented in JSON Schema"],
    ["static readonly parameters = z.object({ n: z.string().transform(Number) });", "it ends in a transform"],
    ["static readonly parameters = z.object({ n: z.bigint() });", "BigInt"],
    ["static get parameters(): any { throw new Error('later'); }", "its getter threw later"],
    ["static readonly parameters = z.string() as any;", 'expected the schema of an object, found "string"'],
    ["static readonly parameters = z.any() as any;", 'expected the schema of an object, found "any value"'],
    ["static readonly parameters = z.array(z.string()) as any;", 'found "array"'],
    ['static readonly parameters: any = { type: "string" };', 'found "string"'],
    ["static readonly parameters: any = null;", "expected a zod object or a JSON Schema object, found null"],
    ["static readonly parameters: any = [];", "found an array"],
    ['static readonly parameters: any = "object";', 'found "object"'],
    [
      "static readonly parameters: any = { type: 'object', pattern: /x/ };",
      "expected JSON, found an instance of RegExp at /pattern",
    ],
    ["static readonly parameters: any = { safeParse() {}, _def: {} };", "older zod"],
    ["static readonly output = z.object({ at: z.date() });", "static output: has no JSON Schema form"],
  ];
  test.each(rows)("%s", async (body, message) => {
    const found = await fault(body);
    expect(found).toMatchObject({ code: "LOAD_BAD_SCHEMA", file: "tools/word_count.ts", line: 3 });
    expect(found.message).toContain(message);
    expect(found.hint).toContain("z.object(");
  });

  test.each([
    [true, z.object({ list: z.array(z.record(z.string(), z.string().transform(Number).optional())) })],
    [true, z.union([z.object({ a: z.string() }), z.object({ b: z.lazy(() => z.string().transform(Number)) })])],
    [
      false,
      z.object({ a: z.preprocess(Number, z.number()), b: z.stringbool(), c: z.coerce.number(), d: z.string().trim() }),
    ],
    [false, { type: "object" }],
  ])("a transform at the end: %s", (expected, schema) => {
    expect(endsInTransform(schema)).toBe(expected);
  });
});

test("a module that does not load at all", async () => {
  expect(await tool("export default {")).toMatchObject({ diagnostic: { code: "LOAD_SYNTAX" } });
});

describe("extensions", () => {
  const extension = async (source: string) => {
    const { write, loader } = workbench();
    const file = write({ "extensions/tool_execute_before/_10_guard.ts": source });
    return loadExtension(loader(), { id: "tool_execute_before/_10_guard", file });
  };

  test("a class that extends Extension", async () => {
    const outcome = await extension(
      `import { Extension } from "toolroom"; export default class extends Extension<"tool_execute_before"> { async execute(payload) { payload.deny = "no"; } }`,
    );
    if (!("cls" in outcome)) throw new Error(outcome.diagnostic.message);
    const payload: { deny?: string } = {};
    await new outcome.cls().execute(payload as never, undefined as never);
    expect(payload.deny).toBe("no");
  });

  test.each([
    ["export default 1", "LOAD_NOT_AN_EXTENSION"],
    [`import { Tool } from "toolroom"; export default class A extends Tool { execute() {} }`, "LOAD_NOT_AN_EXTENSION"],
    ["export const a = 1", "LOAD_NO_DEFAULT"],
    [
      `import { Extension } from "toolroom"; export default class extends Extension<"hist_add_before"> {}`,
      "LOAD_NO_EXECUTE",
    ],
    ["export default {", "LOAD_SYNTAX"],
  ])("%s", async (source, code) => {
    const outcome = await extension(source);
    expect(outcome).toMatchObject({ diagnostic: { code, file: "extensions/tool_execute_before/_10_guard.ts" } });
    if (code !== "LOAD_SYNTAX")
      expect(outcome).toHaveProperty("diagnostic.hint", expect.stringMatching(/Extension|execute/));
  });
});
