import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fc } from "./property.ts";
import { addFiles, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();
const collisionsOf = (root: string) =>
  open(root)
    .view("default")
    .diagnostics.filter(({ code }) => code === "COLLISION");

const pluginName = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,8}$/u);
const toolName = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/u);

describe("two plugins with one tool", () => {
  it("are one collision that names both, whatever they are called", () => {
    const root = tree();
    fc.assert(
      fc.property(
        fc.uniqueArray(pluginName, { minLength: 2, maxLength: 2, selector: (name) => name.toLowerCase() }),
        toolName,
        (plugins, tool) => {
          rmSync(join(root, "usr"), { recursive: true, force: true });
          for (const plugin of plugins)
            addFiles(root, {
              [`usr/plugins/${plugin}/plugin.yaml`]: "",
              [`usr/plugins/${plugin}/tools/${tool}.ts`]: TOOL,
            });
          const found = collisionsOf(root);
          expect(found).toHaveLength(1);
          for (const plugin of plugins) expect(found[0]?.message).toContain(`(plugin ${plugin})`);
          const first = [...plugins].sort()[0];
          expect(open(root).view("default").catalog.get("tool", tool)?.winner?.plugin).toBe(first);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("are shown once however often they are found", () => {
    const files = ["a", "b"].flatMap((plugin) => [
      [`usr/plugins/${plugin}/plugin.yaml`, ""],
      [`usr/plugins/${plugin}/tools/t.ts`, TOOL],
    ]);
    const discovery = open(tree(Object.fromEntries(files)));
    const first = discovery.view("default").diagnostics;
    for (let round = 0; round < 10; round++) discovery.refresh();
    expect(discovery.view("default").diagnostics).toEqual(first);
    expect(first).toHaveLength(1);
  });

  it("in layers of different rows are none: the higher shadows the lower", () => {
    const root = tree({
      "usr/plugins/a/plugin.yaml": "",
      "usr/plugins/a/tools/t.ts": TOOL,
      "plugins/_b/plugin.yaml": "",
      "plugins/_b/tools/t.ts": TOOL,
      "usr/tools/t.ts": TOOL,
      "tools/t.ts": TOOL,
    });
    expect(collisionsOf(root)).toEqual([]);
  });

  it("are none when one of them is off", () => {
    const root = tree({
      "usr/plugins/a/plugin.yaml": "",
      "usr/plugins/a/tools/t.ts": TOOL,
      "usr/plugins/a/.toggle-0": "",
      "usr/plugins/b/plugin.yaml": "",
      "usr/plugins/b/tools/t.ts": TOOL,
    });
    expect(collisionsOf(root)).toEqual([]);
    expect(open(root).view("default").catalog.get("tool", "t")?.winner?.plugin).toBe("b");
  });
});

describe("two files of one directory with one id", () => {
  it("collide: a.ts beside a.mts, Foo.ts beside foo.ts", () => {
    const root = tree({
      "usr/tools/a.ts": TOOL,
      "usr/tools/a.mts": TOOL,
      "usr/tools/Foo.ts": TOOL,
      "usr/tools/foo.ts": TOOL,
    });
    const view = open(root).view("default");
    expect(view.diagnostics).toMatchObject([{ code: "COLLISION" }, { code: "COLLISION" }]);
    const messages = view.diagnostics.map(({ message }) => message).join("\n");
    for (const file of ["usr/tools/a.ts", "usr/tools/a.mts", "usr/tools/Foo.ts", "usr/tools/foo.ts"])
      expect(messages).toContain(file);
    expect(view.catalog.get("tool", "a")?.winner?.path).toBe("usr/tools/a.mts");
    expect(view.catalog.get("tool", "foo")?.winner?.path).toBe("usr/tools/foo.ts");
  });
});
