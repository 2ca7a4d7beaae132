import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SkillSummary } from "toolroom";
import { testTool } from "toolroom/testing";
import { beforeAll, describe, expect, test } from "vitest";
import SkillsTool from "../../tools/skills_tool.ts";
import { runTool, tempDir } from "../helpers/run-tool.ts";

let outer: string;
let skills: readonly SkillSummary[];

beforeAll(async () => {
  outer = await tempDir();
  const directory = join(outer, "skills", "release");
  await mkdir(join(directory, "docs"), { recursive: true });
  await writeFile(join(outer, "secret.txt"), "not yours");
  await writeFile(
    join(directory, "SKILL.md"),
    "---\nname: release\ndescription: d\n---\n\n# Release\n\nTag, then push.\n",
  );
  await writeFile(join(directory, "docs", "steps.md"), "1. tag\n");
  await writeFile(join(directory, ".hidden"), "x");
  await writeFile(join(directory, "logo.bin"), Buffer.from([1, 0, 2]));
  await writeFile(join(directory, "big.txt"), "x".repeat(256 * 1024 + 1));
  await symlink(join(outer, "secret.txt"), join(directory, "link.txt"));
  await symlink(join(outer, "nothing-here"), join(directory, "dangling.txt"));
  await symlink(outer, join(directory, "up"));
  await symlink("docs/steps.md", join(directory, "alias.md"));
  execFileSync("mkfifo", [join(directory, "pipe")]);
  skills = [
    { id: "release", name: "release", description: "How to publish a version.", directory, plugin: "_base" },
    {
      id: "toolroom-development",
      name: "Author guide",
      description: "编写工具和插件的指南",
      directory,
      plugin: undefined,
    },
  ];
});

async function ask(args: Record<string, string>, list = skills) {
  return (await runTool(SkillsTool, args, { id: "skills_tool", agent: { skills: async () => list } })).result;
}

testTool("../../tools/skills_tool.ts", {
  args: { action: "read_file", skill_name: "toolroom-development", file_path: "extension-points.md" },
});

describe("skills_tool", () => {
  test("lists by default", async () => {
    const result = await ask({});
    expect(result.message).toContain("- release: How to publish a version.");
    expect(result.data.skills).toHaveLength(2);
    expect((await ask({}, [])).message).toBe("No skills are installed.");
  });

  test.each([
    ["publish", ["release"]],
    ["PLUGINS release", ["release"]],
    ["工具开发", ["toolroom-development"]],
    ["nonsense", []],
  ])("searches for %s", async (query, ids) => {
    const result = await ask({ action: "search", query });
    expect((result.data.skills as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  });

  test("loads the body and the file tree, without hidden files and links", async () => {
    const result = await ask({ action: "load", skill_name: "**Release**" });
    expect(result.message).toMatch(/^# Release\n\nTag, then push\.\n\n/);
    expect(result.data).toEqual({ skill: "release", files: ["SKILL.md", "big.txt", "docs/steps.md", "logo.bin"] });
    expect(result.additional).toEqual({ keep: "skill:release" });
  });

  test("finds a skill by the name of its front matter", async () => {
    expect((await ask({ action: "load", skill_name: "author guide" })).data.skill).toBe("toolroom-development");
  });

  test("reads a file, also through a link that stays inside", async () => {
    expect(await ask({ action: "read_file", skill_name: "release", file_path: "docs/steps.md" })).toMatchObject({
      status: "success",
      message: "1. tag\n",
      data: { skill: "release", file: "docs/steps.md", bytes: 7 },
    });
    expect((await ask({ action: "read_file", skill_name: "release", file_path: "alias.md" })).message).toBe("1. tag\n");
  });

  test.each([
    ["../../secret.txt", "ACCESS_DENIED"],
    ["../../missing.txt", "ACCESS_DENIED"],
    ["../release-other/x", "ACCESS_DENIED"],
    ["/etc/passwd", "ACCESS_DENIED"],
    ["link.txt", "ACCESS_DENIED"],
    ["dangling.txt", "ACCESS_DENIED"],
    ["up/secret.txt", "ACCESS_DENIED"],
    ["up/missing.txt", "ACCESS_DENIED"],
    ["pipe", "ACCESS_DENIED"],
    ["docs", "IS_DIRECTORY"],
    ["docs/none.md", "NOT_FOUND"],
    ["logo.bin", "BINARY_FILE"],
    ["big.txt", "TOO_LARGE"],
    ["a\0b", "INVALID_PARAM"],
  ])("read_file of %s is %s", async (file_path, code) => {
    const result = await ask({ action: "read_file", skill_name: "release", file_path });
    expect(result).toMatchObject({ status: "error", data: {}, error: { code, pointer: "/file_path" } });
    expect(result.message).not.toContain("not yours");
  });

  test("a path outside reads the same whether its target exists", async () => {
    const texts = await Promise.all(
      ["up/secret.txt", "up/missing.txt"].map(async (file_path) => {
        const { message } = await ask({ action: "read_file", skill_name: "release", file_path });
        return message.replace(file_path, "X");
      }),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  test.each([
    [{ action: "search" }, "/query"],
    [{ action: "load" }, "/skill_name"],
    [{ action: "read_file", skill_name: "release" }, "/file_path"],
    [{ action: "read_file", skill_name: " ", file_path: "x" }, "/skill_name"],
    [{ action: "delete" }, "/action"],
  ])("refuses %j", async (args, pointer) => {
    expect(await ask(args as Record<string, string>)).toMatchObject({ error: { code: "INVALID_PARAM", pointer } });
  });

  test("an unknown skill is told with the nearest ones", async () => {
    const result = await ask({ action: "load", skill_name: "release-notes" });
    expect(result.error).toMatchObject({ code: "NOT_FOUND", pointer: "/skill_name", hint: "Use one of: release." });
  });
});
