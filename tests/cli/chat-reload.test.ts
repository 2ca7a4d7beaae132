import { describe, expect, test } from "vitest";
import { type RunningCli, startCli } from "../helpers/cli.ts";
import { type Sitting, sitDown } from "../helpers/terminal.ts";
import { makeTree, manifest, toolSource, writeTree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";

const TOOL = "usr/plugins/p/tools/greet.ts";
const makeRoot = () => makeTree({ "usr/plugins/p/plugin.yaml": manifest("p"), [TOOL]: toolSource("one") });

/** Waits until the chat watches, which it does when its prompt is there. */
async function untilWatching(chat: Sitting | RunningCli, ask: () => void): Promise<void> {
  ask();
  await chat.shows(/\d+ directories watched, by events|nothing is watched/);
}

describe("hot loading in a chat", { timeout: 60_000 }, () => {
  test("at a terminal: one dim line above the prompt, which keeps what was typed, and the next call is the new text", async () => {
    const root = makeRoot();
    const chat = sitDown(["chat"], { cwd: root });
    await chat.shows(/> /);
    chat.type("/greet\r");
    await chat.shows(/\none\n[\s\S]*> /);
    chat.type("/gre");
    writeTree(root, { [TOOL]: toolSource("two") });
    await chat.shows(
      /\x1b\[2m {2}generation 1 → 2, watch: ok usr\/plugins\/p\/tools\/greet\.ts\x1b\[22m\n[\s\S]*> \/gre/u,
    );
    chat.type("et\r");
    await chat.shows(/\ntwo\n[\s\S]*> /);
    writeTree(root, { [TOOL]: "export default class {\n  async execute( { }\n}\n" });
    await chat.shows(
      /generation 2 → 3, watch: failed usr\/.*greet\.ts; usr\/.*greet\.ts:3:1 error LOAD_SYNTAX .*\n[\s\S]*> /,
    );
    chat.type("/greet\r");
    await chat.shows(/\ntwo\n[\s\S]*> /);
    chat.type("/generations\r");
    await chat.shows(/\n3 .* watch +failed +serves/);
    chat.type("\x04");
    expect(await chat.code).toBe(0);
  });

  test("in a pipe: the commands of an operator, and what they find", async () => {
    const root = makeRoot();
    const chat = startCli(["chat"], { cwd: root });
    const type = (line: string) => void chat.child.stdin.write(`${line}\n`);
    await untilWatching(chat, () => type("/status"));
    type("/reload");
    await chat.shows(/\nreload: ok \(exit code 0\), generation 2\n/);
    type("/generations pin");
    await chat.shows(/Generation 2 is held/);
    type("/doctor");
    await chat.shows(/\nwarning +generation +generation 2, held at what 2 was made of/);
    type("/generations release");
    await chat.shows(/\nrelease: ok/);
    type("/help");
    await chat.shows(/\n\/doctor /);
    chat.child.stdin.end();
    expect((await chat.outcome).code).toBe(0);
  });

  test("words that are being streamed are not cut by it, and not told twice", async () => {
    const root = makeRoot();
    const wire = await startWireServer([{ text: "Once upon a time", trouble: "hang" }]);
    const env = { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL };
    const chat = startCli(["chat"], { cwd: root, env });
    chat.child.stdin.write("Tell me a story\n");
    await chat.shows(/Once upon/);
    writeTree(root, { "usr/settings.yaml": "agent: { maxIterations: 24 }\n" });
    // Nothing is shown of it yet; that it is served shows that it was taken up.
    await new Promise((resolve) => setTimeout(resolve, 500));
    chat.child.kill("SIGINT");
    await chat.shows(/The turn was stopped/);
    await chat.shows(/ {2}generation 1 → 2, watch: ok usr\/settings\.yaml\n/);
    chat.child.stdin.end();
    const { code, stdout } = await chat.outcome;
    expect(code).toBe(0);
    expect(stdout.match(/Once upon a time\n/gu)).toHaveLength(1);
    await wire.close();
  });
});
