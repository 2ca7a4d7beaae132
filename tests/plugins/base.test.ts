import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type TestToolOptions, testTool } from "toolroom/testing";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import SkillsTool from "../../tools/skills_tool.ts";
import { runTool } from "../helpers/run-tool.ts";
import { makeTree, writeTree } from "../helpers/tree.ts";

const DIRECTORY = fileURLToPath(new URL("../../plugins/_base/skills/toolroom-development", import.meta.url));
const skill = {
  id: "toolroom-development",
  name: "toolroom-development",
  description: "",
  directory: DIRECTORY,
  plugin: "_base",
};

const guide = readFileSync(join(DIRECTORY, "SKILL.md"), "utf8");
const root = makeTree({});

/** The files of the complete example: a path in backticks on a line of its own, then a fenced block. */
function exampleFiles(text: string): ReadonlyMap<string, string> {
  const part = text.split("## A complete example")[1] ?? "";
  return new Map(
    [...part.matchAll(/^`(usr\/[^`]+)`\n\n```\w+\n([\s\S]*?)^```$/gm)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
}

writeTree(root, Object.fromEntries(exampleFiles(guide)));

/** The options of the test that the guide shows. */
function exampleOptions(text: string): TestToolOptions {
  const [, options = ""] = /testTool\("\.\.\/tools\/directory_size\.ts", (\{[\s\S]*?^\})\);/mu.exec(text) ?? [];
  return new Function(`return (${options});`)();
}

describe("the author's guide", () => {
  test("has front matter that skills need", () => {
    const meta = parse(/^---\n([\s\S]*?)\n---\n/.exec(guide)?.[1] ?? "");
    expect(meta.name).toBe("toolroom-development");
    expect(meta.description.length).toBeLessThanOrEqual(500);
  });

  test("is loadable, without its front matter", async () => {
    const agent = { skills: async () => [skill] };
    const { result } = await runTool(
      SkillsTool,
      { action: "load", skill_name: skill.id },
      { id: "skills_tool", agent },
    );
    expect(result.message).toMatch(/^# Writing for toolroom\n/);
    expect(result.data.files).toEqual(["SKILL.md", "extension-points.md", "policy.md"]);
  });

  test("covers what an author has to know", () => {
    const headings = [...guide.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(
      expect.arrayContaining([
        "The contract",
        "Where to put it",
        "What the model must be told",
        "Progress and interventions",
        "Documents",
        "Verification",
        "Checklist for a new plugin tool",
      ]),
    );
    expect(guide.split("## Checklist")[1]?.split("## ")[0]).toMatch(/^1\. [\s\S]*^5\. /m);
  });
});

describe("the complete example of the guide, tested as the guide shows", () => {
  testTool(join(root, "usr/plugins/disk_usage/tools/directory_size.ts"), exampleOptions(guide));
});

describe("the complete example of the guide", () => {
  test("is a plugin with a manifest, settings, a tool and a fragment", () => {
    expect([...exampleFiles(guide).keys()].map((path) => path.replace("usr/plugins/disk_usage/", ""))).toEqual([
      "plugin.yaml",
      "default_config.yaml",
      "tools/directory_size.ts",
      "prompts/agent.system.tool.directory_size.md",
    ]);
  });

  test("runs", async () => {
    const { default: cls } = await import(join(root, "usr/plugins/disk_usage/tools/directory_size.ts"));
    const { result, progress } = await runTool(cls, { path: "usr" }, { id: "directory_size", workspace: root });
    expect(result).toMatchObject({ status: "success", data: { files: 4 } });
    expect(result.message).toMatch(/^usr: 4 files, \d+ bytes\.$/);
    expect(progress[0]).toBe("0 files so far, now in usr");
    const missing = await runTool(cls, { path: "none" }, { id: "directory_size", workspace: root });
    expect(missing.result.error?.code).toBe("NOT_FOUND");
  });
});
