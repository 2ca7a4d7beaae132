import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../core/discovery/content-hash.ts";
import { createTexts } from "../../core/discovery/texts.ts";
import { createEvaluator } from "../../core/loading/evaluator.ts";
import { createEngine } from "../../core/loading/jiti.ts";
import { createModuleMap } from "../../core/loading/module-map.ts";
import { namespaceOf } from "../../core/loading/namespaces.ts";
import { createResolver } from "../../core/loading/resolve.ts";
import { TRANSFORM_VERSION } from "../../core/loading/transform.ts";
import { openTransformCache, transformKey } from "../../core/loading/transform-cache.ts";
import { load, workbench } from "./workbench.ts";

const text = (code: string) => ({ form: "runner" as const, code, mappings: [`;${code}`, "AAAA"] });
const keyOf = (content: string) => transformKey("a.ts", contentHash(content));

test("the version names the oxc that is installed", () => {
  const file = createRequire(import.meta.url).resolve("oxc-transform/package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  expect(TRANSFORM_VERSION).toContain(`oxc-${version}/`);
});

describe("what is put is there for the next process", () => {
  test("by content and dialect, with its source maps", () => {
    const { path: at } = workbench();
    const first = openTransformCache(at("modules"));
    const contents = Array.from({ length: 300 }, (_, n) => `source ${n} 日本`);
    for (const content of contents) first.put(keyOf(content), text(`code of ${content}`));
    expect(first.get(keyOf("source 1 日本"))?.code).toBe("code of source 1 日本");
    first.flush();
    const second = openTransformCache(at("modules"));
    for (const content of contents) {
      expect(second.get(keyOf(content))).toEqual({ form: "runner", code: `code of ${content}` });
      expect(second.mappings(keyOf(content))).toEqual([`;code of ${content}`, "AAAA"]);
    }
    expect(second.get(keyOf("other"))).toBeUndefined();
    expect(second.mappings(keyOf("other"))).toBeUndefined();
    expect(second.get(transformKey("a.js", contentHash("source 1 日本")))).toBeUndefined();
    expect(readdirSync(at("modules")).every((name) => /^[0-9a-f]{2}\.(?:code|maps)$/.test(name))).toBe(true);
  });

  test("together with what another process put meanwhile", () => {
    const { path: at } = workbench();
    const [one, two] = [openTransformCache(at("m")), openTransformCache(at("m"))];
    const contents = Array.from({ length: 200 }, (_, n) => `${n}`);
    for (const content of contents) (Number(content) % 2 ? one : two).put(keyOf(content), text(content));
    one.flush();
    two.flush();
    const third = openTransformCache(at("m"));
    for (const content of contents) expect(third.get(keyOf(content))?.code).toBe(content);
  });

  test("a shard stays bounded, the oldest go", () => {
    const { path: at } = workbench();
    const cache = openTransformCache(at("m"));
    const keys = Array.from({ length: 700 }, (_, n) => `00${n.toString(16).padStart(38, "0")}.ts`);
    for (const key of keys) cache.put(key, text(key));
    cache.flush();
    const kept = keys.filter((key) => cache.get(key));
    expect(kept).toEqual(keys.slice(-512));
    expect(cache.mappings(keys[0] as string)).toBeUndefined();
  });
});

describe("what cannot be trusted is as good as none", () => {
  const damages: Record<string, (text: string) => string> = {
    truncated: (all) => all.slice(0, -3),
    emptied: () => "",
    "another format": () => "[]\n",
    "no list": () => JSON.stringify({ version: TRANSFORM_VERSION, entries: 5 }),
    "rows that are none": () => `${JSON.stringify({ version: TRANSFORM_VERSION, entries: [null, 1, ["a"]] })}\n`,
    "a changed text": (all) => all.replace("export_me", "export_it"),
    "a head cut off": (all) => all.slice(10),
    "another version": (all) => all.replace(TRANSFORM_VERSION, "oxc-0.0.0/0"),
  };

  test.each(Object.keys(damages))("%s", async (name) => {
    const { write, loader: open, path: at } = workbench();
    const file = write({ "a.ts": "export const export_me: number = 1;" });
    const first = open({ cacheDir: at("cache") });
    await load(first, file);
    await first.close();
    const [code] = readdirSync(at("cache/modules")).filter((entry) => entry.endsWith(".code"));
    const shard = at(`cache/modules/${code}`);
    const sound = readFileSync(shard, "utf8");
    writeFileSync(shard, (damages[name] as (typeof damages)[string])(sound));
    const second = open({ cacheDir: at("cache") });
    expect((await load(second, file)).export_me).toBe(1);
    await second.close();
    expect(readFileSync(shard, "utf8")).toBe(sound);
  });

  test("damaged maps cost the line, not the load", async () => {
    const { write, loader: open, path: at } = workbench();
    const file = write({ "a.ts": "enum A { x }\nexport const run = () => {\n  throw new Error('x');\n};" });
    const first = open({ cacheDir: at("cache") });
    await load(first, file);
    await first.close();
    for (const entry of readdirSync(at("cache/modules"))) {
      if (entry.endsWith(".maps")) writeFileSync(at(`cache/modules/${entry}`), '{"maps": {');
    }
    const second = open({ cacheDir: at("cache") });
    const { run } = await load(second, file);
    let thrown: unknown;
    try {
      run();
    } catch (error) {
      thrown = error;
    }
    expect(second.mapError(thrown)).toEqual({
      message: "x",
      file: "a.ts",
      stack: expect.stringContaining("run (a.ts)"),
    });
  });

  test("a directory that cannot be written: modules load, one warning says so", async () => {
    const { write, loader: open, path: at } = workbench();
    write({ "a.ts": "export default 1", "b.ts": "export default 2", cache: "a file lies here" });
    const loader = open({ cacheDir: at("cache") });
    await load(loader, at("a.ts"));
    await load(loader, at("b.ts"));
    await loader.close();
    expect(loader.diagnostics).toEqual([
      expect.objectContaining({ severity: "warning", code: "CACHE_UNWRITABLE", file: at("cache/modules") }),
    ]);
  });
});

test("a warm load asks for no transformer", async () => {
  const { write, loader: open, path: at, root } = workbench();
  write({
    "lib.ts": "export enum A { x = 1 }",
    "dec.ts": "function d(_: unknown) {} @d class B {} export const b = typeof B;",
    "a.ts": `import { A } from "./lib.ts"; import { b } from "./dec.ts"; import c from "./c.cjs"; export const seen = [A.x, b, c.x];`,
    "c.cjs": `exports.x = require("./lib.ts").A.x;`,
  });
  const cold = open({ cacheDir: at("cache") });
  const { seen } = await load(cold, at("a.ts"));
  await cold.close();

  const engine = createEngine(root);
  const refuse = (): never => {
    throw new Error("a transformer was asked for");
  };
  const { join } = createEvaluator({
    map: createModuleMap(),
    texts: createTexts(),
    homes: { evaluators: new WeakMap(), owners: new WeakMap() },
    engine: { ...engine, ownTransform: refuse },
    resolver: createResolver(engine, [root]),
    sdk: namespaceOf({}),
    cache: openTransformCache(path.join(root, "cache/modules")),
    transform: refuse,
    display: (file) => file,
    blame: (_, error) => {
      throw error;
    },
  });
  const record = join(at("a.ts"), 0);
  await record.settled;
  expect(record.exports.seen).toEqual(seen);
});
