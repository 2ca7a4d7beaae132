import { beforeAll, describe, expect, it } from "vitest";
import { startCli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";

const root = makeTree({
  "usr/settings.yaml": "",
  "usr/tools/low.ts": toolSource("done"),
  "usr/tools/medium.ts": toolSource("done", 'static readonly risk = "medium";'),
});
const audit = (...words: string[]) => runMain(["audit", ...words], { cwd: root });
const json = async (...words: string[]) => JSON.parse((await audit(...words, "--json")).stdout);

describe("audit", () => {
  beforeAll(async () => {
    expect((await audit()).stdout).toContain("There are none");
    for (const words of [["low", "path=README.md"], ["medium"], ["low"]])
      await runMain(["call", ...words], { cwd: root });
  });

  it("tail shows the last decisions, with why", async () => {
    const { stdout, code } = await audit("tail", "-n", "2");
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(3);
    expect(stdout).toMatch(/^time \(UTC\) +from +agent +tool +decision +outcome +why\n/u);
    expect(stdout).toMatch(/cli +agent\.default +tool\.medium +ask +denied NO_APPROVER +level \{\}/u);
    expect((await json("tail", "-n", "1")).lines).toMatchObject([{ tool: "tool.low" }]);
  });

  it("shows names and arguments as they are, whatever they do to a terminal", async () => {
    const elsewhere = makeTree({ "usr/settings.yaml": "receipts: {enabled: true}\n" });
    await runMain(["call", "\u001b[31mx\u202ey"], { cwd: elsewhere });
    for (const words of [["audit"], ["receipts", "list", "--all"]]) {
      const { stdout } = await runMain(words, { cwd: elsewhere });
      expect(stdout).toMatch(/\.<U\+001B>\[31mx<U\+202E>y /u);
      expect(stdout).not.toMatch(/\u001b|\u202e/u);
    }
  });

  it("search finds by tool, decision, code, session, time and text", async () => {
    expect((await json("search", "--tool", "low")).lines).toHaveLength(2);
    expect((await json("search", "--decision", "ask")).lines).toMatchObject([{ tool: "tool.medium" }]);
    expect((await json("search", "--code", "NO_APPROVER")).lines).toHaveLength(1);
    expect((await json("search", "--session", "none")).lines).toEqual([]);
    expect((await json("search", "--text", "readme")).lines).toHaveLength(1);
    expect((await json("search", "--since", "2020-01-01")).lines).toHaveLength(3);
    expect((await json("search", "--since", "2999-01-01")).lines).toEqual([]);
  });

  it("tail --follow goes on with what others write, until a signal ends it", async () => {
    const following = startCli(["audit", "tail", "-n", "1", "--follow", "--json", "--root", root]);
    await following.shows(/\n/u);
    await runMain(["call", "medium"], { cwd: root });
    await following.shows(/"tool\.medium"/u);
    following.child.kill("SIGINT");
    const { code, stdout } = await following.outcome;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ tool: "tool.low" }, { tool: "tool.medium", decision: "ask" }]);
  });

  it.each([
    [["show"], "audit has the actions tail, search"],
    [["tail", "more"], "takes no words"],
    [["search", "--follow"], "--follow belongs to audit tail"],
    [["search", "--decision", "maybe"], "--decision needs one of run, ask, block"],
    [["tail", "-n", "0"], "--limit needs a number"],
    [["search", "--since", "soon"], "expected a time"],
  ])("refuses %j", async (words, told) => {
    const { code, stderr } = await audit(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(told);
  });
});
