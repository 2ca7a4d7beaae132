import { afterEach, describe, expect, test } from "vitest";
import { cli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";
import { startWireServer, type WireScript, type WireServer } from "../helpers/wire-server.ts";

const root = makeTree({
  "README.md": "# one\n\nthree\n",
  "usr/tools/chatty.ts": toolSource("done").replace(
    "return",
    'console.log("not an event"); process.stdout.write("nor this\\n"); await this.setProgress("half way"); return',
  ),
});
const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** The variables under which a model answers by a script. */
async function modelOf(script: WireScript): Promise<Record<string, string>> {
  const server = await startWireServer(script);
  servers.push(server);
  return { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: server.baseURL };
}

// biome-ignore lint/suspicious/noExplicitAny: each event has fields of its own
const eventsOf = (stdout: string): any[] =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("run --events", () => {
  test("writes one event a line, whatever tools print, and the end of the turn last", async () => {
    const env = await modelOf([
      { text: "Let me see.", calls: [{ name: "chatty", args: {} }] },
      { text: "Seen.\nAll of it." },
    ]);
    const { code, stdout } = await cli(["run", "--events", "look"], { cwd: root, env });
    expect(code).toBe(0);
    const events = eventsOf(stdout);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        "turn_start",
        "reply_start",
        "text_delta",
        "reply_end",
        "tool_start",
        "tool_progress",
        "tool_end",
        "turn_end",
      ]),
    );
    expect(events[0]).toMatchObject({ type: "turn_start", message: "look", profile: "default" });
    expect(events.at(-1)).toMatchObject({
      type: "turn_end",
      answer: "Seen.\nAll of it.",
      iterations: 2,
      usage: { inputTokens: 22, outputTokens: 14 },
    });
    expect(events.find(({ type }) => type === "tool_end")).toMatchObject({ name: "chatty", status: "success" });
  });

  test("a turn that is ended by the host ends its events too, with the reason, and fails the command", async () => {
    const own = makeTree({ "usr/settings.yaml": "agent: { maxIterations: 1 }\n" });
    const env = await modelOf([{ calls: [{ name: "wait", args: { seconds: 0 } }] }, { text: "So far nothing." }]);
    const { code, stdout } = await runMain(["run", "--events", "look"], { cwd: own, env });
    expect(code).toBe(1);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ type: "turn_end", error: "iterations" });
  });

  test("a model that cannot be asked: the last event says so, and so does stderr", async () => {
    const env = await modelOf([{ status: 401, message: "no" }]);
    const { code, stdout, stderr } = await runMain(["run", "--events", "look"], { cwd: root, env });
    expect(code).toBe(1);
    const events = eventsOf(stdout);
    expect(events.map(({ type }) => type)).toEqual(["turn_start", "reply_start", "reply_end", "turn_end"]);
    expect(events.at(-1).error).toContain("refused the request with status 401");
    expect(stderr).toMatch(/^toolroom: The model /);
  });

  test("what is wrong before a turn begins has no events", async () => {
    const { code, stdout, stderr } = await runMain(["run", "--events", "look", "--model", "nobody/x"], { cwd: root });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^toolroom: .*nobody/);
  });

  test("is another form than --json", async () => {
    const { code, stdout, stderr } = await runMain(["run", "--events", "--json", "look"], { cwd: root });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("found both");
  });
});

test("run --json prints nothing but the final value, whatever tools print", async () => {
  const env = await modelOf([{ text: "Let me see.", calls: [{ name: "chatty", args: {} }] }, { text: "Seen." }]);
  const { code, stdout } = await cli(["run", "--json", "look"], { cwd: root, env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ answer: "Seen.", turns: 2 });
});
