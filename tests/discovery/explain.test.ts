import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../core/discovery/explain.ts";
import { addFiles, codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

describe("explain", () => {
  it("has the shape of the command", () => {
    const root = tree({
      "agents/p/tools/t.ts": TOOL,
      "usr/plugins/x/plugin.yaml": "",
      "usr/plugins/x/tools/t.ts": TOOL,
    });
    expect(explain(open(root).view("p"), { id: "t" })).toEqual({
      id: "t",
      kind: "tool",
      profile: "p",
      winner: "agents/p/tools/t.ts",
      candidates: [
        {
          file: "agents/p/tools/t.ts",
          layer: { rank: 5, path: "agents/p" },
          state: "wins",
          reason: expect.stringContaining("row 5"),
        },
        {
          file: "usr/plugins/x/tools/t.ts",
          layer: { rank: 7, path: "usr/plugins/x" },
          state: "shadowed",
          reason: expect.stringContaining("agents/p/tools/t.ts"),
        },
      ],
      diagnostics: [],
    });
  });

  it("of an unknown id has no candidates", () => {
    const view = open(tree()).view("default");
    expect(explain(view, { id: "nothing" })).toMatchObject({ winner: null, candidates: [], diagnostics: [] });
    expect(explain(view, { id: "nothing", kind: "skill" })).toMatchObject({ kind: "skill", candidates: [] });
  });

  it("works for every kind", () => {
    const root = tree({
      "usr/plugins/x/plugin.yaml": "title: X",
      "usr/plugins/x/skills/s/SKILL.md": "no front matter",
      "usr/agents/chef/agent.yaml": "title: Chef",
      "agents/chef/prompts/fw.x.md": "x",
      "prompts/fw.x.md": "x",
    });
    const view = open(root).view("chef");
    const of = (kind: "skill" | "profile" | "plugin" | "prompt", id: string) => {
      const { winner, candidates, diagnostics } = explain(view, { kind, id });
      return [winner, candidates.map(({ state }) => state), codes(diagnostics)];
    };
    expect(of("skill", "s")).toEqual(["usr/plugins/x/skills/s/SKILL.md", ["wins"], ["SKILL_INVALID"]]);
    expect(of("profile", "chef")).toEqual(["usr/agents/chef/agent.yaml", ["wins", "shadowed"], []]);
    expect(of("plugin", "x")).toEqual(["usr/plugins/x/plugin.yaml", ["wins"], []]);
    expect(of("prompt", "fw.x.md")).toEqual(["agents/chef/prompts/fw.x.md", ["wins", "shadowed"], []]);
  });

  it("joins what loading knows: a broken top candidate is failed and still the winner, lower ones stay shadowed", () => {
    const root = tree({ "usr/tools/t.ts": TOOL, "tools/t.ts": TOOL });
    const failures = new Map([
      [join(root, "usr/tools/t.ts"), "usr/tools/t.ts:1:1 throws"],
      [join(root, "tools/t.ts"), "nobody asked"],
    ]);
    const { winner, candidates } = explain(open(root).view("default"), { id: "t", failures });
    expect(winner).toBe("usr/tools/t.ts");
    expect(candidates).toMatchObject([
      { state: "failed", reason: expect.stringContaining("usr/tools/t.ts:1:1 throws") },
      { state: "shadowed" },
    ]);
  });

  it("says why the host withholds a tool", () => {
    const root = tree({ "tools/t.ts": TOOL });
    expect(
      explain(open(root).view("default"), { id: "t", withheld: "tools.disable of the profile names it" }),
    ).toMatchObject({
      winner: null,
      candidates: [{ state: "disabled", reason: "tools.disable of the profile names it" }],
    });
  });

  it("names the settings key that a tool waits for, and where it is asked", () => {
    const root = tree({
      "tools/recall.ts": TOOL,
      "tools/store.ts": TOOL,
      "tools/free.ts": TOOL,
      "prompts/agent.system.tool.memory.md": "---\ntools: [recall, store]\nwhen: knowledge.enabled\n---\n",
      "prompts/agent.system.tool.store.md": "---\ndescription: Stores.\n---\n",
    });
    const view = open(root).view("default");
    expect(view.unmet("recall")).toBe("knowledge.enabled");
    expect(view.unmet("store")).toBeUndefined();
    expect(view.unmet("free")).toBeUndefined();
    expect(view.unmet("nothing")).toBeUndefined();
    expect(explain(view, { id: "recall" })).toMatchObject({
      winner: null,
      candidates: [
        {
          state: "disabled",
          reason: expect.stringMatching(
            /prompts\/agent\.system\.tool\.memory\.md.*knowledge\.enabled.*usr\/settings\.yaml/u,
          ),
        },
      ],
      diagnostics: [{ code: "TOOL_UNMET", severity: "info", file: "tools/recall.ts" }],
    });
    addFiles(root, { "usr/settings.yaml": "knowledge: {enabled: true}" });
    expect(explain(open(root).view("default"), { id: "recall" })).toMatchObject({
      winner: "tools/recall.ts",
      diagnostics: [],
    });
    addFiles(root, { "usr/projects/J/settings.yaml": "knowledge: {enabled: false}" });
    expect(open(root).view("default", "J").unmet("recall")).toBe("knowledge.enabled");
  });

  it("shows what was found about the candidates, their fragment and their plugins, and nothing else", () => {
    const root = tree({
      "usr/plugins/usr/plugin.yaml": "tittle: x",
      "usr/plugins/usr/tools/t.ts": TOOL,
      "usr/plugins/usr/prompts/agent.system.tool.t.md": "---\nsumary: x\n---\n",
      "usr/plugins/other/plugin.yaml": "title: [",
      "usr/tools/Bad.ts": TOOL,
    });
    expect(codes(explain(open(root).view("default"), { id: "t" }).diagnostics)).toEqual([
      "MANIFEST_UNKNOWN_KEY",
      "FM_UNKNOWN_KEY",
    ]);
  });
});

describe("a view", () => {
  it("gives the file below one, for include original", () => {
    const root = tree({
      "agents/p/prompts/fw.x.md": "top",
      "usr/plugins/a/plugin.yaml": "",
      "usr/plugins/a/prompts/fw.x.md": "a",
      "usr/plugins/b/plugin.yaml": "",
      "usr/plugins/b/prompts/fw.x.md": "b collides",
      "usr/plugins/off/plugin.yaml": "",
      "usr/plugins/off/.toggle-0": "",
      "usr/plugins/off/prompts/fw.x.md": "off",
      "prompts/fw.x.md": "bottom",
    });
    const view = open(root).view("p");
    const texts: string[] = [];
    for (let at = view.catalog.get("prompt", "fw.x.md")?.winner; at; at = view.lower(at))
      texts.push(view.body(at).text);
    expect(texts).toEqual(["top", "a", "bottom"]);
  });

  it("reads bodies without front matter, and says where they begin", () => {
    const root = tree({
      "prompts/agent.system.tool.t.md": "\uFEFF---\r\ndescription: T\r\n---\r\nText\r\nmore",
      "prompts/fw.plain.md": "plain",
      "prompts/fw.big.md": "x".repeat(1_048_577),
      "prompts/fw.open.md": "---\nnever closed",
      "prompts/fw.code.md": "---js\n({})\n---\nrest",
    });
    const view = open(root).view("default");
    const body = (id: string, kind: "prompt" | "fragment" = "prompt") => {
      const winner = view.catalog.get(kind, id)?.winner;
      if (!winner) throw new Error(id);
      const { text, line, diagnostics } = view.body(winner);
      return [text.slice(0, 20), line, codes(diagnostics)];
    };
    expect(body("t", "fragment")).toEqual(["Text\nmore", 4, []]);
    expect(body("fw.plain.md")).toEqual(["plain", 1, []]);
    expect(body("fw.big.md")).toEqual(["", 1, ["FILE_TOO_LARGE"]]);
    expect(body("fw.open.md")).toEqual(["---\nnever closed", 1, ["FM_UNCLOSED"]]);
    expect(body("fw.code.md")).toEqual(["rest", 4, ["FM_LANGUAGE"]]);
  });

  it("reads the front matter of fragments and skills, with what is wrong in it", () => {
    const root = tree({
      "prompts/agent.system.tool.t.md": "---\ndescription: T\naliases: [Tee]\n---\n",
      "prompts/agent.system.tool.big.md": `---\ndescription: T\n---\n${"x".repeat(1_048_577)}`,
      "prompts/agent.system.tool.bad.md": "---\ndescription: [\n---\n",
      "skills/cook/SKILL.md": "---\ndescription: Cooks.\n---\n",
    });
    const view = open(root).view("default");
    const fragment = (id: string) => {
      const winner = view.catalog.get("fragment", id)?.winner;
      if (!winner) throw new Error(id);
      return view.fragment(winner);
    };
    expect(fragment("t")).toEqual({ meta: { description: "T", aliases: { t: ["Tee"] } }, diagnostics: [] });
    expect(fragment("t")).toBe(fragment("t"));
    expect(fragment("big")).toMatchObject({
      meta: {},
      diagnostics: [{ code: "FILE_TOO_LARGE", file: "prompts/agent.system.tool.big.md" }],
    });
    expect(fragment("bad")).toMatchObject({ meta: {}, diagnostics: [{ code: "FM_INVALID" }] });
    const skill = view.catalog.get("skill", "cook")?.winner;
    expect(skill && view.skill(skill)).toEqual({ name: "cook", description: "Cooks.", diagnostics: [] });
    expect(
      view.fragment({
        kind: "fragment",
        id: "x",
        file: join(root, "nowhere.md"),
        path: "nowhere.md",
        layer: { rank: 8, path: "." },
        order: 12,
      }),
    ).toMatchObject({
      meta: {},
      diagnostics: [{ code: "FILE_UNREADABLE" }],
    });
  });

  it("is the same until the next refresh", () => {
    const root = tree({ "tools/t.ts": TOOL });
    const discovery = open(root);
    const before = discovery.view("default");
    expect(discovery.view("default")).toBe(before);
    addFiles(root, { "tools/u.ts": TOOL });
    discovery.refresh();
    const after = discovery.view("default");
    expect(after).not.toBe(before);
    expect(before.catalog.get("tool", "u")).toBeUndefined();
    expect(after.catalog.get("tool", "u")?.winner?.path).toBe("tools/u.ts");
  });
});
