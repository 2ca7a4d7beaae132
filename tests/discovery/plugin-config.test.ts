import { describe, expect, it } from "vitest";
import { addFiles, codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

/** Places of settings, lowest first, each with a value of its own for the key that all have. */
const PLACES: readonly string[] = [
  "plugins/_files/default_config.yaml",
  "plugins/_files/config.yaml",
  "usr/plugins/_files/config.yaml",
  "agents/p/plugins/_files/config.yaml",
  "usr/plugins/provider/agents/p/plugins/_files/config.yaml",
  "usr/agents/p/plugins/_files/config.yaml",
  "usr/projects/J/plugins/_files/config.yaml",
  "usr/projects/J/agents/p/plugins/_files/config.yaml",
];
const BASE = {
  "plugins/_files/plugin.yaml": "",
  "usr/plugins/provider/plugin.yaml": "",
  "agents/p/tools/x.ts": TOOL,
  "usr/projects/J/": "",
};

const config = (root: string, env: Record<string, string> = {}) =>
  open(root, { env }).view("p", "J").pluginConfig("_files");

describe("the settings of a plugin", () => {
  it("are merged key by key, the higher place over the lower one", () => {
    const root = tree(BASE);
    expect(config(root)).toEqual({});
    for (const [at, place] of PLACES.entries()) {
      addFiles(root, { [place]: `who: ${at}\nnested: {who: ${at}, only_${at}: true}` });
      const only = Object.fromEntries(PLACES.slice(0, at + 1).map((_, index) => [`only_${index}`, true]));
      expect(config(root)).toEqual({ who: at, nested: { who: at, ...only } });
    }
    const env = { TOOLROOM_FILES__WHO: "env", TOOLROOM_FILES__NESTED__ONLY_0: "false" };
    expect(config(root, env)).toMatchObject({ who: "env", nested: { who: 7, only_0: false, only_7: true } });
  });

  it("keep a new default beside older settings", () => {
    const root = tree({
      ...BASE,
      "plugins/_files/default_config.yaml": "a: 1\nb: {c: 2, d: 3}",
      "usr/plugins/_files/config.json": '{"b": {"c": 9}}',
    });
    expect(config(root)).toEqual({ a: 1, b: { c: 9, d: 3 } });
  });

  it("of a user's plugin come from its own directory, not from the bundled one that it replaces", () => {
    const root = tree({
      ...BASE,
      "plugins/_files/default_config.yaml": "a: 1",
      "usr/plugins/_files/plugin.yaml": "",
      "usr/plugins/_files/config.yaml": "b: 2",
      "usr/plugins/_files/default_config.yaml": "b: 1\nc: 3",
    });
    expect(config(root)).toEqual({ b: 2, c: 3 });
  });

  it("are read for a project and a profile only where they belong", () => {
    const root = tree({
      ...BASE,
      "usr/projects/J/plugins/_files/config.yaml": "a: project",
      "usr/agents/p/plugins/_files/config.yaml": "a: profile",
    });
    const discovery = open(root);
    expect(discovery.view("p", "J").pluginConfig("_files")).toEqual({ a: "project" });
    expect(discovery.view("p").pluginConfig("_files")).toEqual({ a: "profile" });
    expect(discovery.view("default").pluginConfig("_files")).toEqual({});
    expect(discovery.view("default").pluginConfig("nobody")).toEqual({});
  });

  it("report what is wrong, once, and keep the rest", () => {
    const root = tree({
      ...BASE,
      "plugins/_files/default_config.yaml": "a: 1",
      "usr/plugins/_files/config.yaml": "b: [",
      "usr/plugins/_files/config.json": "{}",
      "usr/agents/p/plugins/_files/config.yaml": "- x",
    });
    const view = open(root).view("p");
    expect(view.pluginConfig("_files")).toEqual({ a: 1 });
    view.pluginConfig("_files");
    expect(view.diagnostics).toMatchObject([
      { code: "SETTINGS_INVALID", file: "usr/agents/p/plugins/_files/config.yaml", line: 1 },
      { code: "SETTINGS_INVALID", file: "usr/plugins/_files/config.json", severity: "warning" },
      { code: "SETTINGS_INVALID", file: "usr/plugins/_files/config.yaml", line: 1 },
    ]);
  });
});

describe("settings from the environment", () => {
  const root = tree({
    ...BASE,
    "plugins/_files/default_config.yaml": "maxBytes: 1\nNested: {DeepKey: 1}\nlist: [1]",
    "usr/plugins/my-tool.x/plugin.yaml": "",
  });

  it("are JSON where they can be, and text otherwise", () => {
    const env = {
      TOOLROOM_FILES__A: "12",
      TOOLROOM_FILES__B: "[1, 2]",
      TOOLROOM_FILES__C: "true",
      TOOLROOM_FILES__D: "plain text",
      TOOLROOM_FILES__E: '"quoted"',
      TOOLROOM_FILES__F: "",
      TOOLROOM_FILES__G: "null",
    };
    expect(config(root, env)).toMatchObject({
      a: 12,
      b: [1, 2],
      c: true,
      d: "plain text",
      e: "quoted",
      f: "",
      g: null,
    });
  });

  it("find keys without regard to case, and keep their spelling", () => {
    expect(config(root, { TOOLROOM_FILES__MAXBYTES: "5", TOOLROOM_FILES__NESTED__DEEPKEY: "2" })).toEqual({
      maxBytes: 5,
      Nested: { DeepKey: 2 },
      list: [1],
    });
  });

  it("may build what no file has", () => {
    expect(config(root, { TOOLROOM_FILES__X__Y__Z: "1", TOOLROOM_FILES__X__Y__W: "2" })).toMatchObject({
      x: { y: { z: 1, w: 2 } },
    });
  });

  it("take no other variables", () => {
    expect(
      config(root, { TOOLROOM_FILE__A: "1", TOOLROOM_FILES: "1", TOOLROOM_FILES__: "1", TOOLROOM_MODEL: "x" }),
    ).toEqual(config(root));
  });

  it("are named without the leading _ and without signs that variables cannot have", () => {
    expect(
      open(root, { env: { TOOLROOM_MY_TOOL_X__A: "1" } })
        .view("p")
        .pluginConfig("my-tool.x"),
    ).toEqual({ a: 1 });
  });

  it("cannot reach a prototype", () => {
    config(root, { TOOLROOM_FILES____PROTO____POLLUTED: "1", TOOLROOM_FILES__CONSTRUCTOR__PROTOTYPE__POLLUTED: "1" });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("go to neither of two plugins that claim the same ones, which is an error once one is set", () => {
    const both = tree({ ...BASE, "usr/plugins/files/plugin.yaml": "", "usr/plugins/files__deep/plugin.yaml": "" });
    expect(open(both).view("p").diagnostics).toMatchObject([
      { code: "SETTINGS_ENV_CLASH", severity: "warning" },
      { code: "SETTINGS_ENV_CLASH", severity: "warning" },
    ]);
    const view = open(both, { env: { TOOLROOM_FILES__A: "1", TOOLROOM_FILES__DEEP__B: "2" } }).view("p");
    expect(view.diagnostics.every(({ severity, code }) => severity === "error" && code === "SETTINGS_ENV_CLASH")).toBe(
      true,
    );
    expect(["files", "_files", "files__deep"].map((id) => view.pluginConfig(id))).toEqual([{}, {}, {}]);
    expect(codes(open(tree({ ...BASE, "usr/plugins/files/.toggle-1": "" })).view("p").diagnostics)).toEqual([]);
  });
});
