import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "toolroom";
import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../../core/sdk/approval.ts";
import { call, type ScriptStep, text } from "../../helpers/scripted-model.ts";
import { makeTree, type Tree } from "../../helpers/tree.ts";
import { openAgency, resultsIn } from "../../host/agency.ts";
import { openHouse } from "../../host/house.ts";

/** Nobody is asked. */
const FREE: Tree = {
  "usr/settings.yaml": JSON.stringify({
    risk_profiles: { default: { level: "full", block_high_risk: false, ask_after_untrusted: false } },
  }),
};
const free = async (workspaceFiles: Tree) => await openHouse(FREE, { workspaceFiles });
const slots = (count: number): string => Array.from({ length: count }, (_, index) => `slot ${index}: -\n`).join("");
const fill = (index: number): JsonObject => ({
  path: "a.txt",
  old_string: `slot ${index}: -\n`,
  new_string: `slot ${index}: ${"x".repeat(index)}\n`,
});

describe("edits that come at once", () => {
  test("lose nothing, ten of one file in one host", async () => {
    const { host, workspace } = await free({ "a.txt": slots(10) });
    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => host.call("file_edit", fill(index))));
    expect(results.map(({ status, message }) => [status, status === "success" ? "" : message])).toEqual(
      Array(10).fill(["success", ""]),
    );
    const after = readFileSync(join(workspace, "a.txt"), "utf8");
    for (let index = 0; index < 10; index++) expect(after).toContain(`slot ${index}: ${"x".repeat(index)}\n`);
  });

  test("lose nothing, twenty of one file in two hosts, by two names of it", async () => {
    const { host, workspace, again } = await free({ "a.txt": slots(20), "d/.gitkeep": "" });
    const other = await again();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? host : other).call("file_edit", { ...fill(index), path: index % 3 ? "a.txt" : "d/../a.txt" }),
      ),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["success"]));
    const after = readFileSync(join(workspace, "a.txt"), "utf8");
    for (let index = 0; index < 20; index++) expect(after).toContain(`slot ${index}: ${"x".repeat(index)}\n`);
  });

  test("of a file that is not there yet: one makes it, and none is half of two", async () => {
    const { host, workspace, again } = await free({});
    const other = await again();
    const contents = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(2000));
    const calls = contents.map((content, index) =>
      (index % 2 ? host : other).call("file_write", { path: "new.txt", content }),
    );
    const results = await Promise.all(calls);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["success"]));
    expect(results.filter(({ data }) => data.created)).toHaveLength(1);
    expect(contents).toContain(readFileSync(join(workspace, "new.txt"), "utf8"));
  });
});

/** An agent that makes these calls, one a round; a function is somebody else at work between two rounds. */
async function conversation(steps: readonly ((workspace: string) => readonly ScriptStep[])[], files: Tree) {
  const workspace = makeTree(files);
  const rounds = steps.map((step) => step(workspace));
  const agency = await openAgency({ go: [...rounds, [text("done")]] }, FREE, { workspace, profile: "developer" });
  await agency.host.run("go");
  return { workspace, results: resultsIn(agency.asked("go").at(-1) ?? { messages: [] }) };
}

const asks = (name: string, args: JsonObject) => () => [call(name, args, `${name} ${JSON.stringify(args)}`)];
const meanwhile = (change: (file: string) => void, name: string, args: JsonObject) => (workspace: string) => [
  () => change(join(workspace, "a.txt")),
  call(name, args, `${name} ${JSON.stringify(args)}`),
];
const read = asks("file_read", { path: "a.txt" });
const edit = { path: "a.txt", old_string: "one", new_string: "1" };
const others = (file: string) => writeFileSync(file, "one\ntwo\nthree by others\n");
const FILE: Tree = { "a.txt": "one\ntwo\n" };

describe("a file that changed since the agent saw it", () => {
  test.each([
    ["file_edit", edit],
    ["file_write", { path: "a.txt", content: "all new" }],
    ["text_editor:patch", { path: "a.txt", edits: [{ from: 1, to: 1, content: "1" }] }],
    ["text_editor:write", { path: "a.txt", content: "all new" }],
  ])("is not changed by %s until it is read again", async (name, args) => {
    const { results, workspace } = await conversation(
      [read, meanwhile(others, name, args), read, asks(name, args)],
      FILE,
    );
    expect(results[1]).toMatch(/CONFLICT[\s\S]*changed since it was last read[\s\S]*Read it again/u);
    expect(results[3]).not.toMatch(/CONFLICT/u);
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toMatch(/^(?:1|all new)/u);
  });

  test("is known by its content: the same written anew is no change", async () => {
    const same = (file: string) => {
      rmSync(file);
      writeFileSync(file, "one\ntwo\n");
    };
    const { results } = await conversation([read, meanwhile(same, "file_edit", edit)], FILE);
    expect(results[1]).toContain("replaced 1 place");
  });

  test("counts what the agent itself wrote as seen", async () => {
    const again = { path: "a.txt", old_string: "two", new_string: "2" };
    const { results } = await conversation(
      [
        read,
        asks("file_edit", edit),
        asks("file_edit", again),
        meanwhile(others, "file_edit", { ...edit, old_string: "three" }),
      ],
      FILE,
    );
    expect(results.map((message) => message.includes("CONFLICT"))).toEqual([false, false, false, true]);
  });

  test("may be edited where it was never read, but not by numbers of lines", async () => {
    const patch = { path: "a.txt", edits: [{ from: 2, to: 2, content: "2" }] };
    const { results, workspace } = await conversation(
      [asks("text_editor:patch", patch), asks("file_edit", edit), asks("text_editor:patch", patch)],
      FILE,
    );
    expect(results[0]).toMatch(/CONFLICT[\s\S]*has not been read/u);
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("1\n2\n");
  });

  test("is not seen by whoever is only asked about it, nor by a dry run", async () => {
    const dry = { ...edit, dry_run: true };
    const { results } = await conversation([read, meanwhile(others, "file_edit", dry), asks("file_edit", edit)], FILE);
    expect(results[1]).toContain("CONFLICT");
    expect(results[2]).toContain("CONFLICT");
  });
});

describe("a person who is asked", () => {
  const asked: ApprovalRequest[] = [];
  const approver = (request: ApprovalRequest) => {
    asked.push(request);
    return { decision: "deny" as const };
  };
  test.each([
    ["file_edit", edit],
    ["file_write", { path: "a.txt", content: "1\ntwo\n" }],
    ["text_editor:patch", { path: "a.txt", edits: [{ from: 1, to: 1, content: "1" }] }],
    ["text_editor:write", { path: "a.txt", content: "1\ntwo\n" }],
  ])("of %s sees the change", async (name, args) => {
    const { host, workspace } = await openHouse({}, { workspaceFiles: FILE, approver });
    expect(await host.call(name, args, { profile: "developer" })).toMatchObject({
      error: { code: "DENIED_BY_PERSON" },
    });
    const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n";
    expect(asked.at(-1)).toMatchObject({ preview: diff, risk: { level: "medium" } });
    expect(asked.at(-1)?.text).toContain(
      "  what it would change:\n  | --- a/a.txt\n  | +++ b/a.txt\n  | @@ -1,2 +1,2 @@\n  | -one\n  | +1\n",
    );
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test.each([
    ["file_write", { path: "../x", content: "" }, "ACCESS_DENIED"],
    ["file_write", { path: "out/x", content: "" }, "ACCESS_DENIED"],
    ["file_write", { path: "usr/settings.yaml", content: "" }, "ACCESS_DENIED"],
    ["file_write", { path: "a/", content: "" }, "INVALID_PARAM"],
    ["file_write", { path: "link", content: "" }, "INVALID_PARAM"],
    ["file_edit", { ...edit, path: "link" }, "INVALID_PARAM"],
    ["file_edit", { ...edit, path: "/etc/passwd" }, "ACCESS_DENIED"],
    ["file_edit", { ...edit, path: "a\0b" }, "INVALID_PARAM"],
    ["file_edit", { path: "a.txt", old_string: "one" }, "INVALID_PARAM"],
    ["file_edit", { ...edit, path: "../.env", dry_run: true }, "ACCESS_DENIED"],
    ["text_editor:write", { path: "../x", content: "" }, "ACCESS_DENIED"],
    ["text_editor:patch", { path: "a.txt" }, "INVALID_PARAM"],
    ["file_read", { path: "../.env" }, "ACCESS_DENIED"],
    ["content_search", { path: "out", pattern: "x", include: ".env" }, "ACCESS_DENIED"],
    ["shell", { command: "ls", cwd: ".." }, "ACCESS_DENIED"],
  ])("is not asked where nobody could let it run: %s %j", async (name, args, code) => {
    const questions = asked.length;
    const always_ask = ["*"];
    const settings = JSON.stringify({ risk_profiles: { default: { always_ask, block_high_risk: false } } });
    const root = makeTree({ "usr/settings.yaml": settings, "a.txt": "one\n" });
    symlinkSync(tmpdir(), join(root, "out"));
    symlinkSync("a.txt", join(root, "link"));
    const { host } = await openHouse({}, { root, workspace: root, approver });
    expect(await host.call(name, args, { profile: "developer" })).toMatchObject({ error: { code } });
    expect(asked.length).toBe(questions);
    await host.call("file_write", { path: "a.txt", content: "" }, { profile: "developer" });
    expect(asked.length).toBe(questions + 1);
  });

  test("is told why there is nothing to see, and of a new file sees the arguments alone", async () => {
    const { host } = await openHouse({}, { workspaceFiles: FILE, approver });
    await host.call("file_edit", { ...edit, old_string: "none" });
    expect(asked.at(-1)?.preview).toMatch(/could not show what the call would change: the text is not in the file/u);
    await host.call("file_write", { path: "new.txt", content: "x" });
    expect(asked.at(-1)).not.toHaveProperty("preview");
  });
});

test("where files may be written and not read, they are replaced without a look, and nothing of them is shown", async () => {
  const base = makeTree({ "in/a.txt": "hidden\r\n" });
  const rules = { level: "full", allowed_roots: [{ path: join(base, "in"), access: "write_only" }] };
  const asked: ApprovalRequest[] = [];
  const approver = (request: ApprovalRequest) => {
    asked.push(request);
    return { decision: "approve" as const };
  };
  const settings = JSON.stringify({ risk_profiles: { default: { ...rules, always_ask: ["file_write"] } } });
  const { host } = await openHouse({ "usr/settings.yaml": settings }, { approver });
  const path = join(base, "in/a.txt");
  const result = await host.call("file_write", { path, content: "new\n" });
  expect(result).toMatchObject({ status: "success", data: { created: false } });
  expect(JSON.stringify([result, asked])).not.toContain("hidden");
  expect(readFileSync(path, "utf8")).toBe("new\n");
  expect(await host.call("file_edit", { ...edit, path })).toMatchObject({ error: { code: "ACCESS_DENIED" } });
});

test("writing is of high risk where something runs or obeys the file", async () => {
  const { host, root } = await openHouse({}, { workspaceFiles: FILE });
  const risk = async (path: string, on = host) => (await on.policy.why("file_write", { path, content: "" })).risk.level;
  for (const path of ["a.txt", "src/main.ts", "docs/git.md", "tools/a.ts", "none/.gitignore", ".env", "profile"]) {
    expect([path, await risk(path)]).toEqual([path, "medium"]);
  }
  for (const path of [
    ".git/hooks/pre-commit",
    "sub/.git/config",
    ".bashrc",
    ".zshenv",
    "home/.profile",
    "package.json",
    "x/package.json",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "AGENTS.md",
    "x/agents.md",
    "a/SKILL.md",
    "SOP.toml",
    "usr/plugins/p/tools/a.ts",
    "prompts/agent.system.main.md",
    "p/plugin.yaml",
    ".husky/pre-push",
    ".vscode/tasks.json",
    "d/../.git/config",
    ".ssh/authorized_keys",
    "Makefile",
  ]) {
    expect([path, await risk(path)]).toEqual([path, "high"]);
  }
  const inside = await openHouse({}, { root, workspace: root });
  expect(await risk("tools/a.ts", inside.host)).toBe("high");
  expect(await risk("notes.txt", inside.host)).toBe("medium");
  expect((await host.policy.why("file_edit", { ...edit, dry_run: true })).risk.level).toBe("low");
  expect((await host.policy.why("file_edit", { ...edit, path: ".git/config" })).risk.level).toBe("high");
});
