import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../core/diagnostics.ts";
import { unreadable } from "../../core/loading/load-faults.ts";
import { failure, load, workbench } from "./workbench.ts";

/** One broken module each: the files (the last is loaded) and what its diagnostic must hold. */
const CASES: Record<string, { files: Record<string, string>; expected: Record<string, unknown>; hint?: string }> = {
  "a syntax error": {
    files: { "a.ts": "interface A { n: number }\n\nexport default {\n" },
    expected: { code: "LOAD_SYNTAX", file: "a.ts", line: 4, column: 1 },
  },
  "a syntax error after characters of more than one byte": {
    files: { "a.ts": 'const é = "日本😀"; const 日 = ;' },
    expected: { code: "LOAD_SYNTAX", line: 1, column: 29 },
  },
  "a syntax error in an import": {
    files: {
      "lib/bad.ts": "export const a = 1;\nexport const = 2;",
      "mid.ts": `export * from "./lib/bad.ts";`,
      "a.ts": `import { a } from "./mid.ts"; a;`,
    },
    expected: { code: "LOAD_SYNTAX", file: "lib/bad.ts", line: 2, column: 14 },
    hint: "It is imported by mid.ts, which is imported by a.ts.",
  },
  "a syntax error in JavaScript": {
    files: { "a.mjs": "export default 1;\nconst x: number = 1;" },
    expected: { code: "LOAD_SYNTAX", file: "a.mjs", line: 2 },
  },
  "a syntax error in CommonJS": {
    files: { "a.cjs": "const a = 1;\nmodule.exports = {;" },
    expected: { code: "LOAD_SYNTAX", file: "a.cjs", line: 2, column: 19 },
  },
  "an ES module named .cjs": {
    files: { "a.cjs": "export default 1;" },
    expected: { code: "LOAD_SYNTAX", file: "a.cjs", line: 1 },
  },
  "a syntax error in JSON": {
    files: { "d.json": '{\n  "a": 1,\n}', "a.ts": `import d from "./d.json"; export default d;` },
    expected: { code: "LOAD_SYNTAX", file: "d.json", line: 3, column: 1 },
    hint: "imported by a.ts",
  },
  "what only the second step refuses": {
    files: { "a.ts": "type T = 1;\n\nexport const a: T = 1;\nexport { nope };" },
    expected: { code: "LOAD_SYNTAX", line: 4, column: 10 },
  },
  "two defaults": {
    files: { "a.ts": "export default 1;\nexport default 2;" },
    expected: { code: "LOAD_SYNTAX", line: 2 },
  },
  "what only V8 refuses": {
    files: { "a.mjs": "export const a = 1;\nexport const b = /a/vu;" },
    expected: { code: "LOAD_SYNTAX", file: "a.mjs", line: 2 },
  },
  "decorators in JavaScript": {
    files: { "a.mjs": "const d = () => {};\n@d class A {}\nexport default A;" },
    expected: { code: "LOAD_SYNTAX", file: "a.mjs", line: 2 },
    hint: ".ts",
  },
  "a required module with a top-level await": {
    files: { "m.mjs": "export const n = await 1;", "a.cjs": `require("./m.mjs");` },
    expected: { code: "LOAD_SYNTAX", file: "m.mjs" },
    hint: "import it",
  },
  "a thrown thing that throws at every look": {
    files: { "a.ts": `throw new Proxy(new Error("x"), { get() { throw 1; }, getPrototypeOf() { throw 2; } });` },
    expected: { code: "LOAD_THREW", file: "a.ts", message: "the top level threw: an object that is not an Error" },
  },
  "a missing file": {
    files: { "a.ts": `type T = 1;\nimport { x } from "./gone.ts";\nexport default x;` },
    expected: {
      code: "LOAD_UNRESOLVED",
      file: "a.ts",
      line: 2,
      column: 19,
      message: `imports "./gone.ts", which was not found`,
    },
  },
  "a path of tsconfig": {
    files: { "a.ts": `import x from "@/lib/x"; export default x;` },
    expected: { code: "LOAD_UNRESOLVED" },
    hint: `"imports"`,
  },
  "a path of tsconfig with a tilde": {
    files: { "a.ts": `import x from "~/lib/x"; export default x;` },
    expected: { code: "LOAD_UNRESOLVED" },
    hint: `import "#lib/x"`,
  },
  "a subpath of the SDK": {
    files: { "a.ts": `import { x } from "toolroom/testing"; export default x;` },
    expected: { code: "LOAD_UNRESOLVED" },
    hint: `from "toolroom"`,
  },
  "a package that is not installed": {
    files: { "a.ts": `import x from "@scope/left-pad/deep"; export default x;` },
    expected: { code: "LOAD_UNRESOLVED" },
    hint: "npm install @scope/left-pad in",
  },
  "a package that lacks one of its own": {
    files: { "node_modules/p/index.js": `require("not-there");`, "a.ts": `import p from "p"; export default p;` },
    expected: { code: "LOAD_UNRESOLVED", file: "a.ts", message: expect.stringContaining("not-there") },
  },
  "a URL of the network": {
    files: { "a.ts": `import x from "https://example.com/x.js"; export default x;` },
    expected: { code: "LOAD_UNRESOLVED" },
    hint: "network",
  },
  "an unknown builtin": {
    files: { "a.ts": `import x from "node:nothing"; export default x;` },
    expected: { code: "LOAD_UNRESOLVED" },
  },
  "a missing require": {
    files: { "a.cjs": `const a = 1;\nrequire("./gone.js");` },
    expected: { code: "LOAD_UNRESOLVED", file: "a.cjs", line: 2, column: 9 },
  },
  "a name that a content module does not export": {
    files: {
      "lib.ts": "export const one = 1; export const two = 2;",
      "a.ts": `import { one } from "./lib.ts";\nimport { three } from "./lib.ts";\nexport default one + three;`,
    },
    expected: {
      code: "LOAD_NO_EXPORT",
      file: "a.ts",
      line: 2,
      column: 10,
      message: `imports "three" from "./lib.ts", which exports one, two`,
    },
  },
  "a name with other capitals": {
    files: {
      "lib.ts": "export const readAll = 1;",
      "a.ts": `import { readall } from "./lib.ts"; export default readall;`,
    },
    expected: { code: "LOAD_NO_EXPORT" },
    hint: "Did you mean readAll?",
  },
  "a default that is not there": {
    files: { "lib.ts": "export const one = 1;", "a.ts": `import lib from "./lib.ts"; export default lib;` },
    expected: { code: "LOAD_NO_EXPORT", message: `imports a default from "./lib.ts", which exports one` },
  },
  "a name that the SDK does not have": {
    files: { "a.ts": `import { Toool } from "toolroom"; export default class extends Toool {}` },
    expected: { code: "LOAD_NO_EXPORT", message: expect.stringContaining("Tool, ToolError, ") },
  },
  "a name that a builtin does not have": {
    files: { "a.ts": `import { readFil } from "node:fs"; export default readFil;` },
    expected: { code: "LOAD_NO_EXPORT" },
  },
  "a name that CommonJS and JSON do not have": {
    files: { "d.cjs": "exports.a = 1;", "a.ts": `import { b } from "./d.cjs"; export default b;` },
    expected: { code: "LOAD_NO_EXPORT", message: `imports "b" from "./d.cjs", which exports a, default` },
  },
  "a name that is missing in a circle": {
    files: {
      "b.ts": `import { gone } from "./a.ts"; export const read = () => gone;`,
      "a.ts": `import { read } from "./b.ts"; export const run = () => read();`,
    },
    expected: { code: "LOAD_NO_EXPORT", file: "b.ts", line: 1, column: 10 },
  },
  "a throw, in the line of the author": {
    files: {
      "a.ts":
        "interface A {\n  n: number;\n}\nenum B {\n  x,\n}\nexport const b: A = { n: B.x };\nthrow new TypeError('boom');",
    },
    expected: { code: "LOAD_THREW", file: "a.ts", line: 8, column: 7, message: "the top level threw: TypeError: boom" },
  },
  "a throw of a helper": {
    files: {
      "lib.ts": "export function check(n?: number): void {\n  if (!n) throw new Error('no number');\n}",
      "a.ts": `import { check } from "./lib.ts";\n\ncheck();`,
    },
    expected: {
      code: "LOAD_THREW",
      file: "a.ts",
      line: 3,
      message: "the top level threw: Error: no number (thrown in lib.ts:2)",
    },
  },
  "a throw in an import": {
    files: { "lib.ts": "\nthrow new Error('early');", "a.ts": `import "./lib.ts";` },
    expected: { code: "LOAD_THREW", file: "lib.ts", line: 2 },
    hint: "It is imported by a.ts.",
  },
  "a throw in CommonJS": {
    files: { "a.cjs": "\n\nnull.x;" },
    expected: { code: "LOAD_THREW", file: "a.cjs", line: 3 },
  },
  "a throw in a required CommonJS module": {
    files: { "b.cjs": "\nnull.x;", "a.cjs": `require("./b.cjs");` },
    expected: { code: "LOAD_THREW", file: "b.cjs", line: 2 },
  },
  "a throw in text of jiti's own transformer": {
    files: { "a.ts": "function d(target: unknown) {}\n@d\nclass A {}\n\nthrow new Error('late');" },
    expected: { code: "LOAD_THREW", file: "a.ts", line: 5 },
  },
  "a thrown string": {
    files: { "a.ts": "throw 'why';" },
    expected: { code: "LOAD_THREW", message: `the top level threw: "why"` },
  },
  "a thrown null": {
    files: { "a.ts": "throw null;" },
    expected: { code: "LOAD_THREW", message: "the top level threw: null" },
  },
  "a rejected await": {
    files: { "a.ts": "\nawait Promise.reject(new RangeError('far'));" },
    expected: { code: "LOAD_THREW", line: 2, message: "the top level threw: RangeError: far" },
  },
  "a SyntaxError of the module's own": {
    files: { "a.ts": "\nJSON.parse('{');" },
    expected: { code: "LOAD_THREW", file: "a.ts", line: 2 },
  },
};

describe("each kind of failure has its own diagnostic", () => {
  test.each(Object.keys(CASES))("%s", async (name) => {
    const { write, loader: open } = workbench();
    const { files, expected, hint = "" } = CASES[name] as (typeof CASES)[string];
    const file = write(files);
    for (const cacheDir of [undefined, `${file}.cache`, `${file}.cache`]) {
      const loader = open(cacheDir ? { cacheDir } : {});
      const found = await failure(loader, file);
      expect(found).toMatchObject({ severity: "error", ...expected });
      expect(found.hint).toContain(hint);
      expect(found.hint).toMatch(/\.$|\?$|\)$|\}$/);
      expect(formatDiagnostic(found)).not.toMatch(/__vite|jiti|data:text/);
      await loader.close();
    }
  });
});

describe("files", () => {
  test("nothing there, a directory, a dangling import", async () => {
    const { loader: open, path: at, write } = workbench();
    mkdirSync(at("dir.ts"));
    const loader = open();
    expect(await failure(loader, at("gone.ts"))).toMatchObject({
      code: "LOAD_UNREADABLE",
      file: "gone.ts",
      message: "expected a readable file, found nothing",
    });
    expect(await failure(loader, at("dir.ts"))).toMatchObject({
      code: "LOAD_UNREADABLE",
      message: "expected a readable file, found no regular file",
    });
    expect((await failure(loader, write({ "a.ts": `import "./dir.ts";` }))).code).toBe("LOAD_UNRESOLVED");
  });

  test("no permission", () => {
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    expect(unreadable("/x/a.ts", denied, path.basename).diagnostic).toEqual({
      severity: "error",
      code: "LOAD_UNREADABLE",
      file: "a.ts",
      message: "expected a readable file, found EACCES: permission denied",
      hint: "Give the host permission to read it.",
    });
  });

  test("an SDK that does not come", async () => {
    const { loader: open, write } = workbench();
    const file = write({ "a.ts": "export default 1" });
    const loader = open({ sdk: () => Promise.reject(new Error("no SDK")) });
    expect(await failure(loader, file)).toMatchObject({
      code: "LOAD_THREW",
      message: expect.stringContaining("no SDK"),
    });
  });
});

describe("type-only re-exports", () => {
  test("a type passed on without saying so is no error; used as a value it is", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "types.ts": "export interface Row { n: number } export const one = 1;",
      "index.ts": `export { Row, one } from "./types.ts"; import { Row as Other } from "./types.ts"; export { Other };`,
      "all.ts": `export * from "./index.ts";`,
      "good.ts": `import { one, type Row } from "./all.ts"; export const row: Row = { n: one };`,
      "bad.ts": `import { Row } from "./all.ts"; export const made = new Row();`,
      "worse.ts": `import { Other } from "./index.ts"; export const made = new Other();`,
    });
    const loader = open();
    expect((await load(loader, at("good.ts"))).row).toEqual({ n: 1 });
    expect(await failure(loader, at("bad.ts"))).toMatchObject({ code: "LOAD_NO_EXPORT", file: "bad.ts" });
    expect(await failure(loader, at("worse.ts"))).toMatchObject({ code: "LOAD_NO_EXPORT", file: "worse.ts" });
  });
});

describe("errors after the load", () => {
  test("the stack of a call is told in the author's lines", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "lib.ts":
        "export interface A {\n  n: number;\n}\nexport const fail = (): never => {\n  throw new Error('in the call');\n};",
      "a.ts": `import { fail } from "./lib.ts";\n\nexport default class {\n  private readonly n: number = 1;\n  async execute(): Promise<void> {\n    await 0;\n    fail();\n  }\n}`,
    });
    for (const cacheDir of [undefined, `${file}.cache`, `${file}.cache`]) {
      const loader = open(cacheDir ? { cacheDir } : {});
      const { default: Cls } = await load(loader, file);
      const error = await new Cls().execute().catch((thrown: unknown) => thrown);
      const mapped = loader.mapError(error);
      expect(mapped).toMatchObject({ file: "lib.ts", line: 5, column: 9, message: "in the call" });
      expect(mapped.stack?.split("\n").slice(0, 2)).toEqual([
        "    at fail (lib.ts:5:9)",
        "    at default.execute (a.ts:7:5)",
      ]);
      const next = loader.fork({ changed: [file] });
      await loader.close();
      expect(next.mapError(error).stack).toContain("a.ts:7:5");
      await next.close();
    }
  });

  test("what is no error, and errors without content", async () => {
    const { loader: open } = workbench();
    const loader = open();
    expect(loader.mapError("text")).toEqual({ message: '"text"' });
    expect(loader.mapError(undefined)).toEqual({ message: "undefined" });
    expect(loader.mapError(new Error("host"))).toEqual({
      message: "host",
      stack: expect.stringContaining("load-errors.test.ts"),
    });
  });
});
