import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, toolSource } from "../helpers/tree.ts";
import { openHouse, pluginFiles } from "./house.ts";

/** A tool whose module notes each evaluation in `usr/evaluated`, with everything that a contract can say. */
const NOTED = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Tool, z } from "toolroom";
appendFileSync(join(import.meta.dirname, "../../../evaluated"), "x");
const parameters = z.object({ who: z.string().describe("whom to greet") });
export default class Greet extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ who }: z.infer<typeof parameters>) { return this.success("hello " + who); }
}
`;
const NOTED_PLUGIN = { ...pluginFiles("greeter", "greet", "hello"), "usr/plugins/greeter/tools/greet.ts": NOTED };

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort();
}

function evaluations(root: string): number {
  const file = join(root, "usr/evaluated");
  return existsSync(file) ? readFileSync(file, "utf8").length : 0;
}

describe("modules", () => {
  it("are run by no list, explain, status or diagnostics, in a cold host and in a warm one", async () => {
    const { host, root, again } = await openHouse(NOTED_PLUGIN);
    const ask = async (asked: typeof host) => {
      const { tools } = await asked.list();
      await asked.explain("greet");
      asked.items("plugin");
      await asked.status();
      asked.diagnostics();
      await asked.reload();
      return tools.find(({ name }) => name === "greet");
    };
    expect(await ask(host)).toMatchObject({ status: "unloaded", risk: null });
    expect(evaluations(root)).toBe(0);
    await host.call("greet", { who: "you" });
    await host.close();
    expect(await ask(await again())).toMatchObject({ status: "ok", risk: "low" });
    expect(evaluations(root)).toBe(1);
  });

  it("are run by no warm prompt, tool definitions or parameters, which are the same as the cold ones", async () => {
    const { host, root, again } = await openHouse(NOTED_PLUGIN);
    const ask = async (asked: typeof host) => [
      await asked.prompt(),
      await asked.toolDefinitions(),
      await asked.parameters("greet"),
    ];
    const cold = await ask(host);
    expect(evaluations(root)).toBe(1);
    await host.close();
    const warm = await again();
    expect(await ask(warm)).toEqual(cold);
    expect(evaluations(root)).toBe(1);
    expect(await warm.call("greet", { who: "you" })).toMatchObject({ message: "hello you" });
    expect(evaluations(root)).toBe(2);
  });

  it("are run again for their contract when they or what they import has changed", async () => {
    const house = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      "usr/plugins/greeter/lib/who.ts": 'export const description = "whom to greet";\n',
      "usr/plugins/greeter/tools/greet.ts": NOTED.replace(
        'import { Tool, z } from "toolroom";',
        'import { Tool, z } from "toolroom";\nimport { description } from "../lib/who.ts";',
      ).replace('"whom to greet"', "description"),
    });
    await house.host.toolDefinitions();
    await house.host.close();
    house.write({ "usr/plugins/greeter/lib/who.ts": 'export const description = "whom to welcome";\n' });
    const next = await house.again();
    const [greet] = (await next.list()).tools.filter(({ name }) => name === "greet");
    expect(greet).toMatchObject({ status: "unloaded" });
    expect(JSON.stringify(await next.parameters("greet"))).toContain("whom to welcome");
    expect(evaluations(house.root)).toBe(2);
  });

  it("are the current ones after a reload, down to what they import, and those of before the reload until then", async () => {
    const house = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      "usr/plugins/greeter/lib/word.ts": 'export const word = "one";\n',
      "usr/plugins/greeter/tools/greet.ts": toolSource("")
        .replace('this.success("")', "this.success(word)")
        .replace('"toolroom";', '"toolroom";\nimport { word } from "../lib/word.ts";'),
    });
    const { host } = house;
    expect(await host.call("greet", {})).toMatchObject({ message: "one" });
    house.write({ "usr/plugins/greeter/lib/word.ts": 'export const word = "two";\n' });
    expect(await host.call("greet", {})).toMatchObject({ message: "one" });
    expect((await host.reload()).files).toEqual(["usr/plugins/greeter/lib/word.ts"]);
    expect(await host.call("greet", {})).toMatchObject({ message: "two", context: { generation: 2 } });
    expect((await host.reload()).files).toEqual([]);
  });
});

describe("a broken file in a higher layer", () => {
  const files = {
    ...pluginFiles("greeter", "greet", "hello"),
    "usr/tools/greet.ts": `${toolSource("higher")}\nthrow new Error("no luck");\n`,
  };

  it("fails the call with cause, file and line; the lower one does not step in", async () => {
    const { host } = await openHouse(files);
    const result = await host.call("greet", {});
    expect(result).toMatchObject({
      status: "error",
      error: {
        code: "TOOL_LOAD_FAILED",
        class: "tool",
        cause: { code: "LOAD_THREW", file: "usr/tools/greet.ts", line: 9, severity: "error" },
      },
    });
    expect(result.message).toContain("usr/tools/greet.ts:9");
    expect(result.message).toContain("no luck");
    const { tools, diagnostics } = await host.list();
    expect(tools.find(({ name }) => name === "greet")).toMatchObject({
      status: "failed",
      file: "usr/tools/greet.ts",
      shadows: ["usr/plugins/greeter/tools/greet.ts"],
      diagnostics: ["LOAD_THREW"],
    });
    expect(diagnostics).toMatchObject([{ code: "LOAD_THREW", file: "usr/tools/greet.ts", line: 9 }]);
    expect(await host.explain("greet")).toMatchObject({
      winner: "usr/tools/greet.ts",
      candidates: [{ state: "failed" }, { state: "shadowed" }],
      diagnostics: [{ code: "LOAD_THREW" }],
    });
    expect(await host.status()).toMatchObject({ health: "degraded", failedTools: 1 });
  });

  it("is told at the next start too, without being run, and a call tries again", async () => {
    const house = await openHouse(files);
    await house.host.call("greet", {});
    await house.host.close();
    const next = await house.again();
    const [greet] = (await next.list()).tools.filter(({ name }) => name === "greet");
    expect(greet).toMatchObject({ status: "failed", diagnostics: ["LOAD_THREW"] });
    house.write({ "usr/tools/greet.ts": toolSource("mended") });
    expect(await next.call("greet", {})).toMatchObject({ message: "mended" });
    expect((await next.list()).diagnostics).toEqual([]);
  });

  it("lets the lower one serve, with a warning, where fallbackOnLoadError says so", async () => {
    const house = await openHouse({ ...files, "usr/settings.yaml": "fallbackOnLoadError: true\n" });
    const { host } = house;
    expect(await host.call("greet", {})).toMatchObject({ status: "success", message: "hello" });
    const { tools, diagnostics } = await host.list();
    expect(tools.find(({ name }) => name === "greet")).toMatchObject({
      status: "degraded",
      risk: "low",
      file: "usr/tools/greet.ts",
      diagnostics: ["LOAD_FALLBACK", "LOAD_THREW"],
    });
    expect(diagnostics).toMatchObject([
      { code: "LOAD_FALLBACK", severity: "warning", file: "usr/tools/greet.ts" },
      { code: "LOAD_THREW", severity: "error" },
    ]);
    expect((await host.prompt()).text).toContain("Says hello.");
    house.write({ "usr/tools/greet.ts": toolSource("mended") });
    expect(await host.call("greet", {})).toMatchObject({ message: "mended" });
    const after = await host.list();
    expect(after.tools.find(({ name }) => name === "greet")).toMatchObject({ status: "ok", diagnostics: [] });
    expect(after.diagnostics).toEqual([]);
  });

  it("fails even so where no lower one loads", async () => {
    const { host } = await openHouse({
      ...files,
      "usr/plugins/greeter/tools/greet.ts": "export default 1;\n",
      "usr/settings.yaml": "fallbackOnLoadError: true\n",
    });
    expect(await host.call("greet", {})).toMatchObject({
      error: { code: "TOOL_LOAD_FAILED", cause: { code: "LOAD_THREW", file: "usr/tools/greet.ts" } },
    });
  });
});

describe("the cache", () => {
  const files = { "usr/plugins/greeter/plugin.yaml": manifest("greeter"), ...NOTED_PLUGIN };
  const works = async (house: Awaited<ReturnType<typeof openHouse>>) => {
    const host = await house.again();
    expect(await host.call("greet", { who: "you" })).toMatchObject({ message: "hello you" });
    expect((await host.list()).tools.map(({ name }) => name)).toContain("greet");
    expect((await host.prompt()).text).toContain("Says hello.");
    return host;
  };

  it("may be deleted, damaged or another's: it is built anew", async () => {
    const house = await openHouse(files);
    await (await works(house)).close();
    const cache = join(house.root, "usr/.cache");
    const kept = filesBelow(cache);
    expect(kept.length).toBeGreaterThan(2);
    expect((await works(house)).diagnostics()).toEqual([]);
    for (const text of ["", "{", "null", '{"version":99}', "\u0000\u0001\n\u0002"]) {
      for (const file of kept) writeFileSync(join(cache, file), text);
      const host = await works(house);
      expect(host.diagnostics()).toEqual([]);
      await host.close();
    }
    for (const file of kept) truncateSync(join(cache, file), Math.floor(statSync(join(cache, file)).size / 2));
    await works(house);
    rmSync(cache, { recursive: true });
    await works(house);
  });

  it("that cannot be written costs nothing but time, and is told", async () => {
    const house = await openHouse({ ...files, "usr/.cache": "a file where the directory should be" });
    const host = await works(house);
    expect(host.diagnostics()).toMatchObject([{ code: "CACHE_UNWRITABLE", severity: "warning", file: "usr/.cache" }]);
    await host.close();
    expect(readFileSync(join(house.root, "usr/.cache"), "utf8")).toBe("a file where the directory should be");
  });

  it("is not shared between hosts: each sees its own version of a file", async () => {
    const [one, two] = [
      await openHouse(pluginFiles("greeter", "greet", "one")),
      await openHouse(pluginFiles("greeter", "greet", "two")),
    ];
    expect(await one.host.call("greet", {})).toMatchObject({ message: "one" });
    expect(await two.host.call("greet", {})).toMatchObject({ message: "two" });

    const older = one.host;
    one.write({ "usr/plugins/greeter/tools/greet.ts": toolSource("three") });
    const newer = await one.again();
    expect(await newer.call("greet", {})).toMatchObject({ message: "three" });
    expect(await older.call("greet", {})).toMatchObject({ message: "one" });
    expect((await newer.toolDefinitions()).map(({ name }) => name)).toContain("greet");
  });
});

describe("a root without usr/", () => {
  it("is never written to: all goes to the person's state directory", async () => {
    const state = await openHouse();
    const house = await openHouse(
      { "plugins/greeter/plugin.yaml": manifest("greeter"), "plugins/greeter/tools/greet.ts": toolSource("hello") },
      { env: { XDG_STATE_HOME: state.root } },
    );
    rmSync(join(house.root, "usr"), { recursive: true });
    const host = await house.again();
    const before = filesBelow(house.root);
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
    await host.run("/tool greet");
    await host.reload();
    await host.close();
    expect(filesBelow(house.root)).toEqual(before);
    const written = filesBelow(join(state.root, "toolroom"));
    expect(written.length).toBeGreaterThan(2);
    expect(new Set(written.map((path) => path.replace(/^[0-9a-f]{16}\/(\.?\w+)\/.*/u, "$1")))).toEqual(
      new Set([".cache", "audit", "logs"]),
    );
  });
});
