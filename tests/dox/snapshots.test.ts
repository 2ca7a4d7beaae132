import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeTree, writeTree } from "../helpers/tree.ts";
import { openHouse, pluginFiles } from "../host/house.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const SNAPSHOTS = "tests/prompts/snapshots";
const areas = ["snapshot"] as const;

describe("the snapshots of the bundled profiles", () => {
  it("are there for each, hidden ones too, and say what is, whatever lies in usr/", async () => {
    const home = makeTree({
      "usr/secrets.env": "DOOR_TOKEN=value-of-the-door\n",
      "usr/settings.yaml": "locale: zh-CN\nmodel: openai/gpt-x\n",
      ...pluginFiles("mine", "mine", "hello"),
    });
    for (const top of ["plugins", "tools", "prompts", "agents"]) {
      cpSync(join(HOME, top), join(home, top), { recursive: true });
    }
    const { host } = await openHouse({}, { root: home, home, env: { LANG: "zh_CN.UTF-8", OPENAI_API_KEY: "no-key" } });
    const missing = await host.check({ areas });
    expect(missing.diagnostics.map(({ code, file, severity }) => [code, file, severity])).toEqual(
      ["_example", "default", "developer", "researcher"].map((profile) => [
        "PROMPT_SNAPSHOT_MISSING",
        `${SNAPSHOTS}/${profile}.md`,
        "error",
      ]),
    );
    const { fixed, diagnostics } = await host.check({ areas, fix: true });
    expect(fixed.length).toBe(4);
    expect(diagnostics).toEqual([]);
    for (const { file } of fixed)
      expect(readFileSync(join(home, file), "utf8")).toBe(readFileSync(join(HOME, file), "utf8"));
  });
});

describe("the snapshots of a root", () => {
  it("are made where there is a directory for them, and are the same with other secrets and another model", async () => {
    const { host, root, again } = await openHouse(pluginFiles("mine", "mine", "hello"));
    expect((await host.check({ areas, fix: true })).fixed).toEqual([]);
    expect(existsSync(join(root, "usr/snapshots"))).toBe(false);
    writeTree(root, { "usr/snapshots/.gitkeep": "" });
    const { fixed } = await host.check({ areas, fix: true, profile: "default" });
    expect(fixed).toEqual([{ file: "usr/snapshots/default.md", description: "write the snapshot" }]);
    expect(readFileSync(join(root, "usr/snapshots/default.md"), "utf8")).toContain("Says hello.");
    writeTree(root, { "usr/secrets.env": "DOOR_TOKEN=value-of-the-door\n" });
    const other = await again({ env: { LANG: "zh_CN.UTF-8", TOOLROOM_MODEL: "openai/gpt-x" } });
    expect((await other.check({ areas })).diagnostics).toEqual([]);
    writeTree(root, { "usr/prompts/agent.system.main.solving.md": "Do it.\n" });
    const [finding] = (await (await again()).check({ areas })).diagnostics;
    expect(finding).toMatchObject({ code: "PROMPT_SNAPSHOT_CHANGED", file: "usr/snapshots/default.md" });
    expect(finding?.message).toMatch(/\n {2}@@ \d+\n {2}- # Solving\n[\s\S]*\n {2}\+ Do it\./u);
  });
});
