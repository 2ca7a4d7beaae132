import { describe, expect, it } from "vitest";
import { sourceFacts } from "../../core/dox/source-facts.ts";

const given = (source: string) => [...sourceFacts(source).given];

describe("the error codes that a source gives", () => {
  it.each([
    ['return this.failure("NOT_FOUND", "gone");', "NOT_FOUND"],
    ["throw new ToolError('CONFLICT', words);", "CONFLICT"],
    ["throw new ToolError(`TOO_LARGE`, words);", "TOO_LARGE"],
    ['self.failure(\n  "NOT_FOUND",\n)', "NOT_FOUND"],
    ['return this.#fail("NOT_FOUND");', "NOT_FOUND"],
    ['const end = await read().catch(() => fail("NOT_FOUND"));', "NOT_FOUND"],
    [`throw \`\${fail("NOT_FOUND")}\`;`, "NOT_FOUND"],
    ['const half = a / b; fail("NOT_FOUND"); const c = d / e;', "NOT_FOUND"],
    ['const quote = /["\'`/]/g.test(a) && /[/"]/.test(b); fail("NOT_FOUND");', "NOT_FOUND"],
    [`return /\\/"/.test(a) ? fail("NOT_FOUND") : \`\${b}\`;`, "NOT_FOUND"],
  ])("%s", (source, code) => {
    expect(given(source).map(([name]) => name)).toEqual([code]);
  });

  it("are all that a choice can be, and not what is compared", () => {
    expect(given('fail(code === "CONFLICT" ? "NOT_FOUND" : "TOO_LARGE")').map(([code]) => code)).toEqual([
      "NOT_FOUND",
      "TOO_LARGE",
    ]);
  });

  it.each([
    '// this.failure("NOT_FOUND")',
    '/* new ToolError("NOT_FOUND")\n*/ a();',
    "const text = 'this.failure(\"NOT_FOUND\")';",
    'const text = `this.failure("NOT_FOUND")`;',
    'if (error.code === "NOT_FOUND") throw error;',
    'if (codes.includes("NOT_FOUND")) return;',
    'if (isCode("NOT_FOUND")) return;',
    'function fail(code: "NOT_FOUND" | "CONFLICT"): never {}',
    'class A { #fail(code: "NOT_FOUND" | "CONFLICT" = "CONFLICT"): never {} }',
    'this.failure("OTHER_WORD")',
    'fail(words, "NOT_FOUND")',
    '/this.failure\\("NOT_FOUND"\\)/.test(a)',
  ])("are none in %s", (source) => {
    expect(given(source)).toEqual([]);
  });

  it("have the line of the first", () => {
    expect(given(`\`\n\${1}\n\`;\n/*\n*/ fail("NOT_FOUND");\nfail("NOT_FOUND");`)).toEqual([["NOT_FOUND", 5]]);
  });

  it("are named wherever they stand in a text", () => {
    expect([...sourceFacts('const CODES = ["NOT_FOUND"]; // "CONFLICT"').named]).toEqual(["NOT_FOUND"]);
  });
});

describe("breakLoop in a source", () => {
  it.each([
    ["this.response({ message, breakLoop: true });", 1, false],
    ['this.response({ message, "breakLoop": true });', 1, false],
    ["this.response({ message, breakLoop: false });", undefined, false],
    ["this.response({ message, breakLoop: last });", undefined, true],
    ["this.response({ message, breakLoop: true && last });", undefined, true],
    ["this.response({ message, breakLoop });", undefined, true],
    ["this.response({ breakLoop, message });", undefined, true],
    ["interface Parts { breakLoop: boolean; more?: true }", undefined, false],
    ["if (result.breakLoop) return;", undefined, false],
    ["parts.breakLoop = last;", undefined, true],
    ["// breakLoop: true", undefined, false],
  ])("%s", (source, breaksAt, breakLoopOpen) => {
    expect(sourceFacts(source)).toMatchObject({ breaksAt, breakLoopOpen });
  });
});

describe("what a source imports", () => {
  it("is told apart: relative files, and the rest", () => {
    const { imports, words } = sourceFacts(
      [
        'import { a } from "./a.ts";',
        'import type { B } from "../lib/b.js";',
        'import "./c";',
        'export * from "./d.ts";',
        'const e = await import("./e.ts");',
        'const f = require("./f.cjs");',
        'import { readFile } from "node:fs/promises";',
        '// import "./g.ts"',
      ].join("\n"),
    );
    expect(imports).toEqual(["./a.ts", "../lib/b.js", "./c", "./d.ts", "./e.ts", "./f.cjs"]);
    expect(words).toContain("node:fs/promises");
  });

  it.each(['"', `\`\${`, "`", "'\\", "/*", "/[", "}", `\`\${\`\${`, "fail(", "import(", `\u{1F600}\`\${}}\``])(
    "is answered whatever stands there: %s",
    (source) => {
      expect(sourceFacts(source).imports).toEqual([]);
    },
  );
});
