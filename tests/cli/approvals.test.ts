import { afterEach, describe, expect, test } from "vitest";
import { choicesText, readAnswer } from "../../core/cli/approval-answer.ts";
import { pagesOf } from "../../core/cli/question-pages.ts";
import type { ApprovalRequest } from "../../core/sdk/approval.ts";
import { startCli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { type Sitting, sitDown } from "../helpers/terminal.ts";
import { makeTree, toolSource, writeTree } from "../helpers/tree.ts";
import { startWireServer, type WireScript, type WireServer } from "../helpers/wire-server.ts";

const SAY = `import { Tool, z } from "toolroom";
const parameters = z.object({ words: z.string() });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "medium";
  async execute({ words }) {
    return this.success("said " + words);
  }
}
`;
/** Waits until there is a file `open`. */
const GATE = toolSource("open").replace(
  "return",
  'while (!(await this.workspace.list(".")).some(({ path }) => path === "open")) await new Promise((resolve) => setTimeout(resolve, 5)); return',
);
const tree = () => makeTree({ "usr/settings.yaml": "", "usr/tools/say.ts": SAY, "usr/tools/gate.ts": GATE });
const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function modelOf(script: WireScript): Promise<Record<string, string>> {
  const wire = await startWireServer(script);
  servers.push(wire);
  return { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL, NO_COLOR: "1" };
}

const saying = (...words: readonly string[]): WireScript => [
  ...words.map((one) => ({ calls: [{ name: "say", args: { words: one } }] })),
  { text: "All done." },
];

async function chat(script: WireScript, cwd = tree()): Promise<Sitting> {
  const sitting = sitDown(["chat"], { cwd, env: await modelOf(script) });
  await sitting.shows(/> /);
  return sitting;
}

async function leave(sitting: Sitting): Promise<void> {
  sitting.type("\x04");
  expect(await sitting.code).toBe(0);
}

describe("a chat at a terminal", () => {
  test("shows the whole call and runs it on a yes; what is none of the answers is asked again", async () => {
    const talk = await chat(saying("a\x1b[2Jb"));
    talk.type("go\r");
    await talk.shows(/The agent wants to call say \(usr\)\n {2}words: a<U\+001B>\[2Jb\nrisk: medium/);
    await talk.shows(
      /Run it\? y yes · t for this turn · a always in this session · p 1h .* · n no .* · r TEXT.*\(within 120 s\)\n.*\? /s,
    );
    talk.type("sure\r");
    await talk.shows(/none of the answers; nothing was decided. Run it\?.*\? /s);
    talk.type("\r");
    await talk.shows(/none of the answers/);
    talk.type("y\r");
    await talk.shows(/← say success/);
    await talk.shows(/All done\..*> /s);
    await leave(talk);
  });

  test("takes no, always, a pattern for a time, and a text in place of the result", async () => {
    const cwd = tree();
    const talk = await chat(saying("a", "a", "b", "c", "c", "git status", "git log", "d"), cwd);
    talk.type("go\r");
    await talk.shows(/words: a\n.*Run it\?.*\? /s);
    talk.type("n too loud\r");
    // The identical call is not asked about again.
    await talk.shows(/← say error DENIED_BY_PERSON.*← say error DENIED_BY_PERSON/s);
    await talk.shows(/words: b\n.*Run it\?.*\? /s);
    talk.type("r by hand\r");
    await talk.shows(/← say success.*words: c\n.*Run it\?.*\? /s);
    talk.type("a\r");
    await talk.shows(/← say success.*← say success.*words: git status\n.*Run it\?.*\? /s);
    talk.type("p 1h words=ls*\r");
    await talk.shows(/does not mean this call/);
    talk.type("p 1h words=git *\r");
    await talk.shows(/← say success.*← say success.*words: d\n.*Run it\?.*\? /s);
    talk.type("t\r");
    await talk.shows(/All done\..*> /s);
    talk.type("/approvals\r");
    await talk.shows(/say \{"words":"c"\} +in session .* cli +terminal, .*say \{"words":"git \*"\} +until .*> /s);
    await leave(talk);

    const { code, stdout } = await runMain(["approvals", "--json"], { cwd });
    const { approvals } = JSON.parse(stdout) as { approvals: { id: string; scope: string }[] };
    expect([code, approvals.map(({ scope }) => scope)]).toEqual([0, ["session", "pattern"]]);
    const [first = { id: "" }] = approvals;
    expect((await runMain(["approvals", "revoke", first.id], { cwd })).stdout).toBe(`revoked ${first.id}\n`);
    expect((await runMain(["call", "say", "words=git push"], { cwd })).stdout).toBe("said git push\n");
    expect((await runMain(["approvals", "revoke", "--all"], { cwd })).code).toBe(0);
    expect((await runMain(["approvals"], { cwd })).stdout).toBe("There are no standing approvals.\n");
    expect((await runMain(["call", "say", "words=git push"], { cwd })).code).toBe(1);
  });

  test("Ctrl-C at a question stops the turn and withdraws it; the end of the input is a no", async () => {
    const talk = await chat(saying("a"));
    talk.type("go\r");
    await talk.shows(/Run it\?.*\? /s);
    talk.type("y\x03");
    await talk.shows(/withdrawn/);
    await talk.shows(/stopped.*> /s);
    await leave(talk);

    const end = await chat(saying("a"));
    end.type("go\r");
    await end.shows(/Run it\?.*\? /s);
    end.type("\x04");
    await end.shows(/← say error DENIED_BY_PERSON/);
    expect(await end.code).toBe(0);
  });

  test("a question over a message that was being typed: it comes back", async () => {
    const cwd = tree();
    const both = [
      { name: "gate", args: {} },
      { name: "say", args: { words: "a" } },
    ];
    const talk = await chat([{ calls: both }, { text: "All done." }], cwd);
    talk.type("go\r");
    await talk.shows(/→ gate/);
    talk.type("and th");
    await talk.shows(/> and th/);
    writeTree(cwd, { open: "" });
    await talk.shows(/Run it\?.*\? /s);
    talk.type("y\r");
    await talk.shows(/> and th/);
    talk.type("en stop\r");
    await talk.shows(/All done\..*> /s);
    await leave(talk);
  });
});

describe("a call in the background", () => {
  test("asks over the prompt when no turn runs; Ctrl-C there is a no", async () => {
    const cwd = tree();
    const gates = Array.from({ length: 4 }, () => ({ tool_name: "gate", tool_args: {} }));
    const says = ["a", "b"].map((words) => ({ tool_name: "say", tool_args: { words } }));
    const args = { tool_calls: [...gates, ...says], wait: false };
    const talk = await chat([{ calls: [{ name: "parallel", args }] }, { text: "Begun." }], cwd);
    talk.type("go\r");
    await talk.shows(/Begun\..*> /s);
    talk.type("and th");
    await talk.shows(/and th/);
    writeTree(cwd, { open: "" });
    await talk.shows(/in the background call job-5, wants to call say.*Run it\?.*\? /s);
    talk.type("y\r");
    await talk.shows(/← say success.*background call job-6.*Run it\?.*\? /s);
    talk.type("\x03");
    await talk.shows(/> .*and th.*← say error DENIED_BY_PERSON/s);
    talk.type("\x15/approvals revoke --all\r");
    await talk.shows(/There were none\..*> /s);
    await leave(talk);
  });
});

describe("a question that is longer than the screen", () => {
  const LONG = [...Array.from({ length: 60 }, (_, index) => `echo ${index}`), "; rm -rf /"].join("\n");

  test("is shown page by page, and only a no is taken before its end", async () => {
    const cwd = tree();
    const call = sitDown(["call", "say", JSON.stringify({ words: LONG })], { cwd });
    await call.shows(/echo 0\n.*Page 1 of 4\. Enter for the next one · n no/s);
    expect(call.screen()).not.toContain("rm -rf");
    call.type("y\n");
    await call.shows(/Read all of it first/);
    call.type("\n");
    await call.shows(/Page 2 of 4/);
    call.type("\n");
    await call.shows(/Page 3 of 4/);
    expect(call.screen()).not.toContain("Run it?");
    call.type("\n");
    await call.shows(/\| ; rm -rf \/\nrisk: medium.*Run it\?/s);
    call.type("y\n");
    await call.shows(/said echo 0/);
    expect(await call.code).toBe(0);
    const no = sitDown(["call", "say", JSON.stringify({ words: LONG })], { cwd });
    await no.shows(/Page 1 of 4/);
    no.type("n\n");
    await no.shows(/DENIED_BY_PERSON/);
    expect(await no.code).toBe(1);
  });

  test("is in a chat, too", async () => {
    const talk = await chat(saying(LONG));
    talk.type("go\r");
    for (const page of [1, 2, 3]) {
      await talk.shows(new RegExp(`Page ${page} of 4.*\\? `, "s"));
      talk.type("\r");
    }
    await talk.shows(/; rm -rf \/.*Run it\?.*\? /s);
    talk.type("n\r");
    await talk.shows(/All done\..*> /s);
    await leave(talk);
  });

  test("loses nothing between its pages, whatever it holds", () => {
    const text = `a\n${"b".repeat(5_000)}\n${"漢".repeat(999)}\n\n\tc; rm -rf /`;
    for (const screen of [
      { rows: 24, columns: 80 },
      { rows: 1, columns: 1 },
      { rows: 60, columns: 200 },
    ]) {
      const pages = pagesOf(text, screen);
      expect(pages.join("").replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
      const most = Math.max(5, screen.rows - 4);
      const width = Math.max(10, screen.columns);
      for (const page of pages) {
        const rows = page
          .split("\n")
          .map((line) => Math.max(1, Math.ceil(line.replace(/[^\t-~]/gu, "xx").length / width)));
        expect(rows.reduce((a, b) => a + b)).toBeLessThanOrEqual(most);
      }
    }
    expect(pagesOf("short", { rows: 24, columns: 80 })).toEqual(["short"]);
  });
});

describe("run and call", () => {
  test("ask at a terminal", async () => {
    const cwd = tree();
    const call = sitDown(["call", "say", "words=hi"], { cwd });
    await call.shows(/wants to call say \(usr\)\n {2}words: hi\n.*Run it\? y yes · p 1h/s);
    call.type("maybe\n");
    await call.shows(/none of the answers/);
    call.type("yes\n");
    await call.shows(/said hi/);
    expect(await call.code).toBe(0);

    const run = sitDown(["run", "go"], { cwd, env: await modelOf(saying("a")) });
    await run.shows(/Run it\? y yes · t for this turn/);
    run.type("no\n");
    await run.shows(/All done\./);
    expect(await run.code).toBe(0);
  });

  test("without a terminal, or for a program, are denied at once, with exit code 1 and what would allow it", async () => {
    const cwd = tree();
    const { code, stderr } = await runMain(["call", "say", "words=hi"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("say was not run");
    expect(stderr).toContain("there is nobody to ask");
    expect(stderr).toContain("`auto_approve: [say]` under risk_profiles.default in usr/settings.yaml");
    expect(stderr).toContain("`toolroom approvals`");

    const env = await modelOf(saying("a"));
    const run = await runMain(["run", "go"], { cwd, env });
    expect([run.code, run.stdout]).toEqual([1, "All done.\n"]);
    expect(run.stderr).toMatch(/^NO_APPROVER: say was not run: /u);

    // Nobody writes to its stdin, and nobody closes it: that is waited for no more than anything else.
    const open = startCli(["call", "say", "words=hi"], { cwd });
    const { code: ended, stderr: told } = await open.outcome;
    open.child.stdin.destroy();
    expect([ended, /^NO_APPROVER: say was not run/u.test(told)]).toEqual([1, true]);

    // A terminal does not count for a command that writes for a program.
    const json = sitDown(["call", "say", "words=hi", "--json"], { cwd });
    expect(await json.code).toBe(1);
    expect(json.screen()).toContain("NO_APPROVER");
    const events = sitDown(["run", "go", "--events"], { cwd, env: await modelOf(saying("a")) });
    expect(await events.code).toBe(1);
    expect(events.screen()).toMatch(/"type":"approval_requested".*"type":"approval_decided"/su);
    const pipe = await runMain(["chat"], { cwd, env: await modelOf(saying("a")), input: "go\n" });
    expect([pipe.code, pipe.stdout]).toEqual([1, "All done.\n"]);
    expect(pipe.stderr).toContain("NO_APPROVER: say was not run");
  });
});

describe("an answer", () => {
  const request = {
    scopes: ["once", "turn", "session", "pattern"],
    tool: "say",
    args: { words: "git status", times: 2 },
    rule: "level",
    timeoutMs: 90_000,
  } as unknown as ApprovalRequest;
  const read = (line: string, more: Partial<ApprovalRequest> = {}) => readAnswer(line, { ...request, ...more });

  test("is what it says in so many words", () => {
    expect(read(" Yes ")).toEqual({ decision: "approve", scope: "once" });
    expect(read("t")).toEqual({ decision: "approve", scope: "turn" });
    expect(read("always")).toEqual({ decision: "approve", scope: "session" });
    expect(read("n")).toEqual({ decision: "deny" });
    expect(read("no, not that one")).toEqual({ decision: "deny", message: "not that one" });
    expect(read("r do it by hand")).toEqual({ decision: "replace", message: "do it by hand" });
    expect(read("p 30m")).toEqual({ decision: "approve", scope: "pattern", forMs: 1_800_000 });
    expect(read("pattern 2 d words=git *")).toEqual({
      decision: "approve",
      scope: "pattern",
      forMs: 172_800_000,
      args: { words: "git *" },
    });
    expect(read('p 1h {"words":"git *","times":2}')).toMatchObject({ args: { words: "git *", times: 2 } });
  });

  test("is asked again where it is none", () => {
    const none = [
      ...["", "yy", "y please", "yes!", "ja", "ok", "1", "t now", "r", "p", "p 1h x", "p 0h", "p 31d", "p 1w"],
      ...["p 1h words=ls", "p 1h {bad", 'p 1h ["words"]', `r ${"x".repeat(64 * 1024 + 1)}`],
    ];
    for (const line of none) expect(read(line), line.slice(0, 20)).toEqual({ fault: expect.any(String) });
    for (const line of ["t", "a", "p 1h"]) expect(read(line, { scopes: ["once"] })).toHaveProperty("fault");
    expect(read("p 1h", { rule: "always_ask" })).toHaveProperty("fault");
    expect(choicesText({ scopes: ["once"], timeoutMs: 90_000 })).toBe(
      "Run it? y yes · n no [WHY] · r TEXT in place of the result (within 90 s)",
    );
  });
});

test("approvals refuses other words", async () => {
  const cwd = tree();
  for (const words of [
    ["show"],
    ["list", "x"],
    ["list", "--all"],
    ["revoke"],
    ["revoke", "x", "--all"],
    ["revoke", "x"],
  ]) {
    expect((await runMain(["approvals", ...words], { cwd })).code, words.join(" ")).toBe(2);
  }
});
