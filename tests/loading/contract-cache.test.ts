import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { diagnostic } from "../../core/diagnostics.ts";
import { openContractCache } from "../../core/loading/contract-cache.ts";
import type { ToolContract } from "../../core/loading/tool-contract.ts";
import { loadTool } from "../../core/loading/tool-module.ts";
import { failure, load, workbench } from "./workbench.ts";

const plain: ToolContract = { parameters: null, risk: "medium", sends: [], parallel: "serial", untrusted: false };
const full: ToolContract = {
  parameters: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
  output: { type: "object" },
  description: 'Says "hello".',
  risk: "dynamic",
  sends: ["url"],
  parallel: "safe",
  untrusted: true,
  timeoutMs: 10,
  role: "answer",
};
const failed = { diagnostic: diagnostic("LOAD_THREW", { file: "b.ts", line: 3, message: "why", hint: "mend" }) };

/** A loader that loaded modules with these imports, and knows no more of them. */
const from = (...imports: readonly string[]) => ({ imports: () => imports });

/** Makes a file look untouched for a while: its times then vouch for it. */
function age(file: string): void {
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

describe("what was put", () => {
  test("is there in the same and in the next process, every field of it", () => {
    const { write, path: at } = workbench();
    const [a, b, c] = [write({ "a.ts": "1" }), write({ "b.ts": "2" }), write({ "c.ts": "3" })];
    const first = openContractCache({ cacheDir: at("cache") });
    first.put(a, from(), { contract: plain });
    first.put(b, from(), { contract: full });
    first.put(c, from(), failed);
    expect([first.get(a), first.get(b), first.get(c)]).toEqual([{ contract: plain }, { contract: full }, failed]);
    first.save();
    const second = openContractCache({ cacheDir: at("cache") });
    expect([second.get(a), second.get(b), second.get(c)]).toEqual([{ contract: plain }, { contract: full }, failed]);
    expect(Object.keys(JSON.parse(JSON.stringify((second.get(b) as { contract: object }).contract))).sort()).toEqual(
      Object.keys(full).sort(),
    );
    expect(second.get(at("unknown.ts"))).toBeUndefined();
  });

  test("lives in memory without a directory", () => {
    const { write } = workbench();
    const a = write({ "a.ts": "1" });
    const cache = openContractCache({});
    cache.put(a, from(), { contract: plain });
    cache.save();
    expect(cache.get(a)).toEqual({ contract: plain });
  });

  test("goes with the content of the module and of what it imported", async () => {
    const { write, path: at } = workbench();
    write({ "a.ts": "1", "lib.ts": "2", "apart.ts": "3" });
    const put = () => {
      const cache = openContractCache({ cacheDir: at("cache") });
      cache.put(at("a.ts"), from(at("lib.ts")), { contract: full });
      cache.save();
      return openContractCache({ cacheDir: at("cache") });
    };
    let cache = put();
    write({ "apart.ts": "33" });
    expect(cache.get(at("a.ts"))).toBeDefined();
    await null;
    write({ "lib.ts": "22" });
    expect(cache.get(at("a.ts"))).toBeUndefined();
    await null;
    write({ "lib.ts": "2" });
    expect(cache.get(at("a.ts"))).toBeDefined();
    await null;
    rmSync(at("lib.ts"));
    expect(cache.get(at("a.ts"))).toBeUndefined();
    write({ "lib.ts": "2" });
    cache = put();
    write({ "a.ts": "4" });
    expect(cache.get(at("a.ts"))).toBeUndefined();
  });

  test("survives what changes times only", () => {
    const { write, path: at } = workbench();
    const a = write({ "a.ts": "1" });
    const first = openContractCache({ cacheDir: at("cache") });
    first.put(a, from(), { contract: plain });
    first.save();
    age(a);
    expect(openContractCache({ cacheDir: at("cache") }).get(a)).toEqual({ contract: plain });
  });

  test("of another process is kept at a save", () => {
    const { write, path: at } = workbench();
    const [a, b] = [write({ "a.ts": "1" }), write({ "b.ts": "2" })];
    const [one, two] = [openContractCache({ cacheDir: at("cache") }), openContractCache({ cacheDir: at("cache") })];
    expect(two.get(a)).toBeUndefined();
    one.put(a, from(), { contract: plain });
    one.save();
    two.put(b, from(), { contract: full });
    two.save();
    const third = openContractCache({ cacheDir: at("cache") });
    expect([third.get(a), third.get(b)]).toEqual([{ contract: plain }, { contract: full }]);
  });

  test("is forgotten in the file with the tool", () => {
    const { write, path: at } = workbench();
    const [a, b] = [write({ "a.ts": "1" }), write({ "b.ts": "2" })];
    const cache = openContractCache({ cacheDir: at("cache") });
    cache.put(a, from(), { contract: plain });
    cache.put(b, from(), { contract: plain });
    rmSync(a);
    cache.save();
    const text = readFileSync(at("cache/contracts.cache"), "utf8");
    expect([text.includes("a.ts"), text.includes("b.ts")]).toEqual([false, true]);
  });
});

describe("times", () => {
  const stampOf = (file: string) => JSON.parse(readFileSync(file, "utf8").split("\n", 1)[0] ?? "").stamps as unknown[];

  test("that are too fresh are not trusted: a change of the same size and time is seen", async () => {
    const { write, path: at } = workbench();
    const a = write({ "a.ts": "1" });
    const { mtime } = statSync(a);
    const cache = openContractCache({ cacheDir: at("cache") });
    cache.put(a, from(), { contract: plain });
    expect(cache.get(a)).toBeDefined();
    cache.save();
    expect(stampOf(at("cache/contracts.cache"))[2]).toBe(0);
    await null;
    write({ "a.ts": "2" });
    utimesSync(a, mtime, mtime);
    expect(cache.get(a)).toBeUndefined();
  });

  test("that vouch are believed without reading, and written once", () => {
    const { write, path: at } = workbench();
    const a = write({ "a.ts": "1" });
    const first = openContractCache({ cacheDir: at("cache") });
    first.put(a, from(), { contract: plain });
    first.save();
    const file = at("cache/contracts.cache");
    const { ctimeMs, size } = statSync(a);
    // As a process writes it that finds the file unchanged for a while; the hash is of nothing, so it is not looked at.
    const head = { ...JSON.parse(readFileSync(file, "utf8")), stamps: [a, "believed", ctimeMs, size] };
    writeFileSync(file, `${JSON.stringify(head)}\n`);
    const before = statSync(file).mtimeMs;
    const second = openContractCache({ cacheDir: at("cache") });
    expect(second.get(a)).toEqual({ contract: plain });
    second.save();
    expect(statSync(file).mtimeMs).toBe(before);
  });

  test("that came to vouch are written for the next process", () => {
    const { write, path: at } = workbench();
    const a = write({ "a.ts": "1" });
    const cache = openContractCache({ cacheDir: at("cache") });
    cache.put(a, from(), { contract: plain });
    cache.save();
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
    try {
      const later = openContractCache({ cacheDir: at("cache") });
      expect(later.get(a)).toBeDefined();
      later.save();
    } finally {
      vi.useRealTimers();
    }
    expect(stampOf(at("cache/contracts.cache"))).toEqual([a, expect.any(String), statSync(a).ctimeMs, 1]);
  });
});

describe("a file that cannot be trusted", () => {
  const sound = { version: 2, stamps: ["/a.ts", "h", 0, 0], tools: [[0], {}] };
  test.each([
    ["empty", ""],
    ["no JSON", "{\n"],
    ["no object", "null\n"],
    ["another version", `${JSON.stringify({ ...sound, version: 0 })}\n`],
    ["no lists", `${JSON.stringify({ ...sound, tools: 1 })}\n`],
    ["rows that are none", `${JSON.stringify({ ...sound, tools: [null, null] })}\n`],
    ["stamps that are none", `${JSON.stringify({ ...sound, stamps: ["/a.ts", 1, 2, 3] })}\n`],
    ["places that are none", `${JSON.stringify({ ...sound, tools: [[7, -1, "x"], {}] })}\n`],
    ["no places", `${JSON.stringify({ ...sound, tools: [[], {}] })}\n`],
    ["an unknown failure", `${JSON.stringify({ ...sound, tools: [[0], { failure: { code: "WHAT" } }] })}\n`],
    ["a schema cut off", `${JSON.stringify({ ...sound, tools: [[0], { parameters: 30 }] })}\n{"type"`],
    ["a schema too many", `${JSON.stringify(sound)}\n{}`],
  ])("%s", (_, text) => {
    const { write, path: at } = workbench();
    const a = write({ "cache/contracts.cache": text, "a.ts": "1" });
    const cache = openContractCache({ cacheDir: at("cache") });
    expect(cache.get(a)).toBeUndefined();
    expect(cache.get("/a.ts")).toBeUndefined();
    cache.put(a, from(), { contract: plain });
    cache.save();
    expect(openContractCache({ cacheDir: at("cache") }).get(a)).toEqual({ contract: plain });
  });

  test("a directory that cannot be written: one warning", () => {
    const { write, path: at } = workbench();
    const a = write({ cache: "a file", "a.ts": "1" });
    const cache = openContractCache({ cacheDir: at("cache") });
    cache.put(a, from(), { contract: plain });
    cache.save();
    expect(cache.save()).toMatchObject({ code: "CACHE_UNWRITABLE", severity: "warning" });
    expect(cache.get(a)).toEqual({ contract: plain });
  });
});

describe("with a loader", () => {
  const source = (n: number) =>
    `import { Tool } from "toolroom"; import "./lib.ts"; export default class A extends Tool { static readonly timeoutMs = ${n}; execute() { return this.success(""); } }`;

  test("a contract belongs to the text that was loaded, not to the one that lies there when it is put", async () => {
    const { write, loader: open, path: at } = workbench();
    const file = write({ "lib.ts": "", "a.ts": source(1) });
    const loader = open();
    const cache = openContractCache({});
    const outcome = await loadTool(loader, { id: "a", file });
    if (!("tool" in outcome)) throw new Error(outcome.diagnostic.message);
    write({ "a.ts": source(2) });
    cache.put(file, loader, { contract: outcome.tool.contract });
    expect(cache.get(file)).toBeUndefined();
    await null;
    write({ "a.ts": source(1) });
    expect(cache.get(file)).toEqual({ contract: outcome.tool.contract });
    await null;
    write({ "lib.ts": "export {}" });
    expect(cache.get(at("a.ts"))).toBeUndefined();
  });

  test.each([
    ["a file", `import x from "./later.ts"; export default x;`, { "later.ts": "export default 1" }],
    [
      "a file in a directory that is not there",
      `import x from "./d/e/later.ts"; export default x;`,
      { "d/e/later.ts": "" },
    ],
    ["a first package", `import x from "later"; export default x;`, { "node_modules/later/index.js": "" }],
  ])("a failure for want of %s is outdated when that appears", async (_, text, later) => {
    const { write, loader: open } = workbench();
    const file = write({ "a.ts": text });
    const loader = open();
    const cache = openContractCache({});
    const found = await failure(loader, file);
    cache.put(file, loader, { diagnostic: found });
    expect(cache.get(file)).toEqual({ diagnostic: found });
    await null;
    await new Promise((go) => setTimeout(go, 20));
    write(later as Record<string, string>);
    expect(cache.get(file)).toBeUndefined();
  });

  test("a failure of an import is outdated when that is mended", async () => {
    const { write, loader: open, path: at } = workbench();
    const file = write({ "lib.ts": "export const =", "a.ts": `import "./lib.ts";` });
    const loader = open();
    const cache = openContractCache({});
    const found = await failure(loader, file);
    cache.put(file, loader, { diagnostic: found });
    expect(cache.get(file)).toHaveProperty("diagnostic.code", "LOAD_SYNTAX");
    await null;
    write({ "lib.ts": "export const a = 1" });
    expect(cache.get(file)).toBeUndefined();
    await load(loader, at("a.ts"));
  });
});
