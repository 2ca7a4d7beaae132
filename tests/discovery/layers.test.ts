import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PRECEDENCE } from "../../core/discovery/layers.ts";
import { open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

/** Display paths of the candidates of tool `t`, highest first. */
function ladder(root: string, options: { home?: string; project?: string; profile?: string } = {}): string[] {
  const discovery = open(root, options.home === undefined ? {} : { home: options.home });
  const view = discovery.view(options.profile ?? "p", options.project);
  return (view.catalog.get("tool", "t")?.standings ?? []).map(({ candidate }) => candidate.path);
}

const PLUGINS = {
  "plugins/_core/plugin.yaml": "",
  "usr/plugins/alpha/plugin.yaml": "",
  "usr/plugins/Zed/plugin.yaml": "",
};

describe("the precedence table", () => {
  it("is the same in the doc comment, in the data and in the design", () => {
    const source = readFileSync(new URL("../../core/discovery/layers.ts", import.meta.url), "utf8");
    const rows = [...source.matchAll(/^ \* \| (\d) \| (.*) \|$/gmu)].map(([, rank, location]) => ({
      rank: Number(rank),
      location: location?.replaceAll("<each>", "*"),
    }));
    expect(rows).toEqual(PRECEDENCE);
    expect(rows.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("holds whole: every row, sub-rows in their order, user plugins before bundled ones by code point", () => {
    const paths = [
      "usr/projects/P/agents/p/tools/t.ts",
      "usr/projects/P/tools/t.ts",
      "usr/agents/p/tools/t.ts",
      "usr/plugins/Zed/agents/p/tools/t.ts",
      "usr/plugins/alpha/agents/p/tools/t.ts",
      "plugins/_core/agents/p/tools/t.ts",
      "agents/p/tools/t.ts",
      "usr/tools/t.ts",
      "usr/plugins/Zed/tools/t.ts",
      "usr/plugins/alpha/tools/t.ts",
      "plugins/_core/tools/t.ts",
      "tools/t.ts",
    ];
    const root = tree({ ...PLUGINS, ...Object.fromEntries(paths.map((path) => [path, TOOL])) });
    expect(ladder(root, { project: "P" })).toEqual(paths);
    expect(ladder(root)).toEqual(paths.slice(2));
  });

  /** One test for each row, in its own words: it wins over everything below it and is shadowed by what is above. */
  const places: readonly (readonly [rank: number, path: string])[] = [
    [1, "usr/projects/P/agents/p/tools/t.ts"],
    [2, "usr/projects/P/tools/t.ts"],
    [3, "usr/agents/p/tools/t.ts"],
    [4, "usr/plugins/alpha/agents/p/tools/t.ts"],
    [5, "agents/p/tools/t.ts"],
    [6, "usr/tools/t.ts"],
    [7, "plugins/_core/tools/t.ts"],
    [8, "tools/t.ts"],
  ];
  for (const [rank, path] of places) {
    const row = PRECEDENCE.find((one) => one.rank === rank);
    it(`row ${rank}: ${row?.location}`, () => {
      const below = places.filter(([other]) => other >= rank).map(([, file]) => [file, TOOL]);
      const root = tree({ ...PLUGINS, "agents/p/": "", "usr/projects/P/": "", ...Object.fromEntries(below) });
      const entry = open(root).view("p", "P").catalog.get("tool", "t");
      expect(entry?.winner?.path).toBe(path);
      expect(entry?.winner?.layer.rank).toBe(rank);
      expect(entry?.standings.slice(1).map(({ state }) => state)).toEqual(below.slice(1).map(() => "shadowed"));
    });
  }

  it("looks into the root first and then into the home, in rows 4, 5, 7 and 8", () => {
    const home = tree({
      "plugins/_core/plugin.yaml": "",
      "plugins/_core/tools/t.ts": TOOL,
      "plugins/_core/agents/p/tools/t.ts": TOOL,
      "agents/p/tools/t.ts": TOOL,
      "tools/t.ts": TOOL,
      // Not of a bundled home: none of these is looked at.
      "usr/tools/t.ts": TOOL,
      "usr/plugins/x/plugin.yaml": "",
      "usr/plugins/x/tools/t.ts": TOOL,
    });
    const root = tree({
      "plugins/own/plugin.yaml": "",
      "plugins/own/tools/t.ts": TOOL,
      "plugins/own/agents/p/tools/t.ts": TOOL,
      "agents/p/tools/t.ts": TOOL,
      "tools/t.ts": TOOL,
    });
    expect(ladder(root, { home })).toEqual([
      "plugins/own/agents/p/tools/t.ts",
      join(home, "plugins/_core/agents/p/tools/t.ts"),
      "agents/p/tools/t.ts",
      join(home, "agents/p/tools/t.ts"),
      "plugins/own/tools/t.ts",
      join(home, "plugins/_core/tools/t.ts"),
      "tools/t.ts",
      join(home, "tools/t.ts"),
    ]);
    const ranks = open(root, { home }).view("p").catalog.get("tool", "t")?.standings ?? [];
    expect(ranks.map(({ candidate }) => candidate.layer)).toEqual([
      { rank: 4, path: "plugins/own/agents/p" },
      { rank: 4, path: join(home, "plugins/_core/agents/p") },
      { rank: 5, path: "agents/p" },
      { rank: 5, path: join(home, "agents/p") },
      { rank: 7, path: "plugins/own" },
      { rank: 7, path: join(home, "plugins/_core") },
      { rank: 8, path: "." },
      { rank: 8, path: home },
    ]);
  });

  it("takes extensions, skills and locales from row 8 of the root, not of the home", () => {
    const files = {
      "tools/t.ts": TOOL,
      "prompts/fw.x.md": "x",
      "extensions/tool_execute_before/_10_x.ts": TOOL,
      "skills/s/SKILL.md": "---\ndescription: s\n---\n",
      "locales/en/x.ftl": "x = y",
    };
    const found = (view: ReturnType<ReturnType<typeof open>["view"]>) =>
      (["tool", "prompt", "extension", "skill", "locale"] as const).map((kind) => view.catalog.list(kind).length);
    const empty = tree();
    const full = tree(files);
    expect(found(open(full, { home: empty }).view("default"))).toEqual([1, 1, 1, 1, 1]);
    expect(found(open(empty, { home: full }).view("default"))).toEqual([1, 1, 0, 0, 0]);
    expect(found(open(full).view("default"))).toEqual([1, 1, 1, 1, 1]);
  });

  it("gives a layer to a profile of its own only", () => {
    const root = tree({ "agents/p/tools/t.ts": TOOL, "agents/q/tools/t.ts": TOOL, "tools/t.ts": TOOL });
    expect(ladder(root, { profile: "p" })).toEqual(["agents/p/tools/t.ts", "tools/t.ts"]);
    expect(ladder(root, { profile: "q" })).toEqual(["agents/q/tools/t.ts", "tools/t.ts"]);
  });

  it("shows a home inside the root by its place in the root", () => {
    const root = tree({ "node_modules/toolroom/tools/t.ts": TOOL, "usr/plugins/": "" });
    expect(ladder(root, { home: join(root, "node_modules/toolroom"), profile: "default" })).toEqual([
      "node_modules/toolroom/tools/t.ts",
    ]);
  });
});
