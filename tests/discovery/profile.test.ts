import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HostError } from "../../core/sdk/errors.ts";
import { codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

function thrown(work: () => unknown): HostError {
  try {
    work();
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error("expected a HostError");
}

describe("a profile", () => {
  it("is a directory, with or without a definition", () => {
    const root = tree({
      "agents/bare/tools/t.ts": TOOL,
      "agents/full/agent.yaml":
        "title: Full\ndescription: d\ncontext: c\nmodel: a/b\ntools: {enable: [x], disable: [y]}",
      "agents/json/agent.json": '{"title": "Json"}',
      "usr/agents/mine/prompts/x.md": "x",
      "agents/_hidden/agent.yaml": "title: Hidden",
      "agents/AGENTS.md": "not a profile",
    });
    const discovery = open(root);
    expect(discovery.profiles().map(({ id, title }) => [id, title])).toEqual([
      ["bare", "bare"],
      ["default", "default"],
      ["full", "Full"],
      ["json", "Json"],
      ["mine", "mine"],
    ]);
    expect(discovery.view("full").profile).toEqual({
      id: "full",
      title: "Full",
      description: "d",
      context: "c",
      enabled: true,
      model: "a/b",
      riskProfile: "default",
      tools: { enable: ["x"], disable: ["y"] },
      hidden: false,
      layers: ["agents/full"],
      faulty: false,
      riskUnknown: false,
    });
    expect(discovery.view("_hidden").profile).toMatchObject({ title: "Hidden", hidden: true });
    expect(discovery.view("default").diagnostics).toEqual([]);
  });

  it("merges its layers key by key: an absent key never blanks what lies below", () => {
    const home = tree({
      "agents/p/agent.yaml":
        "title: Home\ndescription: from home\ncontext: from home\ntools: {enable: [a], disable: [b]}",
    });
    const root = tree({
      "agents/p/agent.yaml": "title: Root",
      "usr/plugins/x/plugin.yaml": "",
      "usr/plugins/x/agents/p/agent.yaml": "model: plugin/model",
      "usr/plugins/y/plugin.yaml": "",
      "usr/plugins/y/agents/p/agent.yaml": "model: later/model\ncontext: from y",
      "usr/agents/p/agent.yaml": "tools: {disable: []}",
      "usr/projects/J/agents/p/agent.yaml": 'title: ""',
    });
    const discovery = open(root, { home });
    expect(discovery.view("p").profile).toMatchObject({
      title: "Root",
      description: "from home",
      context: "from y",
      model: "plugin/model",
      tools: { enable: ["a"], disable: [] },
      layers: ["usr/agents/p", "usr/plugins/x/agents/p", "usr/plugins/y/agents/p", "agents/p", join(home, "agents/p")],
    });
    expect(discovery.view("p", "J").profile.title).toBe("");
    expect(discovery.view("p").diagnostics).toEqual([]);
  });

  it("is switched off and on from above", () => {
    const root = tree({
      "agents/p/agent.yaml": "title: P",
      "usr/agents/p/agent.yaml": "enabled: false",
      "usr/projects/J/agents/p/agent.yaml": "enabled: true",
    });
    const discovery = open(root);
    const error = thrown(() => discovery.view("p"));
    expect(error).toMatchObject({
      code: "PROFILE_DISABLED",
      kind: "usage",
      message: expect.stringContaining("usr/agents/p/agent.yaml"),
    });
    expect(discovery.profiles().find(({ id }) => id === "p")?.enabled).toBe(false);
    expect(discovery.view("p", "J").profile.enabled).toBe(true);
  });

  it("that nobody defines is refused, with the nearest name", () => {
    const discovery = open(tree({ "agents/developer/": "" }));
    const error = thrown(() => discovery.view("develper"));
    expect(error).toMatchObject({
      code: "PROFILE_UNKNOWN",
      kind: "usage",
      message: expect.stringMatching(/developer.*develper.*Did you mean developer/u),
    });
    for (const name of ["../developer", "developer/", "", ".", "constructor"]) {
      expect(thrown(() => discovery.view(name)).code).toBe("PROFILE_UNKNOWN");
    }
  });

  it("that the settings name by default needs no directory", () => {
    expect(open(tree()).view("default").profile).toMatchObject({
      id: "default",
      title: "default",
      enabled: true,
      layers: [],
    });
  });

  it("of a project is known in that project", () => {
    const root = tree({ "usr/projects/J/agents/own/agent.yaml": "title: Own", "usr/projects/K/": "" });
    const discovery = open(root);
    expect(discovery.view("own", "J").profile.title).toBe("Own");
    expect(discovery.profiles("J").map(({ id }) => id)).toEqual(["default", "own"]);
    expect(thrown(() => discovery.view("own", "K")).code).toBe("PROFILE_UNKNOWN");
    expect(thrown(() => discovery.view("own", "L"))).toMatchObject({ code: "PROJECT_UNKNOWN", kind: "usage" });
    expect(thrown(() => discovery.profiles("../projects/J")).code).toBe("PROJECT_UNKNOWN");
  });

  it("names a risk profile that is defined", () => {
    const root = tree({
      "agents/p/agent.yaml": "title: P\nrisk_profile: careful",
      "agents/q/agent.yaml": "risk_profile: default",
      "agents/r/agent.yaml": "risk_profile: strict",
      "usr/settings.yaml": "risk_profiles: {strict: {level: read_only}}",
    });
    const discovery = open(root);
    expect(discovery.view("r").profile).toMatchObject({ riskProfile: "strict", faulty: false });
    expect(discovery.view("p").profile).toMatchObject({ riskProfile: "careful", faulty: true });
    expect(discovery.view("q").diagnostics).toMatchObject([
      {
        code: "RISK_PROFILE_UNKNOWN",
        severity: "error",
        file: "agents/p/agent.yaml",
        line: 2,
        message: expect.stringMatching(/default, strict; found careful/u),
      },
    ]);
  });

  it("whose risk profile cannot be read is told apart from one that wants none, and a plugin's pick is none", () => {
    const root = tree({
      "agents/slip/agent.yaml": "title: Slip\nrisk_profil: strict",
      "agents/type/agent.yaml": "risk_profile: [strict]",
      "agents/broken/agent.yaml": "risk_profile: [",
      "agents/over/agent.yaml": "risk_profile: strict",
      "usr/agents/over/agent.yaml": "title: [",
      "agents/under/agent.yaml": "title: [",
      "usr/agents/under/agent.yaml": "risk_profile: strict",
      "agents/other/agent.yaml": "enabled: perhaps",
      "usr/plugins/p/plugin.yaml": "name: p\nversion: 1.0.0\napiVersion: ^1.0.0\n",
      "usr/plugins/p/agents/plain/agent.yaml": "title: [",
      "usr/settings.yaml": "risk_profiles: {strict: {level: read_only}}",
    });
    const discovery = open(root);
    const of = (id: string) => {
      const { riskProfile, faulty, riskUnknown } = discovery.view(id).profile;
      return [id, riskProfile, faulty, riskUnknown];
    };
    expect(["slip", "type", "broken", "over", "under", "other", "plain"].map(of)).toEqual([
      ["slip", "default", true, true],
      ["type", "default", true, true],
      ["broken", "default", true, true],
      ["over", "strict", true, true],
      ["under", "strict", true, false],
      ["other", "default", true, false],
      ["plain", "default", true, false],
    ]);
    expect(discovery.view("slip").diagnostics).toContainEqual(
      expect.objectContaining({
        code: "PROFILE_UNKNOWN_KEY",
        severity: "error",
        file: "agents/slip/agent.yaml",
        line: 2,
        hint: "Did you mean risk_profile?",
      }),
    );
  });

  it("that is broken is told so, and harms no other", () => {
    const root = tree({
      "agents/broken/agent.yaml": "title: [",
      "agents/partly/agent.yaml": "title: Partly\nenabled: perhaps\nrisk: high\ntools: {enable: all}",
      "agents/twice/agent.yaml": "title: Yaml",
      "agents/twice/agent.json": '{"title": "Json"}',
      "agents/good/agent.yaml": "title: Good",
    });
    const discovery = open(root);
    const view = discovery.view("good");
    expect(view.diagnostics).toMatchObject([
      { code: "PROFILE_INVALID", severity: "error", file: "agents/broken/agent.yaml", line: 1 },
      { code: "PROFILE_INVALID", severity: "error", file: "agents/partly/agent.yaml", line: 2 },
      { code: "PROFILE_UNKNOWN_KEY", severity: "warning", file: "agents/partly/agent.yaml", line: 3 },
      { code: "PROFILE_INVALID", severity: "error", file: "agents/partly/agent.yaml", line: 4 },
      { code: "PROFILE_INVALID", severity: "warning", file: "agents/twice/agent.json" },
    ]);
    expect(discovery.view("broken").profile).toMatchObject({ title: "broken", faulty: true });
    expect(discovery.view("partly").profile).toMatchObject({
      title: "Partly",
      enabled: true,
      faulty: true,
      tools: { enable: [], disable: [] },
    });
    expect(discovery.view("twice").profile).toMatchObject({ title: "Yaml", faulty: false });
    expect(codes(discovery.view("good").diagnostics)).toHaveLength(5);
  });

  it("of two plugins is no collision: both add to it", () => {
    const root = tree({
      "usr/plugins/a/plugin.yaml": "",
      "usr/plugins/a/agents/chef/prompts/fw.a.md": "a",
      "usr/plugins/b/plugin.yaml": "",
      "usr/plugins/b/agents/chef/prompts/fw.b.md": "b",
    });
    const view = open(root).view("chef");
    expect(view.catalog.list("prompt").map(({ id }) => id)).toEqual(["fw.a.md", "fw.b.md"]);
    expect(view.catalog.get("profile", "chef")?.standings.map(({ state }) => state)).toEqual(["wins", "shadowed"]);
    expect(view.diagnostics).toEqual([]);
  });
});
