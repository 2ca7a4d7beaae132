import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addFiles, codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();
const PLUGIN = {
  "plugins/_core/plugin.yaml": "",
  "plugins/_core/tools/t.ts": TOOL,
  "plugins/_core/agents/p/tools/u.ts": TOOL,
};
const PLACES = { "agents/p/": "", "agents/q/": "", "usr/projects/J/": "" };

const state = (root: string, profile: string, project?: string, home = root) => {
  const view = open(root, { home }).view(profile, project);
  return { on: view.catalog.get("tool", "t")?.winner !== undefined, reason: view.plugins[0]?.reason, view };
};

/** The six scopes, lowest first. */
const SCOPES = [
  "plugins/_core",
  "usr/plugins/_core",
  "agents/p/plugins/_core",
  "usr/agents/p/plugins/_core",
  "usr/projects/J/plugins/_core",
  "usr/projects/J/agents/p/plugins/_core",
] as const;

describe("toggles", () => {
  it("are not needed: a plugin is on", () => {
    const { on, reason } = state(tree({ ...PLUGIN, ...PLACES }), "p");
    expect([on, reason]).toEqual([true, "no toggle switches it off"]);
  });

  for (const [at, scope] of SCOPES.entries()) {
    it(`in ${scope} decide over everything below, and name themselves`, () => {
      const root = tree({ ...PLUGIN, ...PLACES });
      for (const lower of SCOPES.slice(0, at)) addFiles(root, { [`${lower}/.toggle-1`]: "" });
      addFiles(root, { [`${scope}/.toggle-0`]: "" });
      const off = state(root, "p", "J");
      expect(off.on).toBe(false);
      expect(off.reason).toContain(`${scope}/.toggle-0`);
      expect(off.view.catalog.get("tool", "t")?.standings[0]).toMatchObject({
        state: "disabled",
        reason: expect.stringContaining(`${scope}/.toggle-0`),
      });
      expect(off.view.catalog.get("tool", "u")?.winner).toBeUndefined();
      for (const higher of SCOPES.slice(at + 1)) {
        addFiles(root, { [`${higher}/.toggle-1`]: "" });
        const on = state(root, "p", "J");
        expect([on.on, on.reason]).toEqual([true, expect.stringContaining(`${higher}/.toggle-1`)]);
        rmSync(join(root, higher, ".toggle-1"));
      }
    });
  }

  it("follow the worked example: off, on for a profile, off in a project, on for both", () => {
    const root = tree({ ...PLUGIN, ...PLACES, "plugins/_core/.toggle-0": "" });
    const seen = () => [state(root, "p").on, state(root, "q").on, state(root, "p", "J").on];
    expect(seen()).toEqual([false, false, false]);
    addFiles(root, { "usr/agents/p/plugins/_core/.toggle-1": "" });
    expect(seen()).toEqual([true, false, true]);
    addFiles(root, { "usr/projects/J/plugins/_core/.toggle-0": "" });
    expect(seen()).toEqual([true, false, false]);
    addFiles(root, { "usr/projects/J/agents/p/plugins/_core/.toggle-1": "" });
    expect(seen()).toEqual([true, false, true]);
    expect(state(root, "q", "J").on).toBe(false);
  });

  it("switch a plugin off where both lie in one place, with an error", () => {
    const root = tree({ ...PLUGIN, ...PLACES, "usr/plugins/_core/.toggle-0": "", "usr/plugins/_core/.toggle-1": "" });
    const { on, view } = state(root, "p");
    expect(on).toBe(false);
    expect(view.diagnostics).toMatchObject([{ code: "TOGGLE_CONFLICT", severity: "error", file: "usr/plugins/_core" }]);
  });

  it("cannot switch off what is always enabled", () => {
    const root = tree({
      ...PLUGIN,
      ...PLACES,
      "plugins/_core/plugin.yaml": "always_enabled: true",
      ...Object.fromEntries(SCOPES.map((scope) => [`${scope}/.toggle-0`, ""])),
    });
    const { on, reason } = state(root, "p", "J");
    expect([on, reason]).toEqual([true, expect.stringContaining("always_enabled")]);
    addFiles(root, { "usr/plugins/_core/.toggle-1": "" });
    expect(codes(state(root, "p", "J").view.diagnostics)).toEqual(["TOGGLE_CONFLICT"]);
  });

  it("cannot switch on what its manifest switches off", () => {
    const root = tree({
      ...PLUGIN,
      ...PLACES,
      "plugins/_core/plugin.yaml": "always_enabled: true\napiVersion: ^9",
      "usr/plugins/_core/.toggle-1": "",
    });
    expect(state(root, "p").on).toBe(false);
  });

  it("of a root reach the plugins of its home", () => {
    const home = tree({ ...PLUGIN, "agents/p/": "" });
    const root = tree({ "usr/plugins/_core/.toggle-0": "" });
    expect(state(root, "p", undefined, home).on).toBe(false);
    expect(state(tree(), "p", undefined, home).on).toBe(true);
    expect(state(tree({ "plugins/_core/.toggle-0": "" }), "p", undefined, home).on).toBe(false);
  });

  it("in the profile of a plugin mean nothing", () => {
    const root = tree({ ...PLUGIN, ...PLACES, "plugins/_core/agents/p/plugins/_core/.toggle-0": "" });
    expect(state(root, "p").on).toBe(true);
  });

  it("take away the profiles of a plugin with everything else", () => {
    const root = tree({ "usr/plugins/x/plugin.yaml": "", "usr/plugins/x/agents/chef/agent.yaml": "title: Chef" });
    expect(open(root).view("chef").profile.title).toBe("Chef");
    addFiles(root, { "usr/plugins/x/.toggle-0": "" });
    expect(() => open(root).view("chef")).toThrow(/PROFILE_UNKNOWN/u);
  });
});
