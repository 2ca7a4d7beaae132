import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseManifest } from "../../core/discovery/manifest.ts";
import { codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

describe("a manifest", () => {
  const parse = (text: string) => {
    const { value, diagnostics } = parseManifest(text, "usr/plugins/x/plugin.yaml");
    return { ...value, codes: codes(diagnostics), diagnostics };
  };

  it("may say everything that it can say", () => {
    const text = [
      "name: x",
      "title: The X",
      "description: does x",
      "version: 1.10",
      "settings_sections: [agent, mcp]",
      "per_project_config: true",
      "per_agent_config: false",
      "always_enabled: true",
      "apiVersion: 1",
    ].join("\n");
    expect(parse(text)).toMatchObject({
      codes: [],
      manifest: {
        name: "x",
        title: "The X",
        description: "does x",
        version: "1.10",
        settings_sections: ["agent", "mcp"],
        per_project_config: true,
        per_agent_config: false,
        always_enabled: true,
        apiVersion: "1",
      },
    });
    expect(parse("")).toMatchObject({ codes: [], manifest: {} });
  });

  const wrong: readonly (readonly [text: string, code: string, line: number])[] = [
    ["title: [x", "MANIFEST_INVALID", 1],
    ["- a", "MANIFEST_INVALID", 1],
    ["title: x\nalways_enabled: yes please", "MANIFEST_INVALID", 2],
    ["settings_sections: agent", "MANIFEST_INVALID", 1],
    ["title: x\ntitle: y", "MANIFEST_INVALID", 2],
    ["title: x\napiVersion: latest", "MANIFEST_INVALID", 2],
    ["title: x\n\napiVersion: ^2", "PLUGIN_API_VERSION", 3],
  ];
  for (const [text, code, line] of wrong) {
    it(`that is wrong has file, line and what was expected: ${JSON.stringify(text)}`, () => {
      const { diagnostics, fault } = parse(text);
      expect(diagnostics).toMatchObject([{ code, severity: "error", file: "usr/plugins/x/plugin.yaml", line }]);
      expect(fault).toContain(`usr/plugins/x/plugin.yaml:${line}`);
    });
  }

  for (const range of ["^1", "1.x", '">=1 <2"', "1.0.0", '"*"']) {
    it(`admits this host with apiVersion ${range}`, () => {
      expect(parse(`apiVersion: ${range}`)).toMatchObject({ codes: [] });
      expect(parse(`apiVersion: ${range}`).fault).toBeUndefined();
    });
  }

  it("warns of unknown keys and works all the same", () => {
    const { diagnostics, fault } = parse("tittle: x");
    expect(diagnostics).toMatchObject([
      { code: "MANIFEST_UNKNOWN_KEY", severity: "warning", line: 1, hint: "Did you mean title?" },
    ]);
    expect(fault).toBeUndefined();
  });
});

describe("plugins", () => {
  it("are directories with a plugin.yaml, named by their directory", () => {
    const root = tree({
      "usr/plugins/x/plugin.yaml": "name: another\ntitle: The X\nversion: 2.0.1",
      "usr/plugins/x/tools/t.ts": TOOL,
      "usr/plugins/.hidden/plugin.yaml": "",
      "usr/plugins/AGENTS.md": "not a plugin",
      "plugins/_y/plugin.yaml": "",
    });
    const view = open(root).view("default");
    expect(view.plugins).toMatchObject([
      {
        id: "x",
        title: "The X",
        version: "2.0.1",
        path: "usr/plugins/x",
        directory: join(root, "usr/plugins/x"),
        origin: "usr",
        enabled: true,
        alwaysEnabled: false,
      },
      { id: "_y", title: "_y", version: "", path: "plugins/_y", origin: "home", enabled: true },
    ]);
    expect(view.diagnostics).toEqual([]);
  });

  it("that are broken contribute nothing, and explain says why; others are not harmed", () => {
    const root = tree({
      "usr/plugins/bad/plugin.yaml": "title: [",
      "usr/plugins/bad/tools/bad_tool.ts": TOOL,
      "usr/plugins/bad/prompts/agent.system.tool.bad_tool.md": "x",
      "usr/plugins/bad/extensions/tool_execute_before/_10_x.ts": TOOL,
      "usr/plugins/bad/skills/s/SKILL.md": "x",
      "usr/plugins/bad/locales/en/x.ftl": "x",
      "usr/plugins/bad/agents/chef/agent.yaml": "title: Chef",
      "usr/plugins/bad/agents/chef/tools/knife.ts": TOOL,
      "usr/plugins/good/plugin.yaml": "",
      "usr/plugins/good/tools/good_tool.ts": TOOL,
    });
    const discovery = open(root);
    const view = discovery.view("default");
    for (const kind of ["tool", "fragment", "extension", "skill", "locale", "profile", "plugin"] as const) {
      const found = view.catalog.list(kind).filter(({ standings }) => standings[0]?.candidate.plugin === "bad");
      expect(
        found.map(({ winner }) => winner),
        kind,
      ).toEqual([undefined]);
      expect(found[0]?.standings[0], kind).toMatchObject({
        state: "disabled",
        reason: expect.stringContaining("usr/plugins/bad/plugin.yaml:1"),
      });
    }
    expect(view.catalog.get("tool", "good_tool")?.winner?.path).toBe("usr/plugins/good/tools/good_tool.ts");
    expect(view.diagnostics).toMatchObject([{ code: "MANIFEST_INVALID", file: "usr/plugins/bad/plugin.yaml" }]);
    expect(discovery.profiles().map(({ id }) => id)).toEqual(["default"]);
    expect(() => discovery.view("chef")).toThrow(/PROFILE_UNKNOWN/u);
  });

  it("of a user shadow the bundled one of their name whole, and so do those of the root", () => {
    const home = tree({
      "plugins/_a/plugin.yaml": "",
      "plugins/_a/tools/only_below.ts": TOOL,
      "plugins/_a/tools/both.ts": TOOL,
      "plugins/_b/plugin.yaml": "",
      "plugins/_b/tools/only_home.ts": TOOL,
    });
    const root = tree({
      "usr/plugins/_a/plugin.yaml": "",
      "usr/plugins/_a/tools/both.ts": TOOL,
      "plugins/_b/plugin.yaml": "",
    });
    const view = open(root, { home }).view("default");
    expect(view.catalog.get("tool", "both")?.winner?.path).toBe("usr/plugins/_a/tools/both.ts");
    expect(view.catalog.get("tool", "only_below")).toMatchObject({
      winner: undefined,
      standings: [{ state: "shadowed", reason: expect.stringContaining("usr/plugins/_a") }],
    });
    expect(view.catalog.get("tool", "only_home")).toMatchObject({
      winner: undefined,
      standings: [{ state: "shadowed" }],
    });
    expect(view.plugins.map(({ path }) => path)).toEqual(["usr/plugins/_a", "plugins/_b"]);
    expect(view.diagnostics).toEqual([]);
  });

  it("of a user with a broken manifest shadow all the same: the old one does not run silently", () => {
    const root = tree({
      "usr/plugins/_a/plugin.yaml": "title: [",
      "plugins/_a/plugin.yaml": "",
      "plugins/_a/tools/t.ts": TOOL,
    });
    expect(open(root).view("default").catalog.get("tool", "t")?.winner).toBeUndefined();
  });

  it("without a manifest shadow nothing and hold only toggles and settings", () => {
    const root = tree({
      "usr/plugins/_a/config.yaml": "x: 1",
      "usr/plugins/_a/.toggle-1": "",
      "plugins/_a/plugin.yaml": "",
      "plugins/_a/tools/t.ts": TOOL,
      "usr/plugins/forgot/tools/u.ts": TOOL,
      "usr/plugins/empty/": "",
    });
    const view = open(root).view("default");
    expect(view.catalog.get("tool", "t")?.winner?.path).toBe("plugins/_a/tools/t.ts");
    expect(view.diagnostics).toMatchObject([
      {
        code: "PLUGIN_NO_MANIFEST",
        file: "usr/plugins/forgot",
        message: expect.stringContaining("tools/"),
        hint: expect.stringContaining("plugin.yaml"),
      },
    ]);
    expect(view.catalog.get("tool", "u")).toMatchObject({
      winner: undefined,
      standings: [{ state: "refused", reason: expect.stringContaining("plugin.yaml") }],
    });
  });

  it("that are bundled have names with a leading _", () => {
    const home = tree({ "plugins/plain/plugin.yaml": "", "plugins/plain/tools/t.ts": TOOL });
    expect(open(tree(), { home }).view("default").diagnostics).toMatchObject([
      { code: "PLUGIN_NAME_INVALID", file: join(home, "plugins/plain") },
    ]);
    expect(open(home, { home: tree() }).view("default").diagnostics).toEqual([]);
  });

  it("with an unknown manifest file type are told so", () => {
    const root = tree({ "usr/plugins/x/plugin.yaml/": "", "usr/plugins/x/tools/t.ts": TOOL });
    expect(codes(open(root).view("default").diagnostics)).toEqual(["PLUGIN_NO_MANIFEST", "NOT_A_FILE"]);
  });
});
