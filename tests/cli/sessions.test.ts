import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { bareEnvironment, MAIN, startCli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { sitDown } from "../helpers/terminal.ts";
import { DELEGATING, makeTree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";

const QUESTION = "How many lines does a.txt have?";

function room(): string {
  return makeTree({ "a.txt": "one\ntwo\n", "usr/agents/chef/agent.yaml": "title: Chef\n", ...DELEGATING });
}

async function sessionsOf(
  cwd: string,
): Promise<{ id: string; turns: number; profile: string; state: string; parent: string | null }[]> {
  return JSON.parse((await runMain(["sessions", "--json"], { cwd })).stdout).sessions;
}

describe("a chat", () => {
  test("is written down, and goes on with --continue and --resume", async () => {
    const cwd = room();
    const first = await runMain(["chat"], { cwd, input: `${QUESTION}\n` });
    expect(first.stderr).toMatch(/^ {2}context \d+ % full$/m);
    const [session] = await sessionsOf(cwd);
    expect(session).toMatchObject({ turns: 1, profile: "default", state: "idle" });
    const id = session?.id as string;
    const second = await runMain(["chat", "--continue"], { cwd, input: `${QUESTION}\n` });
    expect(second.stderr).toContain(`session ${id} goes on after one turn.`);
    const third = await runMain(["chat", "--resume", id], { cwd, input: `${QUESTION}\n` });
    expect(third.stderr).toContain(`session ${id} goes on after 2 turns.`);
    expect(await sessionsOf(cwd)).toMatchObject([{ id, turns: 3 }]);
  });

  test("in which nothing was said leaves nothing", async () => {
    const cwd = room();
    await runMain(["chat"], { cwd, input: "/help\n" });
    expect(existsSync(join(cwd, "usr/sessions"))).toBe(false);
  });

  test("with another profile is another session, which goes on with that profile", async () => {
    const cwd = room();
    await runMain(["chat"], { cwd, input: `${QUESTION}\n/profile chef\n${QUESTION}\n` });
    expect((await sessionsOf(cwd)).map(({ profile }) => profile)).toEqual(["chef", "default"]);
    const { stdout } = await runMain(["chat", "--continue"], { cwd, input: "/profile\n" });
    expect(stdout).toBe("chef\n");
    const other = await runMain(["chat", "--continue", "--profile", "default"], { cwd, input: "/profile\n" });
    expect(other.stdout).toBe("default\n");
    const chef = (await sessionsOf(cwd)).find(({ profile }) => profile === "chef");
    const wrong = await runMain(["chat", "--resume", chef?.id as string, "--profile", "default"], { cwd });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/SESSION_PROFILE: .*of profile chef, not of default/),
    });
  });

  test("that runs cannot be had by another", async () => {
    const cwd = room();
    const chat = startCli(["chat"], { cwd });
    chat.child.stdin.write(`${QUESTION}\n`);
    await chat.shows(/2 lines/);
    expect(await sessionsOf(cwd)).toMatchObject([{ state: "running" }]);
    const other = await runMain(["chat", "--continue"], { cwd });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/SESSION_BUSY: .*process \d+/) });
    chat.child.stdin.end();
    await chat.outcome;
    expect(await sessionsOf(cwd)).toMatchObject([{ state: "idle" }]);
  });

  test("that was killed says what it does not know, and lets itself be resumed", async () => {
    const cwd = room();
    const chat = startCli(["chat"], { cwd });
    chat.child.stdin.write("/wait seconds=50\n");
    await chat.shows(/→ wait/);
    // The call is announced before it is written down.
    const [name = ""] = readdirSync(join(cwd, "usr/sessions")).filter((file) => file.endsWith(".jsonl"));
    while (!readFileSync(join(cwd, "usr/sessions", name), "utf8").includes('"type":"call"')) await wait(5);
    chat.child.kill("SIGKILL");
    await chat.outcome;
    expect(await sessionsOf(cwd)).toMatchObject([{ state: "interrupted", turns: 0 }]);
    const { stderr, code } = await runMain(["chat", "--continue"], { cwd, input: `${QUESTION}\n` });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /goes on after 0 turns; the last one was interrupted\.\n.*wait \{"seconds":50\} is not known/,
    );
  });

  test("makes room by hand, and shows what was used", async () => {
    const replies = Array.from({ length: 4 }, (_, turn) => ({ text: `answer ${turn}` }));
    const server = await startWireServer([...replies, { text: "They talked." }, { text: "the last" }]);
    onTestFinished(server.close);
    const env = { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: server.baseURL };
    const cwd = room();
    const input = "/compact\none\ntwo\nthree\nfour\n/compact\nfive\n";
    const { stdout, stderr } = await runMain(["chat"], { cwd, env, input });
    expect(stdout.split("\n")).toEqual([
      "There is nothing to summarise yet.",
      ...replies.map(({ text }) => text),
      expect.stringMatching(/^old turns were summarised by the model: some \d+ tokens became \d+$/),
      "the last",
      "",
    ]);
    expect(stderr).toMatch(/^ {2}11 tokens in, 7 out; context \d+ % full$/m);
    expect(stderr).toMatch(/^ {2}66 tokens in, 42 out; context \d+ % full$/m);
    const said = server.requests
      .at(-1)
      ?.body.messages.slice(1)
      .map(({ content }: { content: unknown }) => content);
    expect(said).toEqual([
      expect.stringMatching(/^Summary of the conversation[\s\S]*They talked\.$/),
      ...["three", "answer 2", "four", "answer 3", "five"],
    ]);
    const again = await runMain(["chat", "--continue"], { cwd, env, input: "six\n" });
    expect(again.code).toBe(0);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/They talked\..*the last.*six/);
  });

  test("at a terminal has its commands, too", async () => {
    const cwd = room();
    const chat = sitDown(["chat"], { cwd });
    await chat.shows(/> /);
    chat.type("/compact\r");
    await chat.shows(/There is nothing to summarise yet\./);
    chat.type("/quit\r");
    expect(await chat.code).toBe(0);
  });
});

describe("run", () => {
  test("writes nothing down unless it is asked to", async () => {
    const cwd = room();
    await runMain(["run", QUESTION], { cwd });
    expect(await sessionsOf(cwd)).toEqual([]);
  });

  test("tells whose subordinate one is of, and what ran in the background", async () => {
    const cwd = room();
    const calls = [{ tool_name: "call_subordinate", tool_args: { message: QUESTION } }];
    await runMain(["chat"], { cwd, input: `/tool parallel ${JSON.stringify({ tool_calls: calls, wait: true })}\n` });
    const sessions = await sessionsOf(cwd);
    const superior = sessions.find(({ parent }) => parent === null)?.id as string;
    const own = sessions.find(({ parent }) => parent === superior)?.id as string;
    const list = await runMain(["sessions", "list"], { cwd });
    expect(list.stdout).toMatch(new RegExp(`^${own} .*\\(sub-job-1 of ${superior}\\)$`, "m"));
    expect((await runMain(["sessions", "show", own], { cwd })).stdout).toContain(`sub-job-1 of ${superior}`);
    const shown = (await runMain(["sessions", "show", superior], { cwd })).stdout;
    expect(shown).toContain(`⇢ sub-job-1, profile default: session ${own}`);
    expect(shown).toContain("⇠ job-1 call_subordinate success: a.txt: 2 lines");
    await runMain(["sessions", "delete", superior], { cwd });
    expect(await sessionsOf(cwd)).toEqual([]);
    const { stdout, stderr } = await runMain(["run", QUESTION, "--session", "new", "--json"], { cwd });
    const { session } = JSON.parse(stdout);
    expect(stderr).toContain(`session ${session}`);
    await runMain(["run", QUESTION, "--session", "latest"], { cwd });
    await runMain(["run", QUESTION, "--session", session], { cwd });
    expect(await sessionsOf(cwd)).toMatchObject([{ id: session, turns: 3 }]);
  });

  test("by many at once: each has the session alone or is told who has it, and all lines are whole", async () => {
    const cwd = room();
    await runMain(["run", QUESTION, "--session", "new"], { cwd });
    const [before] = await sessionsOf(cwd);
    const id = before?.id as string;
    const start = () =>
      spawn(process.execPath, [MAIN, "run", QUESTION, "--session", id], { cwd, env: bareEnvironment() });
    const codes = await Promise.all(
      Array.from({ length: 6 }, () => new Promise((resolve) => start().on("close", resolve))),
    );
    const [after] = await sessionsOf(cwd);
    expect(after).toMatchObject({ state: "idle", turns: 1 + codes.filter((code) => code === 0).length });
    expect(codes.filter((code) => code !== 0 && code !== 1)).toEqual([]);
    expect(JSON.parse((await runMain(["sessions", "show", id, "--json"], { cwd })).stdout).damaged).toEqual([]);
  });
});

describe("sessions", () => {
  test("lists, shows and deletes", async () => {
    const cwd = room();
    expect((await runMain(["sessions"], { cwd })).stdout).toBe("There are no sessions. A chat makes one.\n");
    await runMain(["chat"], { cwd, input: `${QUESTION}\nnothing that a tool could do\n` });
    const [session] = await sessionsOf(cwd);
    const id = session?.id as string;
    const list = await runMain(["sessions", "list"], { cwd });
    expect(list.stdout).toMatch(/^session +last used \(UTC\) +profile +turns +state +began with$/m);
    expect(list.stdout).toMatch(
      new RegExp(`^${id} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +default +2 +idle +How many lines`, "m"),
    );
    const shown = await runMain(["sessions", "show", id], { cwd });
    expect(shown.stdout).toContain(`session ${id}: profile default, model offline, 2 turns, idle`);
    expect(shown.stdout).toContain(`[you] ${QUESTION}`);
    expect(shown.stdout).toContain("← word_count success: a.txt: 2 lines");
    writeFileSync(join(cwd, "usr/sessions", `${id}.jsonl`), "nonsense\n", { flag: "a" });
    expect((await runMain(["sessions", "show", id], { cwd })).stderr).toMatch(
      /line \d+ could not be read: it is not JSON/,
    );
    expect((await runMain(["sessions", "delete", id], { cwd })).stdout).toBe(`deleted ${id}\n`);
    expect(await runMain(["sessions", "delete", id], { cwd })).toMatchObject({ code: 2 });
    expect(await sessionsOf(cwd)).toEqual([]);
    await runMain(["run", QUESTION, "--session", "new"], { cwd });
    const [next] = await sessionsOf(cwd);
    const removed = await runMain(["sessions", "delete", next?.id as string, "--json"], { cwd });
    expect(JSON.parse(removed.stdout)).toEqual({ deleted: [next?.id] });
  });
});
