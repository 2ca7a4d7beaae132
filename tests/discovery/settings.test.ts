import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS, isOn } from "../../core/discovery/settings.ts";
import { open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();
const withSettings = (text: string) => open(tree({ "usr/settings.yaml": text }));

describe("settings", () => {
  it("have defaults", () => {
    const { settings } = open(tree());
    expect(settings.values).toEqual(DEFAULT_SETTINGS);
    expect(settings.get("tools.timeoutMs")).toBe(120_000);
    expect(settings.get("tools.loadTimeoutMs")).toBe(10_000);
    expect(settings.get("agent.maxIterations")).toBe(25);
    expect(settings.get("fallbackOnLoadError")).toBe(false);
    expect(settings.get("nothing.at.all")).toBeUndefined();
    expect(settings.get("constructor")).toBeUndefined();
    expect(settings.linkRoots).toEqual([]);
  });

  it("lie over the defaults key by key, and a project's over both", () => {
    const root = tree({
      "usr/settings.yaml": "model: a/b\ntools: {timeoutMs: 5}\nknowledge: {enabled: true}",
      "usr/projects/J/settings.yaml": "model: c/d\nagent: {maxIterations: 3}",
    });
    const discovery = open(root);
    expect(discovery.settings.values).toMatchObject({ model: "a/b", tools: { timeoutMs: 5, loadTimeoutMs: 10_000 } });
    const { settings } = discovery.view("default", "J");
    expect(settings.values).toMatchObject({
      model: "c/d",
      tools: { timeoutMs: 5 },
      agent: { maxIterations: 3 },
      knowledge: { enabled: true },
    });
    expect(discovery.view("default").settings.get("model")).toBe("a/b");
  });

  const wrong: readonly (readonly [text: string, line: number, key: string])[] = [
    ["model: [x]", 1, "model"],
    ["profile: p\nprotocol: xml", 2, "protocol"],
    ["fallbackOnLoadError: 'yes'", 1, "fallbackOnLoadError"],
    ["tools:\n  timeoutMs: -1", 2, "tools.timeoutMs"],
    ["agent:\n  maxIterations: many", 2, "agent.maxIterations"],
    ["tools: none", 1, "tools"],
    ["log: {level: loud}", 1, "log.level"],
    ["linkRoots: /somewhere", 1, "linkRoots"],
  ];
  for (const [text, line, key] of wrong) {
    it(`are checked: ${JSON.stringify(text)}`, () => {
      const discovery = withSettings(text);
      expect(discovery.view("default").diagnostics).toMatchObject([
        {
          code: "SETTINGS_INVALID",
          severity: "error",
          file: "usr/settings.yaml",
          line,
          message: expect.stringContaining(`${key}: expected`),
        },
      ]);
      expect(discovery.settings.get(key)).toEqual(open(tree()).settings.get(key));
    });
  }

  it("that do not parse leave the defaults", () => {
    const discovery = withSettings("model: x\nmodel: y");
    expect(discovery.settings.values).toEqual(DEFAULT_SETTINGS);
    expect(discovery.view("default").diagnostics).toMatchObject([
      { code: "SETTINGS_INVALID", file: "usr/settings.yaml", line: 2 },
    ]);
  });

  it("may have sections that the host does not know, but no stray values", () => {
    const discovery = withSettings("knowledge: {enabled: true}\nmodle: a/b\ntools: {timeoutms: 5, mine: 1}");
    expect(discovery.view("default").diagnostics).toMatchObject([
      { code: "SETTINGS_UNKNOWN_KEY", severity: "warning", line: 2, hint: expect.stringMatching(/model/u) },
      {
        code: "SETTINGS_UNKNOWN_KEY",
        severity: "warning",
        line: 3,
        message: expect.stringContaining("tools.timeoutms"),
      },
    ]);
    expect(discovery.settings.get("knowledge.enabled")).toBe(true);
    expect(discovery.settings.get("tools.mine")).toBe(1);
  });

  it("switch a condition on when there is something", () => {
    const { settings } = withSettings(
      "a: {yes: true, no: false, zero: 0, empty: '', text: x, list: [], nothing: null}",
    );
    const on = (key: string) => isOn(settings, key);
    expect(["a.yes", "a.text", "a.list", "a"].map(on)).toEqual([true, true, true, true]);
    expect(["a.no", "a.zero", "a.empty", "a.nothing", "a.missing", "b.c"].map(on)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("survive hostile keys", () => {
    const discovery = withSettings("__proto__: {polluted: true}\nconstructor: {x: 1}");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(discovery.settings.get("polluted")).toBeUndefined();
    expect(discovery.settings.get("constructor.x")).toBe(1);
  });

  it("name link roots by absolute path or from the root, and say which do not exist", () => {
    const outside = tree({ "x/": "" });
    const root = tree({ "usr/settings.yaml": `linkRoots: [${join(outside, "x")}, sub, nowhere]`, "sub/": "" });
    const discovery = open(root);
    expect(discovery.settings.linkRoots).toEqual([join(outside, "x"), join(root, "sub")]);
    expect(discovery.view("default").diagnostics).toMatchObject([
      { code: "SETTINGS_INVALID", severity: "warning", message: expect.stringContaining("nowhere") },
    ]);
  });

  it("of a project cannot open the root to links", () => {
    const outside = tree({ "x/plugin.yaml": "", "x/tools/t.ts": TOOL });
    const root = tree({ "usr/projects/J/settings.yaml": `linkRoots: [${outside}]` });
    mkdirSync(join(root, "usr/plugins"));
    symlinkSync(join(outside, "x"), join(root, "usr/plugins/x"));
    const view = open(root).view("default", "J");
    expect(view.settings.linkRoots).toEqual([]);
    expect(view.catalog.get("tool", "t")).toBeUndefined();
  });

  it("are read again at a refresh", () => {
    const root = tree({ "usr/settings.yaml": "model: a/b" });
    const discovery = open(root);
    writeFileSync(join(root, "usr/settings.yaml"), "model: c/d");
    expect(discovery.settings.get("model")).toBe("a/b");
    discovery.refresh();
    expect(discovery.settings.get("model")).toBe("c/d");
  });
});
