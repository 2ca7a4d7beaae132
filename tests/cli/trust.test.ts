import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listTrust } from "../../core/host/trust.ts";
import { cli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";

/** A root that nobody trusts, and the command line in it. */
function stranger() {
  const root = makeTree({
    "usr/tools/greet.ts": toolSource("hi"),
    "usr/settings.yaml": "risk_profiles: {default: {level: full}}\n",
  });
  const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
  return { root, env, run: (...line: string[]) => runMain(line, { cwd: root, env, trust: false }) };
}

test("trust lets a root run, tells what was accepted with it, and ends it again", async () => {
  const { root, run } = stranger();
  const refused = await run("call", "greet");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("TOOL_LOAD_FAILED");
  expect(refused.stderr).toContain(`\`toolroom trust ${root}\``);
  expect(await run("trust", "--list")).toEqual({ code: 0, stdout: "No root is trusted.\n", stderr: "" });

  const { code, stdout } = await run("trust");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `${root} is trusted: what lies there runs, now and when it changes\nusr/settings.yaml, accepted as it is now: {"risk_profiles":{"default":{"level":"full"}}}\n`,
  });
  expect((await run("call", "greet")).stdout).toBe("hi\n");
  expect((await run("trust", "--list")).stdout).toMatch(new RegExp(`^${root} +\\S+ \\S+ +ok$`, "mu"));

  expect((await run("trust", "--revoke")).stdout).toContain(`${root} is not trusted any more`);
  expect((await run("call", "greet")).code).toBe(1);
  expect(await run("trust", "--revoke")).toMatchObject({ code: 1, stderr: expect.stringContaining("UNTRUSTED") });
});

test("trust shows what was approved there, which holds from then on", async () => {
  const { root, run } = stranger();
  const approval = { id: "theirs", scope: "pattern", tool: "gr\u001beet", risk: "high", riskProfile: "default" };
  const more = { face: "cli", modules: "m", shown: "{}", by: "them", given: "2026-01-01T00:00:00.000Z" };
  const line = { v: 1, type: "approval", ...approval, ...more, expires: "2999-01-01T00:00:00.000Z" };
  writeFileSync(join(root, "usr/approvals.jsonl"), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  expect((await run("approvals")).stdout).toContain("no standing approvals");
  const { stdout } = await run("trust");
  expect(stdout).toContain("usr/approvals.jsonl, accepted as it is now; `toolroom approvals revoke` ends them:");
  expect(stdout).toMatch(/^theirs +gr<U\+001B>eet \(any arguments\) +until 2999-01-01 00:00/mu);
});

test("roots that are trusted at the same time are all trusted", async () => {
  const env = { XDG_CONFIG_HOME: makeTree({}) };
  const roots = Array.from({ length: 6 }, () => makeTree({ "usr/settings.yaml": "" }));
  const done = await Promise.all(roots.map((root) => cli(["trust", root], { env, trust: false })));
  expect(done.map(({ code }) => code)).toEqual(roots.map(() => 0));
  expect(listTrust({ env }).map(({ root }) => root)).toEqual([...roots].sort());
  expect(readdirSync(join(env.XDG_CONFIG_HOME, "toolroom"))).toEqual(["trust.json"]);
});

test("--trust lasts for one command, and nothing is kept of it", async () => {
  const { run, env } = stranger();
  expect((await run("call", "greet", "--trust")).stdout).toBe("hi\n");
  expect(existsSync(join(env.XDG_CONFIG_HOME, "toolroom"))).toBe(false);
  expect((await run("call", "greet")).code).toBe(1);
});

test("list shows what does not run, and the root is told once", async () => {
  const { run } = stranger();
  const { code, stdout, stderr } = await run("list");
  expect({ code, told: stderr.match(/UNTRUSTED/g)?.length }).toEqual({ code: 0, told: 1 });
  expect(stdout).toMatch(/^greet +unloaded +\?/mu);
  expect((await run("list", "--strict")).code).toBe(1);
  const { tools } = JSON.parse((await run("list", "--json")).stdout);
  expect(tools).toContainEqual(
    expect.objectContaining({ name: "greet", status: "unloaded", diagnostics: ["UNTRUSTED"] }),
  );
  expect((await run("explain", "greet")).stdout).toMatch(/^refused +6 usr/mu);
});

test("check finds it, but not with --trust", async () => {
  const { run } = stranger();
  const found = JSON.parse((await run("check", "plugins", "--json")).stdout).diagnostics;
  expect(found).toContainEqual(expect.objectContaining({ code: "UNTRUSTED", severity: "error" }));
  const accepted = JSON.parse((await run("check", "plugins", "--json", "--trust")).stdout).diagnostics;
  expect(accepted.map(({ code }: { code: string }) => code)).not.toContain("UNTRUSTED");
});

test("the tests and commands of such a root are not run", async () => {
  const { run } = stranger();
  expect(await run("test")).toMatchObject({ code: 1, stderr: expect.stringMatching(/^toolroom: UNTRUSTED/) });
});

test("the JSON of trust is whole", async () => {
  const { root, run } = stranger();
  expect(JSON.parse((await run("trust", root, "--json")).stdout)).toEqual({
    root,
    since: expect.any(String),
    settings: { "usr/settings.yaml": { risk_profiles: { default: { level: "full" } } } },
    approvals: [],
  });
  const list = JSON.parse((await run("trust", "--list", "--json")).stdout);
  expect(list).toEqual({ roots: [{ root, since: expect.any(String), state: "ok" }] });
  expect(JSON.parse((await run("trust", "--revoke", root, "--json")).stdout)).toEqual({ revoked: root });
});

test.each([[["a", "b"]], [["--list", "a"]], [["--list", "--revoke"]], [["--root", "a", "b"]], [["nowhere"]]])(
  "wrong usage: trust %s",
  async (line) => {
    expect((await stranger().run("trust", ...line)).code).toBe(2);
  },
);
