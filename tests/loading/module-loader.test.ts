import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import * as sdk from "../../core/index.ts";
import { changed, failure, load, workbench } from "./workbench.ts";

describe("every kind of module is fresh after a change", () => {
  const kinds: Record<string, { write: (value: number) => string; read?: string }> = {
    "d.ts": { write: (value) => `export const value: number = ${value};` },
    "d.mts": { write: (value) => `export const value: number = ${value};` },
    "d.cts": { write: (value) => `export const value: number = ${value};` },
    "export-assign.cts": { write: (value) => `const value: number = ${value}; export = { value };` },
    "d.js": { write: (value) => `export const value = ${value};` },
    "untyped.js": { write: (value) => `exports.value = ${value};` },
    "d.mjs": { write: (value) => `export const value = ${value};` },
    "d.cjs": { write: (value) => `exports.value = ${value};` },
    "reassigned.cjs": { write: (value) => `module.exports = { value: ${value} };` },
    "d.json": { write: (value) => `{"value": ${value}}` },
  };

  test.each(Object.keys(kinds))(
    "%s, as an entry, by a static import, by a dynamic one, through another",
    async (name) => {
      const { write, root, loader: open, path: at } = workbench();
      const kind = kinds[name];
      if (!kind) throw new Error(name);
      write({
        "package.json": name === "untyped.js" ? "{}" : '{"type": "module"}',
        [name]: kind.write(1),
        "static.ts": `import { value } from "./${name}"; export const read = () => value;`,
        "dynamic.ts": `export const read = async () => (await import("./${name}")).value;`,
        "through.ts": `import { read } from "./static.ts"; export const again = () => read();`,
      });
      let loader = open();
      const read = async () => [
        (await load(loader, at(name))).value,
        (await load(loader, at("static.ts"))).read(),
        await (await load(loader, at("dynamic.ts"))).read(),
        (await load(loader, at("through.ts"))).again(),
      ];
      expect(await read()).toEqual([1, 1, 1, 1]);
      for (const value of [2, 3]) {
        write({ [name]: kind.write(value) });
        const next = changed(loader, [at(name)]);
        expect(next.dropped).toEqual(
          [name, "dynamic.ts", "static.ts", "through.ts"].map((file) => path.join(root, file)).sort(),
        );
        loader = next.loader;
        expect(await read()).toEqual([value, value, value, value]);
      }
    },
  );

  test("a helper behind every kind, reached from CommonJS too", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "deep.cjs": "exports.n = 1;",
      "deep.json": '{"n": 1}',
      "deep.ts": "export const n: number = 1;",
      "middle.cjs": `exports.sum = () => require("./deep.cjs").n + require("./deep.json").n + require("./deep.ts").n;`,
      "tool.ts": `import middle from "./middle.cjs"; export const sum = () => middle.sum();`,
    });
    const loader = open();
    expect((await load(loader, at("tool.ts"))).sum()).toBe(3);
    expect(loader.imports(at("tool.ts"))).toEqual(["deep.cjs", "deep.json", "deep.ts", "middle.cjs"].map(at));
    write({ "deep.cjs": "exports.n = 10;", "deep.json": '{"n": 100}', "deep.ts": "export const n: number = 1000;" });
    const next = changed(loader, [at("deep.cjs"), at("deep.json"), at("deep.ts")]).loader;
    expect((await load(next, at("tool.ts"))).sum()).toBe(1110);
  });

  test("a compiled plugin with its own package.json", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "plugin/package.json": '{"type": "module", "imports": {"#lib/*": "./dist/lib/*.js"}}',
      "plugin/dist/lib/value.js": "export default 1;",
      "plugin/dist/index.js": `import value from "#lib/value"; export default value;`,
    });
    const loader = open();
    expect((await load(loader, file)).default).toBe(1);
    const helper = write({ "plugin/dist/lib/value.js": "export default 2;" });
    expect((await load(changed(loader, [helper]).loader, file)).default).toBe(2);
  });
});

describe("what content is given", () => {
  test("the host's own SDK, by import, by require, by dynamic import", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "old.cjs": `exports.Tool = require("toolroom").Tool;`,
      "a.ts": `import { Tool, z } from "toolroom"; import * as all from "toolroom"; import old from "./old.cjs";
        export const seen = [Tool, all.Tool, old.Tool, (await import("toolroom")).Tool]; export { z };`,
    });
    const { seen, z } = await load(open(), file);
    for (const found of seen) expect(found).toBe(sdk.Tool);
    expect(z).toBe(sdk.z);
  });

  test("the SDK even where a copy is installed beside the plugin", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "p/node_modules/toolroom/package.json": '{"type": "module", "exports": "./index.js"}',
      "p/node_modules/toolroom/index.js": "export const Tool = 1;",
      "p/a.ts": `import { Tool } from "toolroom"; export { Tool };`,
    });
    expect((await load(open(), file)).Tool).toBe(sdk.Tool);
  });

  test("packages natively, also CommonJS ones that load JSON, and names that Node does not see in them", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "p/node_modules/moment/package.json": '{"main": "index.js"}',
      "p/node_modules/moment/index.js": `const data = require("./data.json"); const api = { zones: data.zones }; module.exports = Object.assign(() => api, api);`,
      "p/node_modules/moment/data.json": '{"zones": ["UTC"]}',
      "p/node_modules/modern/package.json":
        '{"type": "module", "exports": {"import": "./esm.js", "require": "./old.cjs"}}',
      "p/node_modules/modern/esm.js": "export const kind = 'esm';",
      "p/node_modules/modern/old.cjs": "exports.kind = 'cjs';",
      "p/r.cjs": `exports.kind = require("modern").kind;`,
      "p/a.ts": `import moment, { zones } from "moment"; import { kind } from "modern"; import { kind as required } from "./r.cjs";
        export const seen = [moment.zones, zones, kind, required];`,
    });
    expect((await load(open(), file)).seen).toEqual([["UTC"], ["UTC"], "esm", "cjs"]);
  });

  test("builtins, with and without node:, also through require", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "old.cjs": `exports.same = require("fs") === require("node:fs");`,
      "a.ts": `import { readFileSync } from "fs"; import fs from "node:fs"; import { same } from "./old.cjs";
        export const seen = [readFileSync === fs.readFileSync, same];`,
    });
    expect((await load(open(), file)).seen).toEqual([true, true]);
  });

  test("import.meta and the CommonJS variables", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "lib.ts": "",
      "a.cjs":
        "exports.seen = [__filename, __dirname, typeof require.resolve, require.resolve('./lib.ts'), this === exports];",
      "a.ts": `import { seen as old } from "./a.cjs"; const require = 1; const module = 2;
        export const seen = [import.meta.url, import.meta.filename, import.meta.dirname, import.meta.resolve("./lib.ts"), require + module, old];`,
    });
    const { seen } = await load(open(), file);
    const directory = path.dirname(file);
    expect(seen).toEqual([
      `file://${file}`,
      file,
      directory,
      `file://${directory}/lib.ts`,
      3,
      [path.join(directory, "a.cjs"), directory, "function", path.join(directory, "lib.ts"), true],
    ]);
  });
});

describe("resolution", () => {
  test("missing extensions, .js for .ts, directories, package imports, file URLs, queries", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "package.json": '{"imports": {"#lib/*": "./lib/*.ts"}}',
      "lib/one.ts": "export const n = 1;",
      "lib/two.mts": "export const n = 2;",
      "lib/index.ts": "export const n = 3;",
      "lib/old.js": "exports.n = 4;",
      "a.ts": `import { n as a } from "./lib/one"; import { n as b } from "./lib/one.js"; import { n as c } from "./lib/two.mjs";
        import { n as d } from "./lib"; import { n as e } from "#lib/one"; import { n as f } from "./lib/old";
        import { n as g } from "./lib/one.ts?fresh";
        const { n: h } = await import(new URL("./lib/one.ts", import.meta.url) as never);
        export const seen = [a, b, c, d, e, f, g, h];`,
    });
    const loader = open();
    expect((await load(loader, at("a.ts"))).seen).toEqual([1, 1, 2, 3, 1, 4, 1, 1]);
    expect(loader.imports(at("a.ts"))).toEqual(["lib/index.ts", "lib/old.js", "lib/one.ts", "lib/two.mts"].map(at));
  });

  test("what is missing beside the importer is not taken from the root", async () => {
    const { write, loader: open } = workbench();
    const file = write({ "helper.ts": "export const n = 1;", "p/tools/a.ts": `import { n } from "./helper.ts"; n;` });
    expect((await failure(open(), file)).code).toBe("LOAD_UNRESOLVED");
  });

  test.each(["with space", "per%20cent", "has#hash", "(round) [square]", "日本", "q'uote"])(
    "a directory named %s",
    async (name) => {
      const { write, loader: open } = workbench();
      const file = write({
        [`${name}/lib.ts`]: "export const boom = (): never => { throw new Error('x'); };",
        [`${name}/a.ts`]: `\n\nimport { boom } from "./lib.ts"; export const run = () => {\n  boom();\n};`,
      });
      const loader = open();
      const { run } = await load(loader, file);
      const error = catching(run);
      expect(loader.mapError(error)).toMatchObject({ file: `${name}/lib.ts`, line: 1, message: "x" });
      expect(loader.mapError(error).stack).toContain(`${name}/a.ts:4:`);
    },
  );

  test("a byte-order mark and a hashbang", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "a.ts": "\uFEFF#!/usr/bin/env node\nexport default 1;",
      "b.cjs": "#!/usr/bin/env node\nmodule.exports = 2;",
      "c.json": '\uFEFF{"n": 3}',
    });
    const loader = open();
    expect((await load(loader, at("a.ts"))).default).toBe(1);
    expect((await load(loader, at("b.cjs"))).default).toBe(2);
    expect((await load(loader, at("c.json"))).n).toBe(3);
  });

  test("a linked plugin: one instance, shown by the path that was asked for, its helpers are content", async () => {
    const { loader: open, path: at, root } = workbench();
    const elsewhere = workbench("toolroom-linked-");
    elsewhere.write({
      "tools/a.ts": `import { n } from "../lib.ts"; export const read = () => n;`,
      "lib.ts": "export const n = 1;",
    });
    mkdirSync(at("plugins"));
    symlinkSync(elsewhere.root, at("plugins/linked"));
    const file = at("plugins/linked/tools/a.ts");
    let loader = open({ display: (name) => path.relative(root, name) });
    expect((await load(loader, file)).read()).toBe(1);
    expect(await load(loader, elsewhere.path("tools/a.ts"))).toBe(await load(loader, file));
    expect(loader.imports(file)).toEqual([elsewhere.path("lib.ts")]);
    elsewhere.write({ "lib.ts": "export const n = 2;" });
    loader = changed(loader, [elsewhere.path("lib.ts")]).loader;
    expect((await load(loader, file)).read()).toBe(2);
    elsewhere.write({ "tools/a.ts": "export const = 1" });
    loader = changed(loader, [file]).loader;
    expect((await failure(loader, file)).file).toBe("plugins/linked/tools/a.ts");
  });

  test("a content root inside another one's node_modules is content", async () => {
    const { write, loader: open, root, path: at } = workbench();
    const home = path.join(root, "node_modules/toolroom");
    const file = write({ "node_modules/toolroom/plugins/_x/tools/a.ts": "export const n: number = 1;" });
    write({ "tools/b.ts": `import { n } from "../node_modules/toolroom/plugins/_x/tools/a.ts"; export { n };` });
    const loader = open({ contentRoots: [root, home] });
    expect((await load(loader, at("tools/b.ts"))).n).toBe(1);
    expect(loader.imports(at("tools/b.ts"))).toEqual([file]);
  });
});

describe("evaluation", () => {
  test("concurrent imports of one file evaluate it once", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "shared.ts":
        "globalThis.__shared = (globalThis.__shared ?? 0) + 1; await 0; export const n = globalThis.__shared;",
      "a.ts": `import { n } from "./shared.ts"; export { n };`,
      "b.ts": `import { n } from "./shared.ts"; export { n };`,
    });
    const loader = open();
    const found = await Promise.all(
      ["shared.ts", "a.ts", "b.ts", "shared.ts", "a.ts"].map((name) => load(loader, at(name))),
    );
    expect(found.map(({ n }) => n)).toEqual([1, 1, 1, 1, 1]);
    expect((globalThis as { __shared?: number }).__shared).toBe(1);
  });

  test("circles end, with live bindings, in every combination of starts", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "a.ts": `import { b, readA } from "./b.ts"; export let a = 1; export const set = (n: number) => { a = n; }; export const readB = () => b; export { readA };`,
      "b.ts": `import { c } from "./c.ts"; import { a } from "./a.ts"; export const b = 2; export const readA = () => a + c;`,
      "c.ts": `import * as self from "./c.ts"; import { b } from "./b.ts"; export const c = 10; export const readB = () => b + self.c;`,
    });
    for (const start of ["a.ts", "b.ts", "c.ts", "a.ts", "b.ts", "c.ts"]) {
      const loader = open({ cacheDir: at("cache"), deadlineMs: 2_000 });
      await load(loader, at(start));
      const a = await load(loader, at("a.ts"));
      expect([a.readA(), a.readB()]).toEqual([11, 2]);
      a.set(5);
      expect(a.readA()).toBe(15);
      expect((await load(loader, at("c.ts"))).readB()).toBe(12);
      await loader.close();
    }
    const loader = open();
    await Promise.all(["c.ts", "a.ts", "b.ts"].map((name) => load(loader, at(name))));
    expect((await load(loader, at("a.ts"))).readA()).toBe(11);
  });

  test("circles of CommonJS, and of CommonJS with ES modules", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "a.cjs": `exports.early = 1; exports.b = require("./b.cjs").b; exports.late = 2;`,
      "b.cjs": `const a = require("./a.cjs"); exports.b = [a.early, a.late]; exports.later = () => a.late;`,
      "m.ts": `import old from "./m.cjs"; export const n = 1; export const read = () => old.read();`,
      "m.cjs": `const m = require("./m.ts"); exports.read = () => m.n;`,
    });
    const loader = open();
    expect((await load(loader, at("a.cjs"))).b).toEqual([1, undefined]);
    expect((await load(loader, at("b.cjs"))).later()).toBe(2);
    expect((await load(loader, at("m.ts"))).read()).toBe(1);
  });

  test("re-exports: named, renamed, all, as a namespace; a module's own name wins", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "x.ts": "export const one = 1; export const two = 2; export default 0;",
      "a.ts": `export * from "./x.ts"; export { one as uno, default as zero } from "./x.ts"; export * as all from "./x.ts"; export const two = 22;`,
    });
    const found = await load(open(), file);
    expect(Object.keys(found).sort()).toEqual(["all", "one", "two", "uno", "zero"]);
    expect([found.one, found.two, found.uno, found.zero, found.all.default]).toEqual([1, 22, 1, 0, 0]);
  });

  test("a module that never settles blocks nobody, and names itself", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "hang.ts": "await new Promise(() => {}); export const n = 1;",
      "via.ts": `import "./other.ts"; import { n } from "./hang.ts"; export { n };`,
      "other.ts": "export const ok = 1;",
    });
    const loader = open({ deadlineMs: 60 });
    const [hang, via, other] = await Promise.all(
      ["hang.ts", "via.ts", "other.ts"].map((name) => loader.import(at(name))),
    );
    expect(hang).toMatchObject({ diagnostic: { code: "LOAD_TIMEOUT", file: "hang.ts" } });
    expect(via).toMatchObject({ diagnostic: { code: "LOAD_TIMEOUT", file: "hang.ts" } });
    expect(via).toHaveProperty("diagnostic.hint", expect.stringContaining("imported by via.ts"));
    expect(other).toMatchObject({ exports: { ok: 1 } });
    write({ "hang.ts": "export const n = 2;" });
    expect((await load(loader, at("via.ts"))).n).toBe(2);
  });

  test("a failure is not kept, and one load meets a broken module once", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "broken.ts": "globalThis.__tries = (globalThis.__tries ?? 0) + 1; throw new Error('not yet');",
      "one.ts": `import "./broken.ts";`,
      "two.ts": `await Promise.allSettled([import("./one.ts"), import("./broken.ts")]); import("./one.ts").catch(() => {}); export default 1;`,
    });
    const loader = open();
    const tries = () => (globalThis as { __tries?: number }).__tries;
    await load(loader, at("two.ts"));
    expect(tries()).toBe(1);
    expect((await failure(loader, at("one.ts"))).code).toBe("LOAD_THREW");
    expect(tries()).toBe(2);
    write({ "broken.ts": "export {};" });
    await load(loader, at("one.ts"));
  });

  test("a mended file with nearly the same time is loaded", async () => {
    const { write, loader: open } = workbench();
    const file = write({ "a.ts": "export default {" });
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    const loader = open();
    expect((await failure(loader, file)).code).toBe("LOAD_SYNTAX");
    write({ "a.ts": "export default 1" });
    utimesSync(file, 1_700_000_000, 1_700_000_000.001);
    expect((await load(loader, file)).default).toBe(1);
  });

  test("an unused import of a missing file is no error", async () => {
    const { write, loader: open } = workbench();
    const file = write({
      "a.ts": `import { gone } from "./gone.ts"; import type { T } from "./types.ts"; export const n: T = 1 as never;`,
    });
    expect((await load(open(), file)).n).toBe(1);
  });

  test("an optional import can be guarded as in Node", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "a.ts": `export const code = await import("not-installed").catch((error) => error.code);`,
      "b.cjs": `try { require("not-installed") } catch (error) { exports.code = error.code }`,
    });
    const loader = open();
    expect((await load(loader, at("a.ts"))).code).toBe("ERR_MODULE_NOT_FOUND");
    expect((await load(loader, at("b.cjs"))).code).toBe("MODULE_NOT_FOUND");
  });

  test("one bad file does not keep others from loading", async () => {
    const { write, loader: open, path: at } = workbench();
    write({ "good.ts": "export default 1", "bad.ts": "export default {", "fine.ts": "export default 2" });
    const loader = open();
    const found = await Promise.all(["good.ts", "bad.ts", "fine.ts"].map((name) => loader.import(at(name))));
    expect(found.map((outcome) => ("exports" in outcome ? outcome.exports.default : outcome.diagnostic.code))).toEqual([
      1,
      "LOAD_SYNTAX",
      2,
    ]);
  });

  test("an export named then does not disturb the host", async () => {
    const { write, loader: open } = workbench();
    const file = write({ "a.ts": "export const then = () => {}; export default 1;" });
    const outcome = await open({ deadlineMs: 500 }).import(file);
    expect(outcome).toMatchObject({ exports: { default: 1 } });
  });
});

describe("several loaders", () => {
  test("each sees its own versions", async () => {
    const { write, loader: open, path: at } = workbench();
    const versions = (n: number) => ({
      "lib.cjs": `exports.n = ${n};`,
      "lib.json": `{"n": ${n}}`,
      "lib.ts": `export const n = ${n};`,
      "lib.mjs": `export const n = ${n};`,
    });
    write({
      ...versions(1),
      "a.ts": `import { n as a } from "./lib.cjs"; import { n as b } from "./lib.json"; import { n as c } from "./lib.ts"; import { n as d } from "./lib.mjs"; export const seen = [a, b, c, d];`,
    });
    const [first, second] = [open(), open()];
    expect((await load(first, at("a.ts"))).seen).toEqual([1, 1, 1, 1]);
    write(versions(2));
    expect((await load(second, at("a.ts"))).seen).toEqual([2, 2, 2, 2]);
    expect((await load(first, at("a.ts"))).seen).toEqual([1, 1, 1, 1]);
    expect((await load(changed(first, [at("lib.ts")]).loader, at("a.ts"))).seen).toEqual([1, 1, 2, 1]);
    expect((await load(first, at("a.ts"))).seen).toEqual([1, 1, 1, 1]);
  });

  test("variables of the environment do not change how content is loaded", async () => {
    const { write, loader: open } = workbench();
    const file = write({ "a.ts": `import { Tool } from "toolroom"; export default Tool;` });
    process.env.JITI_ALIAS = '{"toolroom": "/nowhere"}';
    try {
      expect((await load(open(), file)).default).toBe(sdk.Tool);
    } finally {
      delete process.env.JITI_ALIAS;
    }
  });
});

describe("the loader of the next generation", () => {
  test("loads dependents of every depth again, and nothing else", async () => {
    const { write, loader: open, path: at } = workbench();
    write({
      "base.ts": "export const n = 1;",
      "mid.ts": `export { n } from "./base.ts";`,
      "top.ts": `export { n } from "./mid.ts";`,
      "lazy.ts": `export const read = () => import("./mid.ts");`,
      "apart.ts": "export const n = 0;",
    });
    const loader = open();
    for (const name of ["top.ts", "lazy.ts", "apart.ts"]) await load(loader, at(name));
    await (await load(loader, at("lazy.ts"))).read();
    expect(changed(loader, [at("unknown.ts")]).dropped).toEqual([]);
    const apart = await load(loader, at("apart.ts"));
    const top = await load(loader, at("top.ts"));
    rmSync(at("base.ts"));
    const next = changed(loader, [at("base.ts")]);
    expect(next.dropped).toEqual(["base.ts", "lazy.ts", "mid.ts", "top.ts"].map(at));
    expect(await load(next.loader, at("apart.ts"))).toBe(apart);
    expect((await failure(next.loader, at("top.ts"))).code).toBe("LOAD_UNRESOLVED");
    expect(await load(loader, at("top.ts"))).toBe(top);
  });

  test("a changed directory is all that lies in it", async () => {
    const { write, loader: open, path: at } = workbench();
    write({ "p/a.ts": "export const n = 1;", "p/lib/b.ts": "export const n = 1;", "q/c.ts": "export const n = 1;" });
    const loader = open();
    for (const name of ["p/a.ts", "p/lib/b.ts", "q/c.ts"]) await load(loader, at(name));
    expect(changed(loader, [at("p")]).dropped).toEqual(["p/a.ts", "p/lib/b.ts"].map(at));
  });

  test("what a module that stayed imports later is the next loader's, too", async () => {
    const { write, loader: open, path: at } = workbench();
    write({ "lazy.ts": `export const read = () => import("./late.ts");`, "late.ts": "export const n = 1;" });
    const first = open();
    const { read } = await load(first, at("lazy.ts"));
    const { loader: second } = changed(first, [at("other.ts")]);
    expect(await read()).toBe(await load(second, at("late.ts")));
    await first.close();
    expect(await read()).toBe(await load(second, at("late.ts")));
  });

  test("a failed module keeps its imports, so that mending them is seen", async () => {
    const { write, loader: open, path: at } = workbench();
    write({ "base.ts": "export const n = ;", "top.ts": `import { n } from "./base.ts"; export { n };` });
    const loader = open();
    await failure(loader, at("top.ts"));
    expect(loader.imports(at("top.ts"))).toEqual([at("base.ts")]);
    expect(changed(loader, [at("base.ts")]).dropped).toEqual(["base.ts", "top.ts"].map(at));
  });

  test("during a load: who waits gets the old module, the next load the new one", async () => {
    const { write, loader: open, path: at } = workbench();
    write({ "a.ts": "await new Promise((go) => setTimeout(go, 50)); export const n = 1;" });
    const loader = open();
    const old = load(loader, at("a.ts"));
    await new Promise((go) => setTimeout(go, 20));
    write({ "a.ts": "export const n = 2;" });
    const { loader: next } = changed(loader, [at("a.ts")]);
    expect((await load(next, at("a.ts"))).n).toBe(2);
    expect((await old).n).toBe(1);
    expect((await load(next, at("a.ts"))).n).toBe(2);
  });

  test("200 reloads of a module with much data leave nothing behind", async () => {
    const { write, loader: open, path: at } = workbench();
    let loader = open();
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    write({ "mid.cjs": "exports.n = 1;" });
    const reload = async (n: number) => {
      const file = write({
        "a.ts": `import { n } from "./mid.cjs"; export const data = new Array(100_000).fill(${n} + n);`,
      });
      const next = loader.fork({ changed: [file, at("mid.cjs")] });
      await loader.close();
      loader = next;
      expect((await load(loader, file)).data.length).toBe(100_000);
    };
    for (let n = 0; n < 20; n++) await reload(n);
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let n = 20; n < 220; n++) await reload(n);
    gc();
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(30);
  });
});

test("what is no regular file is refused without opening it", async () => {
  const { loader: open, path: at, write } = workbench();
  write({ "a.ts": `import "./socket.ts";` });
  const server = createServer().listen(at("socket.ts"));
  onTestFinished(() => {
    server.close();
  });
  await once(server, "listening");
  const loader = open();
  expect((await failure(loader, at("socket.ts"))).code).toBe("LOAD_UNREADABLE");
  expect((await failure(loader, at("a.ts"))).code).toBe("LOAD_UNRESOLVED");
});

function catching(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}
