import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, toolSource } from "../helpers/tree.ts";
import { fragment, openHouse, pluginFiles } from "./house.ts";

/** A tool that gives back what it was configured with. */
const CONFIG_TOOL = `import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  async execute() { return this.success("configured", { config: this.config }); }
}
`;

async function listed(host: Awaited<ReturnType<typeof openHouse>>["host"], name: string, profile?: string) {
  const { tools } = await host.list(profile === undefined ? {} : { profile });
  return tools.find((tool) => tool.name === name);
}

describe("a folder dropped into usr/plugins/", () => {
  const files = pluginFiles("greeter", "greet", "hello");

  it("is listed, explained, in the prompt, defined and callable, with no other change than a reload", async () => {
    const house = await openHouse();
    const { host } = house;
    expect(await listed(host, "greet")).toBeUndefined();
    house.write(files);
    expect(await host.reload()).toMatchObject({ status: "ok", from: 1, to: 2 });

    expect(await listed(host, "greet")).toMatchObject({
      description: "Says hello.",
      layer: { rank: 7, path: "usr/plugins/greeter" },
      plugin: "greeter",
      file: "usr/plugins/greeter/tools/greet.ts",
      shadows: [],
      diagnostics: [],
    });
    expect(await host.explain("greet")).toMatchObject({
      winner: "usr/plugins/greeter/tools/greet.ts",
      candidates: [{ state: "wins" }],
      diagnostics: [],
    });
    expect((await host.prompt()).text).toContain("Says hello.");
    expect((await host.toolDefinitions()).map(({ name }) => name)).toContain("greet");
    expect(await host.call("greet", {})).toMatchObject({
      status: "success",
      message: "hello",
      context: { tool: "greet", owner: "greeter", generation: 2 },
    });
    expect((await host.run("/tool greet")).answer).toBe("hello");
  });

  it("is there in a new host, and gone with its folder", async () => {
    const house = await openHouse(files);
    expect(await house.host.call("greet", {})).toMatchObject({ message: "hello" });
    rmSync(join(house.root, "usr/plugins/greeter"), { recursive: true });
    expect((await house.host.reload()).files).toEqual(Object.keys(files).sort());
    expect(await house.host.call("greet", {})).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect((await house.host.prompt()).text).not.toContain("Says hello.");
  });
});

describe("a tool of a profile", () => {
  it("overrides for that profile only, in list, explain, prompt and call", async () => {
    const { host } = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      "agents/pirate/agent.yaml": "title: Pirate\n",
      "agents/pirate/tools/greet.ts": toolSource("ahoy"),
      "agents/pirate/prompts/agent.system.tool.greet.md": fragment("Says ahoy."),
    });
    const profile = "pirate";
    expect(await host.call("greet", {}, { profile })).toMatchObject({ message: "ahoy" });
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
    expect(await listed(host, "greet", profile)).toMatchObject({
      file: "agents/pirate/tools/greet.ts",
      layer: { rank: 5, path: "agents/pirate" },
      shadows: ["usr/plugins/greeter/tools/greet.ts"],
    });
    expect(await listed(host, "greet")).toMatchObject({ plugin: "greeter", shadows: [] });
    expect((await host.explain("greet", { profile })).candidates).toMatchObject([
      { file: "agents/pirate/tools/greet.ts", state: "wins" },
      { file: "usr/plugins/greeter/tools/greet.ts", state: "shadowed" },
    ]);
    expect((await host.prompt({ profile })).text).toContain("Says ahoy.");
    expect((await host.prompt({ profile })).text).not.toContain("Says hello.");
    expect((await host.prompt()).text).toContain("Says hello.");
    expect((await host.run("/tool greet", { profile })).answer).toBe("ahoy");
  });

  it("is among the enabled ones of its agent.yaml, and not among the disabled ones", async () => {
    const { host } = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      ...pluginFiles("parter", "part", "bye"),
      "agents/narrow/agent.yaml": "tools:\n  enable: [greet]\n",
      "agents/wide/agent.yaml": "tools:\n  disable: [greet]\n",
    });
    const names = async (profile: string) => (await host.list({ profile })).tools.map(({ name }) => name);
    // What the loop cannot do without is kept.
    expect(await names("narrow")).toEqual(["greet", "response", "unknown"]);
    expect(await names("wide")).not.toContain("greet");
    expect(await names("wide")).toContain("part");
    expect(await host.call("part", {}, { profile: "narrow" })).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect(await host.call("greet", {}, { profile: "wide" })).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    const told = await host.explain("greet", { profile: "wide" });
    expect(told).toMatchObject({ winner: null, candidates: [{ state: "disabled" }] });
    expect(told.candidates[0]?.reason).toMatch(/tools\.disable .*agent\.yaml.* wide/);
    const { text, diagnostics } = await host.prompt({ profile: "wide" });
    expect(text).not.toContain("Says hello.");
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("the example profile", () => {
  const profile = "_example";

  it("is hidden, overrides the answer, adds a tool, and its extension runs", async () => {
    const { host } = await openHouse();
    const answer = await host.call("response", { text: "Done." }, { profile });
    expect(answer).toMatchObject({ message: "Done.\n\n(the example agent)", breakLoop: true });
    expect(await host.call("response", { text: "Done." })).toMatchObject({ message: "Done.", breakLoop: true });

    const progress: string[] = [];
    host.on("tool_progress", ({ name, text }) => progress.push(`${name}: ${text}`));
    const called = await host.call("example_tool", { test_input: "abc" }, { profile });
    expect(called).toMatchObject({ status: "success", data: { test_input: "abc", length: 3 } });
    expect(progress).toEqual(["example_tool: [example] Looking at the input."]);
    expect(await host.call("example_tool", { test_input: "abc" })).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect((await host.prompt({ profile })).text).toContain("example_tool");

    const turn = await host.run('/tool example_tool test_input="abc"', { profile });
    expect(turn.answer).toContain("(the example agent)");
  });
});

describe("a plugin", () => {
  const tool = { "usr/plugins/greeter/tools/greet.ts": CONFIG_TOOL };

  it("is switched off and on by toggles, per profile", async () => {
    const house = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      "usr/plugins/greeter/.toggle-0": "",
      "agents/pirate/plugins/greeter/.toggle-1": "",
    });
    const { host } = house;
    expect(await listed(host, "greet")).toBeUndefined();
    expect(await host.explain("greet")).toMatchObject({
      winner: null,
      candidates: [{ state: "disabled", reason: expect.stringContaining("usr/plugins/greeter/.toggle-0") }],
    });
    expect(await host.call("greet", {})).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect(await host.call("greet", {}, { profile: "pirate" })).toMatchObject({ message: "hello" });
    rmSync(join(house.root, "usr/plugins/greeter/.toggle-0"));
    expect((await host.reload()).files).toEqual(["usr/plugins/greeter/.toggle-0"]);
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
  });

  it("gives its settings to its tools: own defaults, the person's, the environment's", async () => {
    const { host } = await openHouse(
      {
        ...tool,
        "usr/plugins/greeter/plugin.yaml": manifest("greeter"),
        "usr/plugins/greeter/default_config.yaml": "limits: { depth: 1, width: 1, height: 1 }\n",
        "usr/plugins/greeter/config.yaml": "limits: { depth: 2, width: 2 }\n",
        "agents/pirate/plugins/greeter/config.yaml": "limits: { depth: 3 }\n",
      },
      { env: { TOOLROOM_GREETER__LIMITS__WIDTH: "9" } },
    );
    expect(await host.call("greet", {})).toMatchObject({
      data: { config: { limits: { depth: 2, width: 9, height: 1 } } },
    });
    expect(await host.call("greet", {}, { profile: "pirate" })).toMatchObject({
      data: { config: { limits: { depth: 3, width: 9, height: 1 } } },
    });
  });

  it("cannot change its settings for others", async () => {
    const { host } = await openHouse({
      "usr/plugins/greeter/plugin.yaml": manifest("greeter"),
      "usr/plugins/greeter/config.yaml": "limits: { depth: 2 }\n",
      "usr/plugins/greeter/tools/greet.ts": CONFIG_TOOL.replace("return", "this.config.limits.depth = 7; return"),
    });
    expect(await host.call("greet", {})).toMatchObject({ error: { code: "EXECUTION_ERROR" } });
    expect(await host.call("greet", {})).toMatchObject({ error: { code: "EXECUTION_ERROR" } });
  });

  it("may wait for a settings key: until then its tool is not registered, and explain names the key", async () => {
    const house = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      "usr/plugins/greeter/prompts/agent.system.tool.greet.md": fragment("Says hello.", "when: knowledge.enabled\n"),
    });
    const { host } = house;
    expect(await listed(host, "greet")).toBeUndefined();
    expect(await host.call("greet", {})).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect((await host.prompt()).text).not.toContain("Says hello.");
    const told = await host.explain("greet");
    expect(told).toMatchObject({ winner: null, candidates: [{ state: "disabled" }] });
    expect(told.candidates[0]?.reason).toContain("knowledge.enabled");
    expect(host.diagnostics()).toMatchObject([{ code: "TOOL_UNMET", severity: "info" }]);

    house.write({ "usr/settings.yaml": "knowledge:\n  enabled: true\n" });
    expect((await host.reload()).files).toEqual(["usr/settings.yaml"]);
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
    expect(host.diagnostics()).toEqual([]);
  });
});

describe("a project", () => {
  it("lies over everything else, and has profiles of its own", async () => {
    const files = {
      ...pluginFiles("greeter", "greet", "hello"),
      "usr/projects/ship/tools/greet.ts": toolSource("of the project"),
      "usr/projects/ship/agents/pirate/tools/greet.ts": toolSource("of the pirate of the project"),
    };
    const { host, again } = await openHouse(files);
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
    const inProject = await again({ project: "ship" });
    expect(await inProject.call("greet", {})).toMatchObject({ message: "of the project" });
    expect(await inProject.call("greet", {}, { profile: "pirate" })).toMatchObject({
      message: "of the pirate of the project",
    });
    await expect(again({ project: "boat" })).rejects.toMatchObject({ code: "PROJECT_UNKNOWN", kind: "usage" });
  });
});
