import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import SkillsTool from "../../tools/skills_tool.ts";
import { runTool, tempDir } from "../helpers/run-tool.ts";

const DIRECTORY = fileURLToPath(new URL("../../plugins/_base/skills/toolroom-development", import.meta.url));
const skill = {
  id: "toolroom-development",
  name: "toolroom-development",
  description: "",
  directory: DIRECTORY,
  plugin: "_base",
};

let guide: string;
let root: string;

/** The files of the complete example: a path in backticks on a line of its own, then a fenced block. */
function exampleFiles(text: string): ReadonlyMap<string, string> {
  const part = text.split("## A complete example")[1] ?? "";
  return new Map(
    [...part.matchAll(/^`(usr\/[^`]+)`\n\n```\w+\n([\s\S]*?)^```$/gm)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
}

beforeAll(async () => {
  guide = await readFile(join(DIRECTORY, "SKILL.md"), "utf8");
  root = await tempDir();
  for (const [path, content] of exampleFiles(guide)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
});

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
    expect(result.data.files).toEqual(["SKILL.md", "extension-points.md"]);
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
