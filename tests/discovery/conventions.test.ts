import { describe, expect, it } from "vitest";
import { CONVENTIONS, isKind, KINDS } from "../../core/discovery/conventions.ts";
import { explain } from "../../core/discovery/explain.ts";
import { codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

const ids = (kind: keyof typeof CONVENTIONS, files: readonly string[], group = "") =>
  files.flatMap((file) => CONVENTIONS[kind].id(file, group) ?? []);

describe("the conventions", () => {
  it("have a row for every kind", () => {
    expect(KINDS).toEqual(["tool", "fragment", "prompt", "extension", "skill", "locale", "profile", "plugin"]);
    expect(KINDS.every((kind) => CONVENTIONS[kind].kind === kind)).toBe(true);
    expect(isKind("tool")).toBe(true);
    expect(isKind("constructor")).toBe(false);
  });

  it("take modules for tools, and not helpers, declarations, tests, documents and dot files", () => {
    const modules = ["a.ts", "b.mts", "c.cts", "d.js", "e.mjs", "f.cjs"];
    const others = [
      "_x.ts",
      "x.d.ts",
      "x.d.mts",
      "x.test.ts",
      "x.test.js",
      "x.ts.dox.md",
      ".x.ts",
      ".ts",
      "x.json",
      "x.tsx",
      "README.md",
      "x",
    ];
    expect(ids("tool", [...modules, ...others])).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("name fragments, prompts, extensions, skills and locales", () => {
    const prompts = [
      "agent.system.tool.word_count.md",
      "agent.system.main.md",
      "fw.x.md",
      "agent.system.tool.md",
      "x.dox.md",
      "AGENTS.md",
      ".x.md",
      "x.txt",
    ];
    expect(ids("fragment", prompts)).toEqual(["word_count"]);
    expect(ids("prompt", prompts)).toEqual(["agent.system.main.md", "fw.x.md", "agent.system.tool.md"]);
    expect(ids("extension", ["_10_a.ts", "b.mjs", "c.test.ts", ".d.ts"], "monologue_start")).toEqual([
      "monologue_start/_10_a",
      "monologue_start/b",
    ]);
    expect(ids("skill", ["SKILL.md", "notes.md"], "cook")).toEqual(["cook"]);
    expect(ids("locale", ["tools.ftl", "x.json"], "zh-CN")).toEqual(["zh-CN/tools.ftl"]);
  });

  it("find one of each kind in a plugin", () => {
    const root = tree({
      "usr/plugins/x/plugin.yaml": "",
      "usr/plugins/x/tools/t.ts": TOOL,
      "usr/plugins/x/tools/_helper.ts": TOOL,
      "usr/plugins/x/tools/lib/util.ts": TOOL,
      "usr/plugins/x/prompts/agent.system.tool.t.md": "t",
      "usr/plugins/x/prompts/fw.note.md": "n",
      "usr/plugins/x/extensions/tool_execute_before/_10_x.ts": TOOL,
      "usr/plugins/x/skills/cook/SKILL.md": "---\ndescription: d\n---\n",
      "usr/plugins/x/locales/en/tools.ftl": "a = b",
      "usr/plugins/x/agents/chef/agent.yaml": "title: Chef",
    });
    const view = open(root).view("default");
    const found = Object.fromEntries(KINDS.map((kind) => [kind, view.catalog.list(kind).map(({ id }) => id)]));
    expect(found).toEqual({
      tool: ["t"],
      fragment: ["t"],
      prompt: ["fw.note.md"],
      extension: ["tool_execute_before/_10_x"],
      skill: ["cook"],
      locale: ["en/tools.ftl"],
      profile: ["chef"],
      plugin: ["x"],
    });
    expect(view.diagnostics).toEqual([]);
  });

  it("refuse a tool whose name is no id, and say so once", () => {
    const root = tree(
      Object.fromEntries(
        ["Bad.ts", "a-b.ts", "a__b.ts", "1a.ts", `${"x".repeat(65)}.ts`, "a.b.ts", "ok.ts"].map((name) => [
          `tools/${name}`,
          TOOL,
        ]),
      ),
    );
    const view = open(root).view("default");
    expect(codes(view.diagnostics)).toEqual(Array(6).fill("TOOL_NAME_INVALID"));
    expect(
      view.catalog
        .list("tool")
        .filter(({ winner }) => winner)
        .map(({ id }) => id),
    ).toEqual(["ok"]);
    expect(view.catalog.get("tool", "a-b")?.standings[0]).toMatchObject({
      state: "refused",
      reason: expect.stringContaining("a-b"),
    });
    expect(open(root).view("default").diagnostics).toEqual(view.diagnostics);
  });

  it("refuse an extension at a point that does not exist, in list and explain alike", () => {
    const root = tree({
      "extensions/message_loop_begin/_10_a.ts": TOOL,
      "usr/extensions/zzz/_10_a.ts": TOOL,
      "usr/extensions/message_loop_start/_10_a.ts": TOOL,
      "usr/plugins/off/plugin.yaml": "",
      "usr/plugins/off/.toggle-0": "",
      "usr/plugins/off/extensions/yyy/_10_a.ts": TOOL,
    });
    // A bundled place has no extensions of its own in row 8.
    const view = open(root, { home: tree({}) }).view("default");
    expect(view.diagnostics).toMatchObject([
      {
        code: "EXTENSION_POINT_UNKNOWN",
        severity: "warning",
        file: "extensions/message_loop_begin/_10_a.ts",
        message: "the extension is refused: there is no extension point message_loop_begin",
        hint: expect.stringContaining("did you mean message_loop_end?"),
      },
      { code: "EXTENSION_POINT_UNKNOWN", file: "usr/extensions/zzz/_10_a.ts" },
    ]);
    const winners = view.catalog.list("extension").filter(({ winner }) => winner);
    expect(winners.map(({ id }) => id)).toEqual(["message_loop_start/_10_a"]);
    const { candidates } = explain(view, { id: "zzz/_10_a", kind: "extension" });
    expect(candidates).toMatchObject([{ state: "refused", reason: "there is no extension point zzz" }]);
  });
});
