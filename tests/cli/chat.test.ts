import { spawn, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { bareEnvironment, MAIN, startCli, watchProcess } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { sitDown } from "../helpers/terminal.ts";
import { makeTree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";

const root = makeTree({
  "a.txt": "one\ntwo\n",
  "usr/agents/chef/agent.yaml": "title: Chef\n",
  "usr/tools/broken.ts": "export default 1;\n",
});

describe("chat in a plain pipe", () => {
  test("answers on stdout, one line each; calls of tools on stderr; no prompt", async () => {
    const input = "How many lines does a.txt have?\n\n/profile\nhow many words are in a.txt\n";
    const { code, stdout, stderr } = await runMain(["chat"], { cwd: root, input });
    const counted = "a.txt: 2 lines, 2 words, 8 characters.";
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${counted}\ndefault\n${counted}\n` });
    expect(stderr).toMatch(/→ word_count \{"path":"a\.txt"\}\n {2}← word_count success, \d+ ms\n/);
    expect(stderr).not.toContain("response");
  });

  test("its commands", async () => {
    const input = "/help\n/tools\n/profile chef\n/profile\n/profile nobody\n/profle\n/quit\nnever asked\n";
    // Without a command, chat is what runs.
    const { code, stdout, stderr } = await runMain([], { cwd: root, input });
    expect(code).toBe(0);
    for (const name of ["/help", "/tools", "/profile", "/quit", "Ctrl-C"]) expect(stdout).toContain(`\n${name}`.trim());
    expect(stdout).toMatch(/\nword_count: Counts /);
    expect(stdout).not.toContain("unknown:");
    expect(stdout).toMatch(/\nprofile chef; a new conversation\.\nchef\n$/);
    expect(stderr).toMatch(/PROFILE_UNKNOWN: .*"nobody"/);
    expect(stderr).toMatch(/There is no command or tool \/profle/);
  });

  test("a tool that did not load is told in /tools", async () => {
    const { stdout } = await runMain(["chat"], { cwd: root, input: "/broken\n/tools\n" });
    expect(stdout).toMatch(/\nbroken: .*(class|Tool)/);
  });

  test("a last line without a line break counts, and the end of the input ends the chat", async () => {
    expect(await runMain(["chat"], { cwd: root, input: "/profile" })).toMatchObject({ code: 0, stdout: "default\n" });
    expect(await runMain(["chat"], { cwd: root, input: "" })).toMatchObject({ code: 0, stdout: "" });
  });

  test("SIGINT stops the turn, not the program", async () => {
    const chat = startCli(["chat"], { cwd: root });
    chat.child.stdin.write("wait for 50 seconds\n");
    await chat.shows(/→ wait/);
    chat.child.kill("SIGINT");
    await chat.shows(/The turn was stopped/);
    chat.child.stdin.end("how many lines does a.txt have?\n");
    const { code, stdout } = await chat.outcome;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "a.txt: 2 lines, 2 words, 8 characters.\n" });
  });
});

describe("chat with a real model", () => {
  test("streams words once, keeps its history over turns, and survives a refusal", async () => {
    const wire = await startWireServer([
      { text: "Let me look.", calls: [{ name: "word_count", args: { path: "a.txt" } }] },
      { text: "Two lines, \u001b[31mI say." },
      { status: 400, message: "try later" },
      { calls: [{ name: "response", args: { text: "As I said: two." } }] },
    ]);
    const env = { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL };
    const input = "How long is a.txt?\nAnd now?\nAgain?\n";
    const { code, stdout, stderr } = await runMain(["chat"], { cwd: root, env, input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Let me look.\nTwo lines, [31mI say.\nAs I said: two.\n" });
    expect(stderr).toMatch(/refused the request with status 400: try later/);
    const last = JSON.stringify(wire.requests.at(-1)?.body.messages);
    for (const words of ["How long is a.txt?", "Let me look.", "2 lines", "Two lines", "And now?", "Again?"])
      expect(last).toContain(words);
    await wire.close();
  });

  test("words show before the reply is at its end", async () => {
    const wire = await startWireServer([{ text: "Once upon a time", trouble: "hang" }]);
    const env = { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL };
    const chat = startCli(["chat"], { cwd: root, env });
    chat.child.stdin.write("Tell me a story\n");
    await chat.shows(/Once up/);
    chat.child.kill("SIGINT");
    await chat.shows(/The turn was stopped/);
    chat.child.stdin.end();
    expect((await chat.outcome).code).toBe(0);
    await wire.close();
  });

  test("another profile is another conversation", async () => {
    const wire = await startWireServer([{ text: "one" }, { text: "two" }]);
    const env = { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL };
    await runMain(["chat"], { cwd: root, env, input: "first words\n/profile chef\nsecond words\n" });
    expect(JSON.stringify(wire.requests[1]?.body.messages)).toContain("second words");
    expect(JSON.stringify(wire.requests[1]?.body.messages)).not.toContain("first words");
    await wire.close();
  });
});

describe("chat at a terminal", () => {
  test("greets, prompts, shows calls, and Ctrl-C stops the turn only", async () => {
    const chat = sitDown(["chat"], { cwd: root, env: { NO_COLOR: "1" } });
    await chat.shows(/toolroom, profile default, model offline\. \/help lists the commands\.\n.*> /s);
    chat.type("how many lines does a.txt have?\r");
    await chat.shows(
      /→ word_count .*\n {2}← word_count success, \d+ ms\na\.txt: 2 lines, 2 words, 8 characters\.\n.*> /s,
    );
    chat.type("wait for 50 seconds\r");
    await chat.shows(/→ wait/);
    chat.type("\x03");
    await chat.shows(/The turn was stopped\.\n.*> /s);
    chat.type("thrown away\x03/profile\r");
    await chat.shows(/\ndefault\n/);
    chat.type("\x03");
    expect(await chat.code).toBe(0);
  });

  test("what is no answer is marked, for a person who wants colours", async () => {
    const faulty = makeTree({ "usr/plugins/p/plugin.yaml": "[\n", "a.txt": "" });
    const chat = sitDown(["call", "word_count", "path=a.txt"], { cwd: faulty });
    expect(await chat.code).toBe(0);
    expect(chat.screen()).toContain("\x1b[31merror MANIFEST_INVALID\x1b[39m expected");
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const plain = sitDown(["call", "word_count", "path=a.txt"], { cwd: faulty, env });
      await plain.code;
      expect(plain.screen()).not.toContain("\x1b[");
    }
  });

  test("Ctrl-D ends it", async () => {
    const chat = sitDown([], { cwd: root });
    await chat.shows(/> /);
    chat.type("\x04");
    expect(await chat.code).toBe(0);
    expect(chat.screen().endsWith("\n")).toBe(true);
  });

  test.runIf(spawnSync("script", ["--version"]).status === 0)("the same in a terminal of the system", async () => {
    const chat = watchProcess(
      spawn("script", ["-qefc", `'${process.execPath}' '${MAIN}' --trust`, "/dev/null"], {
        cwd: root,
        env: { ...bareEnvironment(), TERM: "dumb" },
        stdio: "pipe",
      }),
    );
    await chat.shows(/> /);
    chat.child.stdin.write("wait for 50 seconds\r");
    await chat.shows(/→ wait/);
    chat.child.stdin.write("\x03");
    await chat.shows(/The turn was stopped/);
    chat.child.stdin.write("how many lines does a.txt have?\r");
    await chat.shows(/a\.txt: 2 lines/);
    chat.child.stdin.write("\x04");
    expect((await chat.outcome).code).toBe(0);
  });
});
