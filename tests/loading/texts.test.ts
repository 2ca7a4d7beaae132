import { SourceMap } from "node:module";
import { describe, expect, test } from "vitest";
import { parseJsonModule } from "../../core/loading/json-module.ts";
import { describeThrown } from "../../core/loading/load-error.ts";
import { moduleKind } from "../../core/loading/module-kind.ts";
import { positionAt, positionAtByte, positionOfImport } from "../../core/loading/positions.ts";
import { originalPosition } from "../../core/loading/source-maps.ts";
import { stackLines, syntaxErrorPosition } from "../../core/loading/stack-frames.ts";
import { typeReexports } from "../../core/loading/type-reexports.ts";
import { workbench } from "./workbench.ts";

describe("positions", () => {
  test("of offsets, in UTF-16 units and in bytes", () => {
    const text = "é日😀\nsecond";
    expect([0, 3, 5, 6].map((offset) => positionAt(text, offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 4 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
    ]);
    expect(positionAtByte(text, 9)).toEqual({ line: 1, column: 5 });
    expect(positionAtByte(text, 10)).toEqual({ line: 2, column: 1 });
  });

  test("of imports, in every form; a string that is no import does not count", () => {
    const text = `const a = "./x.ts";\nimport {\n  one,\n  oneTwo,\n} from "./x.ts";\nexport * from './y.ts';\nawait import("./z.ts");\nrequire('w');`;
    expect(positionOfImport(text, "./x.ts")).toEqual({ line: 5, column: 8 });
    expect(positionOfImport(text, "./x.ts", "oneTwo")).toEqual({ line: 4, column: 3 });
    expect(positionOfImport(text, "./x.ts", "one")).toEqual({ line: 3, column: 3 });
    expect(positionOfImport(text, "./y.ts")).toEqual({ line: 6, column: 15 });
    expect(positionOfImport(text, "./z.ts")).toEqual({ line: 7, column: 14 });
    expect(positionOfImport(text, "w")).toEqual({ line: 8, column: 9 });
    expect(positionOfImport(text, "./gone.ts")).toBeUndefined();
  });

  test("through source maps, one after the other", () => {
    const shift = ";AAAA"; // line 2 column 1 → line 1 column 1
    expect(
      new SourceMap({ version: 3, sources: ["x"], names: [], mappings: shift } as never).findEntry(1, 0),
    ).toMatchObject({ originalLine: 0 });
    expect(originalPosition([shift], { line: 2, column: 1 })).toEqual({ line: 1, column: 1 });
    expect(originalPosition([";;AACA", shift], { line: 3, column: 5 })).toEqual({ line: 1, column: 1 });
    expect(originalPosition([shift], { line: 9, column: 1 })).toBeUndefined();
  });
});

describe("stacks", () => {
  test("frames of every form", () => {
    const stack = [
      "Error: (at x) /not/a/frame.ts:1:2",
      "    at /root/a.ts:1:2",
      "    at async Promise.all (index 0)",
      "    at Foo.run [as go] (/root/with (round) space/a.ts:3:4)",
      "    at async file:///root/b%20c.mjs:5:6",
      "    at new __vite_ssr_export_default__ (file:///root/a.ts:7:8)",
      "    at node:internal/process/task_queues:95:5",
    ].join("\n");
    expect(
      stackLines(stack).map(({ place }) => place && [place.file, place.position.line, place.position.column]),
    ).toEqual([
      ["/root/a.ts", 1, 2],
      undefined,
      ["/root/with (round) space/a.ts", 3, 4],
      ["/root/b c.mjs", 5, 6],
      ["/root/a.ts", 7, 8],
      undefined,
    ]);
    expect(stackLines(stack).map((line) => line.with("a.ts", { line: 1, column: 1 }))).toEqual([
      "    at a.ts:1:1",
      "    at async Promise.all (index 0)",
      "    at Foo.run [as go] (a.ts:1:1)",
      "    at a.ts:1:1",
      "    at new default (a.ts:1:1)",
      "    at node:internal/process/task_queues:95:5",
    ]);
    expect(stackLines(stack)[2]?.with("a.ts", undefined)).toBe("    at Foo.run [as go] (a.ts)");
  });

  test("the place of a syntax error", () => {
    expect(syntaxErrorPosition("/x/a.cjs:3\n  foo bar\n      ^^^\n\nSyntaxError: no", "/x/a.cjs")).toEqual({
      line: 3,
      column: 7,
    });
    expect(syntaxErrorPosition("SyntaxError: no\n    at x", "/x/a.cjs")).toBeUndefined();
  });

  test("thrown values in one line", () => {
    class Odd extends Error {
      override name = "Odd";
    }
    const values = [
      new Odd("why\nmore"),
      new Error(""),
      "text",
      1,
      null,
      undefined,
      Symbol("s"),
      {},
      { message: "like" },
    ];
    expect(values.map(describeThrown)).toEqual([
      "Odd: why",
      "Error",
      '"text"',
      "1",
      "null",
      "undefined",
      "Symbol(s)",
      "an object that is not an Error",
      "Error: like",
    ]);
  });
});

describe("JSON", () => {
  test.each([
    ['{"a": }', 1, 7],
    ['{\n  "a": 1,\n}', 3, 1],
    ["[1, 2", 1, 6],
    ["[1,, 2]", 1, 4],
    ["{a: 1}", 1, 2],
    ["{'a': 1}", 1, 2],
    ['{"a": 1} x', 1, 10],
    ["// c\n1", 1, 1],
    ['{"a": 01}', 1, 7],
    ['{"a": [{"b": true], "c": 1}', 1, 18],
    ['{"a" 1}', 1, 6],
    ["", 1, 1],
    ['"a\nb"', 1, 1],
  ])("%j is at fault at %i:%i", (text, line, column) => {
    expect(parseJsonModule(text)).toMatchObject({ fault: { line, column } });
  });

  test("what is valid", () => {
    expect(parseJsonModule('\n{"a": [1.5e3, true, null, "\\u00e9"]}')).toEqual({
      value: { a: [1500, true, null, "é"] },
    });
  });
});

test("kinds of modules", () => {
  const { write, path: at } = workbench();
  write({
    "esm/package.json": '{"type": "module"}',
    "cjs/package.json": "{}",
    "bad/package.json": "{",
    "esm/deep/x.js": "",
  });
  const kind = (name: string, source = "") => moduleKind(at(name), () => source);
  expect(
    ["a.ts", "a.mts", "a.cts", "a.tsx", "a.mjs", "a.cjs", "a.json", "a.wasm", "a.node", "a"].map((name) => kind(name)),
  ).toEqual(["module", "module", "module", "module", "module", "commonjs", "json", "native", "native", "native"]);
  expect([kind("esm/a.js"), kind("esm/deep/x.js"), kind("cjs/a.js"), kind("bad/a.js")]).toEqual([
    "module",
    "module",
    "commonjs",
    "commonjs",
  ]);
  const modules = [
    "import x from 'y'",
    "import 'y'",
    "import{x}from'y'",
    "export default 1",
    "export const a = 1",
    "export * from 'x'",
    "\n  export {a}",
    "f(import.meta.url)",
  ];
  expect(modules.map((source) => kind("cjs/a.js", source))).toEqual(modules.map(() => "module"));
  const scripts = ["exports.x = 1", "const exported = 1", "import('x')", "// it exports", "importScripts()"];
  expect(scripts.map((source) => kind("cjs/a.js", source))).toEqual(scripts.map(() => "commonjs"));
});

test("type re-exports are told from values by the transformed text", () => {
  const getter = (name: string, value: string) =>
    `Object.defineProperty(__vite_ssr_exports__, "${name}", {\n\tenumerable: true,\n\tconfigurable: true,\n\tget() {\n\t\treturn ${value};\n\t}\n});\n`;
  const head = `const __vite_ssr_import_0__ = await __vite_ssr_import__("./x.ts", { importedNames: ["Row", "Rows"] });\n`;
  const passed = getter("Line", "__vite_ssr_import_0__.Row") + getter("Row", "__vite_ssr_import_0__.Row") + head;
  expect(typeReexports(passed, "./x.ts", "Row")).toEqual(["Line", "Row"]);
  expect(typeReexports(`${passed}new __vite_ssr_import_0__.Rows();`, "./x.ts", "Row")).toEqual(["Line", "Row"]);
  expect(typeReexports(`${passed}new __vite_ssr_import_0__.Row();`, "./x.ts", "Row")).toEqual([]);
  expect(typeReexports(passed, "./y.ts", "Row")).toEqual([]);
  expect(typeReexports("", "./x.ts", "Row")).toEqual([]);
});
