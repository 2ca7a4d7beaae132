import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";
import { openHouse, pluginFiles } from "./house.ts";

describe("a root", () => {
  it.each(["a (b) [c]", "with space", "per%20cent", "#hash", "üñí 目录", "back\\slash", "{a,b}!(c)*"])(
    "may be named %s: its content is found, loaded and run",
    async (name) => {
      const root = join(makeTree({}), name);
      mkdirSync(root);
      const house = await openHouse({}, { root });
      house.write({
        ...pluginFiles("greeter", "greet", "hello"),
        "usr/plugins/greeter/lib/word.ts": 'export const word = "from lib";\n',
        "usr/plugins/greeter/tools/greet.ts": toolSource("")
          .replace('"toolroom";', '"toolroom";\nimport { word } from "../lib/word.ts";')
          .replace('success("")', "success(word)"),
      });
      expect(await house.host.reload()).toMatchObject({ status: "ok" });
      expect(await house.host.call("greet", {})).toMatchObject({ message: "from lib" });
      expect((await house.host.prompt()).text).toContain("Says hello.");
      house.write({ "usr/tools/broken.ts": "\nthrow new Error('x');" });
      await house.host.reload();
      expect(await house.host.call("broken", {})).toMatchObject({
        error: { code: "TOOL_LOAD_FAILED", cause: { file: "usr/tools/broken.ts", line: 2 } },
      });
      expect(house.host.diagnostics().map(({ code }) => code)).toEqual(["LOAD_THREW"]);
    },
  );

  it("may be reached through a link", async () => {
    const real = await openHouse(pluginFiles("greeter", "greet", "hello"));
    const link = join(makeTree({}), "link");
    symlinkSync(real.root, link);
    const host = await real.again({ root: link });
    expect(host.root).toBe(real.root);
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
  });

  it("is the nearest one above the working directory, and the workspace is that directory", async () => {
    const house = await openHouse({ ...pluginFiles("greeter", "greet", "hello"), "deep/down/a.txt": "one" });
    const cwd = join(house.root, "deep/down");
    const { createHost } = await import("../../core/host.ts");
    const host = await createHost({ trust: true, cwd, env: {} });
    expect([host.root, host.workspace]).toEqual([house.root, cwd]);
    expect(await host.call("word_count", { path: "a.txt" })).toMatchObject({ data: { words: 1 } });
    await host.close();
    const relative = await createHost({ trust: true, cwd: house.root, workspace: "deep", env: {} });
    expect(relative.workspace).toBe(join(house.root, "deep"));
    await relative.close();
  });

  it("that is missing or a file is wrong usage", async () => {
    const house = await openHouse({ file: "" });
    for (const root of [join(house.root, "none"), join(house.root, "file")]) {
      await expect(house.again({ root })).rejects.toMatchObject({ code: "ROOT_MISSING", kind: "usage" });
      await expect(house.again({ workspace: root })).rejects.toMatchObject({ code: "ROOT_MISSING", kind: "usage" });
    }
  });

  it("may be empty: the bundled content serves", async () => {
    const house = await openHouse({}, { root: makeTree({}), env: { XDG_STATE_HOME: makeTree({}) } });
    expect((await house.host.list()).tools.map(({ name }) => name)).toContain("word_count");
    expect((await house.host.run("/tool response text=hi")).answer).toBe("hi");
    expect(house.host.diagnostics()).toEqual([]);
  });
});

describe("a linked plugin", () => {
  it("outside of the root is refused until linkRoots admits it; then it runs like any other", async () => {
    const outside = makeTree({
      "greeter/plugin.yaml": manifest("greeter"),
      "greeter/lib/word.ts": 'export const word = "from outside";\n',
      "greeter/tools/greet.ts": toolSource("")
        .replace('"toolroom";', '"toolroom";\nimport { word } from "../lib/word.ts";')
        .replace('success("")', "success(word)"),
    });
    const house = await openHouse();
    symlinkSync(join(outside, "greeter"), join(house.root, "usr/plugins/greeter"));
    await house.host.reload();
    expect(await house.host.call("greet", {})).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect(await house.host.explain("greeter", { kind: "plugin" })).toMatchObject({
      winner: null,
      candidates: [{ state: "refused", reason: expect.stringContaining("linkRoots") }],
    });
    expect(house.host.diagnostics()).toMatchObject([{ code: "LINK_REFUSED", severity: "error" }]);

    house.write({ "usr/settings.yaml": `linkRoots: [${JSON.stringify(outside)}]\n` });
    expect(await house.host.reload()).toMatchObject({ status: "ok" });
    expect(await house.host.call("greet", {})).toMatchObject({
      message: "from outside",
      context: { owner: "greeter" },
    });
    expect(house.host.diagnostics()).toEqual([]);
  });

  it("to a system directory brings nothing in", async () => {
    const house = await openHouse();
    symlinkSync("/etc", join(house.root, "usr/plugins/etc"));
    symlinkSync(house.root, join(house.root, "usr/plugins/loop"));
    await house.host.reload();
    const before = (await house.again({ root: makeTree({ "usr/plugins/.gitkeep": "" }) })).list();
    expect((await house.host.list()).tools.map(({ name }) => name)).toEqual(
      (await before).tools.map(({ name }) => name),
    );
    expect(house.host.diagnostics().map(({ code }) => code)).toContain("LINK_REFUSED");
  });
});

describe("a name of a bundled tool", () => {
  it("may be claimed by a plugin, each of them: that one serves, with its own schema, and the bundled file is named", async () => {
    const bundled = (await (await openHouse()).host.list()).tools;
    const own = (name: string) => `import { Tool, z } from "toolroom";
const parameters = z.object({ of_${name}: z.string() });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute(args: z.infer<typeof parameters>) { return this.success("claimed " + Object.keys(args)); }
}
`;
    const files = Object.fromEntries(bundled.map(({ name }) => [`usr/plugins/claims/tools/${name}.ts`, own(name)]));
    const { host } = await openHouse({ ...files, "usr/plugins/claims/plugin.yaml": manifest("claims") });
    expect(bundled.length).toBeGreaterThan(4);
    for (const { name, file } of bundled) {
      expect(await host.call(name, { [`of_${name}`]: "x" })).toMatchObject({ message: `claimed of_${name}` });
      expect(await host.call(name, { path: "x" })).toMatchObject({
        error: { code: "INVALID_PARAM", pointer: "/path" },
      });
      const [listed] = (await host.list()).tools.filter((tool) => tool.name === name);
      expect(listed).toMatchObject({ plugin: "claims", shadows: [file], diagnostics: [] });
    }
    const parameters = new Map((await host.toolDefinitions()).map((tool) => [tool.name, tool.parameters]));
    expect(parameters.get("word_count")).toMatchObject({ required: ["of_word_count"] });
  });
});

describe("a plugin of the root that is broken", () => {
  it("stops nothing: it is an error that is told, and everything else serves", async () => {
    const { host } = await openHouse({
      "plugins/_policy/plugin.yaml": manifest("_policy", "always_enabled: true\n"),
      "plugins/_policy/tools/guard.ts": "throw new Error('no');",
      "plugins/_torn/plugin.yaml": "{",
      "plugins/unmarked/plugin.yaml": manifest("unmarked"),
    });
    await host.call("guard", {});
    expect(await host.call("response", { text: "still here" })).toMatchObject({ message: "still here" });
    expect(host.diagnostics().map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "error LOAD_THREW",
      "error MANIFEST_INVALID",
    ]);
  });
});

describe("a published schema", () => {
  const SCHEMA = {
    type: "object",
    properties: {
      edits: { type: "array", items: { type: "object", properties: { old: { type: "string" } }, required: ["old"] } },
      mode: { enum: ["a", 1, null] },
      either: { anyOf: [{ type: "string" }, { type: "integer", minimum: 2 }] },
    },
    required: ["edits"],
    additionalProperties: false,
  };

  it("is the declared one, whole, cold and from the cache", async () => {
    const house = await openHouse({
      "usr/tools/edit.ts": toolSource("done", `static readonly parameters = ${JSON.stringify(SCHEMA)};`),
    });
    const published = async (host: typeof house.host) => {
      const [edit] = (await host.toolDefinitions()).filter(({ name }) => name === "edit");
      expect(edit?.parameters).toEqual(SCHEMA);
      expect(await host.parameters("edit")).toEqual(SCHEMA);
    };
    await published(house.host);
    await house.host.close();
    await published(await house.again());
  });

  it("is never an empty one in place of one that failed", async () => {
    const { host } = await openHouse({
      "usr/tools/edit.ts": toolSource("done", 'static get parameters() {\n    throw new Error("no schema");\n  }'),
    });
    expect((await host.toolDefinitions()).map(({ name }) => name)).not.toContain("edit");
    expect(await host.call("edit", {})).toMatchObject({
      error: { code: "TOOL_LOAD_FAILED", cause: { code: "LOAD_BAD_SCHEMA", file: "usr/tools/edit.ts", line: 3 } },
    });
  });
});
