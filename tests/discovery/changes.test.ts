import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDiscovery } from "../../core/discovery/discovery.ts";
import { makeTree, manifest, writeTree } from "../helpers/tree.ts";

function house() {
  const root = makeTree({
    "usr/plugins/a/plugin.yaml": manifest("a"),
    "usr/plugins/a/tools/one.ts": "1",
    "usr/plugins/a/tools/_helper.ts": "1",
    "usr/plugins/a/prompts/agent.system.tool.one.md": "one",
    "usr/plugins/a/skills/s/SKILL.md": "s",
    "agents/p/agent.yaml": "title: p\n",
    "tools/core.ts": "1",
  });
  const discovery = openDiscovery({ root, home: makeTree({}) });
  discovery.mark();
  const since = (change: () => void): readonly string[] => {
    change();
    discovery.refresh();
    return discovery.changes();
  };
  return { root, discovery, since };
}

describe("changes between two looks", () => {
  it("are none before the second, and where nothing was done", () => {
    const { discovery, since } = house();
    expect(discovery.changes()).toEqual([]);
    expect(since(() => {})).toEqual([]);
    expect(since(() => {})).toEqual([]);
  });

  it("are files that were written, appeared and vanished, of every kind and in every layer", () => {
    const { root, since } = house();
    const edit = (file: string, text = "22") => writeFileSync(join(root, file), text);
    expect(since(() => edit("usr/plugins/a/tools/one.ts"))).toEqual(["usr/plugins/a/tools/one.ts"]);
    expect(since(() => edit("tools/core.ts", "22"))).toEqual(["tools/core.ts"]);
    expect(since(() => edit("usr/plugins/a/prompts/agent.system.tool.one.md"))).toEqual([
      "usr/plugins/a/prompts/agent.system.tool.one.md",
    ]);
    expect(since(() => edit("usr/plugins/a/skills/s/SKILL.md"))).toEqual(["usr/plugins/a/skills/s/SKILL.md"]);
    const more = { "usr/settings.yaml": "log: {}\n", "usr/plugins/a/.toggle-0": "", "agents/p/agent.json": "{}" };
    expect(since(() => writeTree(root, more))).toEqual(Object.keys(more).sort());
    expect(since(() => rmSync(join(root, "usr/plugins/a/tools"), { recursive: true }))).toEqual([
      "usr/plugins/a/tools/_helper.ts",
      "usr/plugins/a/tools/one.ts",
    ]);
    expect(since(() => {})).toEqual([]);
  });

  it("show where the modification time was put back", () => {
    const { root, since } = house();
    const file = join(root, "tools/core.ts");
    const back = () => utimesSync(file, 1_700_000_000, 1_700_000_000);
    expect(since(back)).toEqual(["tools/core.ts"]);
    expect(
      since(() => {
        writeFileSync(file, "333");
        back();
      }),
    ).toEqual(["tools/core.ts"]);
  });

  it("are not documents, declarations and tests, nor anything outside the content", () => {
    const { root, since } = house();
    const others = {
      "usr/AGENTS.md": "",
      "usr/plugins/a/README.md": "",
      "tools/core.ts.dox.md": "",
      "tools/core.test.ts": "",
      "tools/core.d.ts": "",
      "prompts/AGENTS.md": "",
      "src/main.ts": "",
      "usr/sessions/x.json": "",
    };
    expect(since(() => writeTree(root, others))).toEqual([]);
  });
});
