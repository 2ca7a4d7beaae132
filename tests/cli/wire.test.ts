import { afterEach, describe, expect, test } from "vitest";
import { startCli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";
import { startWireServer, type WireScript, type WireServer } from "../helpers/wire-server.ts";

type WireRequest = WireServer["requests"][number];

const QUESTION = "How many lines does README.md have?";
const ANSWER = "It has 3 lines.";
const KEY = "sk-test-0123456789abcdef";

const root = makeTree({
  "README.md": "# one\n\nthree\n",
  "usr/tools/slow.ts": toolSource("slow").replace(
    "return",
    'await new Promise((r) => this.signal.addEventListener("abort", r)); return',
  ),
});

let server: WireServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(script: WireScript): Promise<WireServer> {
  server = await startWireServer(script);
  return server;
}

/** How a model is asked for, by wire format. */
const FORMATS = {
  "openai-chat": ({ baseURL }: WireServer) => ({
    TOOLROOM_MODEL: "openai-compatible/local",
    TOOLROOM_BASE_URL: baseURL,
    OPENAI_COMPATIBLE_API_KEY: KEY,
  }),
  anthropic: ({ url }: WireServer) => ({
    TOOLROOM_MODEL: "anthropic/claude-test",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
  }),
} as const;

const openai = FORMATS["openai-chat"];

/** The tool results of a request, in whichever format. */
function resultsOf({ format, body }: WireRequest): string {
  const messages = format === "anthropic" ? body.messages.at(-1).content : body.messages.slice(-1);
  return JSON.stringify(messages);
}

function requestOf(name: string, args: object): string {
  return JSON.stringify({ thoughts: ["…"], headline: "…", tool_name: name, tool_args: args });
}

describe("the question of the README through a real model's format", () => {
  for (const format of ["openai-chat", "anthropic"] as const) {
    test(`${format}: native tool calls`, async () => {
      const wire = await serve([
        { text: "Let me count.", calls: [{ name: "word_count", args: { path: "README.md" } }] },
        { text: ANSWER },
      ]);
      const { code, stdout, stderr } = await runMain(["run", "--json", QUESTION], {
        cwd: root,
        env: FORMATS[format](wire),
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual({
        answer: ANSWER,
        turns: 2,
        calls: [{ name: "word_count", args: { path: "README.md" }, status: "success", durationMs: expect.any(Number) }],
        usage: { inputTokens: 22, outputTokens: 14 },
      });
      const [first, second] = wire.requests;
      expect(first).toMatchObject({ format, key: KEY });
      expect(JSON.stringify(first?.body.tools)).toContain('"word_count"');
      expect(resultsOf(second as WireRequest)).toContain("README.md: 3 lines, 3 words, 13 characters.");
    });
  }

  test("native: the answering tool ends the turn as well", async () => {
    const wire = await serve([{ calls: [{ name: "response", args: { text: ANSWER } }] }]);
    const { stdout } = await runMain(["run", QUESTION], { cwd: root, env: openai(wire) });
    expect(stdout).toBe(`${ANSWER}\n`);
    expect(wire.requests).toHaveLength(1);
  });

  test("the JSON protocol: requests in the text, no definitions", async () => {
    const own = makeTree({ "usr/settings.yaml": "protocol: json\n", "README.md": "# one\n\nthree\n" });
    const wire = await serve([
      { text: requestOf("word_count", { path: "README.md" }) },
      { text: requestOf("response", { text: ANSWER }) },
    ]);
    const { stdout } = await runMain(["run", "--json", QUESTION], { cwd: own, env: openai(wire) });
    expect(JSON.parse(stdout)).toMatchObject({
      answer: ANSWER,
      turns: 2,
      calls: [{ name: "word_count" }, { name: "response" }],
    });
    const [first, second] = wire.requests;
    expect(first?.body.tools).toBeUndefined();
    expect(JSON.stringify(first?.body.messages)).toContain("tool_name");
    expect(resultsOf(second as WireRequest)).toContain("README.md: 3 lines");
  });
});

describe("the message loop", () => {
  test("a reply that is no request is answered with what was wrong", async () => {
    const own = makeTree({ "usr/settings.yaml": "protocol: json\n" });
    const wire = await serve([
      { text: "I would rather talk." },
      { text: "" },
      { text: requestOf("response", { text: ANSWER }) },
    ]);
    const { code, stdout, stderr } = await runMain(["run", "hi"], { cwd: own, env: openai(wire) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${ANSWER}\n` });
    expect(stderr).toMatch(/warning MISFORMAT .*I would rather talk/);
    expect(resultsOf(wire.requests[1] as WireRequest)).toContain("I would rather talk");
    expect(resultsOf(wire.requests[2] as WireRequest)).not.toEqual(resultsOf(wire.requests[1] as WireRequest));
  });

  test("a call that is repeated for ever ends the turn, with warnings on the way", async () => {
    const wire = await serve([{ calls: [{ name: "word_count", args: { path: "README.md" } }] }]);
    const { code, stdout, stderr } = await runMain(["run", QUESTION], { cwd: root, env: openai(wire) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/warning LOOP .*word_count was called \d+ times in a row with the same arguments/);
    expect(wire.requests.length).toBeLessThan(10);
  });

  test("replies that are never usable end the turn", async () => {
    const own = makeTree({ "usr/settings.yaml": "protocol: json\n" });
    const wire = await serve((_, index) => ({ text: `still talking, ${index}` }));
    const { code, stdout, stderr } = await runMain(["run", "hi"], { cwd: own, env: openai(wire) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/could not be used/);
    expect(wire.requests).toHaveLength(5);
  });

  test("the iteration limit ends the turn", async () => {
    const own = makeTree({ "usr/settings.yaml": "agent: { maxIterations: 3 }\n" });
    const wire = await serve((_, index) => ({ calls: [{ name: "wait", args: { seconds: 0.001 * (index + 1) } }] }));
    const { code, stdout } = await runMain(["run", "--json", "hi"], { cwd: own, env: openai(wire) });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ stopped: "iterations", answer: expect.stringMatching(/./) });
    expect(JSON.parse(stdout).calls).toHaveLength(3);
  });

  test("arguments that are no JSON are not run, and the model is told", async () => {
    const wire = await serve([{ calls: [{ name: "word_count", args: '{"path": "README' }] }, { text: ANSWER }]);
    const { stdout } = await runMain(["run", "--json", QUESTION], { cwd: root, env: openai(wire) });
    expect(JSON.parse(stdout).calls).toMatchObject([{ name: "word_count", status: "error" }]);
    expect(resultsOf(wire.requests[1] as WireRequest)).toContain("INVALID_JSON");
  });

  test("several calls of one reply all get their result", async () => {
    const wire = await serve([
      {
        calls: [
          { name: "word_count", args: { path: "README.md" } },
          { name: "word_count", args: { path: "nothing.md" } },
          { name: "no_such_tool", args: {} },
        ],
      },
      { text: ANSWER },
    ]);
    const { stdout } = await runMain(["run", "--json", QUESTION], { cwd: root, env: FORMATS.anthropic(wire) });
    expect(JSON.parse(stdout).calls.map(({ status }: { status: string }) => status)).toEqual([
      "success",
      "error",
      "error",
    ]);
    const results = resultsOf(wire.requests[1] as WireRequest);
    for (const words of ["3 lines", "NOT_FOUND", "UNKNOWN_TOOL"]) expect(results).toContain(words);
  });
});

describe("Ctrl-C stops the turn", () => {
  test("while the model speaks: the request is given up", async () => {
    const wire = await serve([{ text: "Let me think about", trouble: "hang" }]);
    const { child, outcome } = startCli(["run", "hi"], { cwd: root, env: openai(wire) });
    const request = await wire.request(0);
    child.kill("SIGINT");
    await request.closed;
    const { code, stdout, stderr } = await outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe("The turn was stopped.\n");
  });

  test("while a tool runs: its result says so, and the model is not asked again", async () => {
    const wire = await serve([{ calls: [{ name: "slow", args: {} }] }]);
    const { child, outcome } = startCli(["run", "--json", "hi"], { cwd: root, env: openai(wire) });
    const request = await wire.request(0);
    await request.closed;
    setTimeout(() => child.kill("SIGINT"), 300);
    const { code, stdout } = await outcome;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ stopped: "aborted" });
    expect(wire.requests).toHaveLength(1);
  });
});

describe("a model that cannot be asked is one sentence and exit code 1", () => {
  test("nothing listens", async () => {
    const gone = await startWireServer([]);
    await gone.close();
    for (const env of [openai(gone), FORMATS.anthropic(gone)]) {
      const { code, stdout, stderr } = await runMain(["run", "hi"], { cwd: root, env });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^toolroom: The model .* could not be reached at http:\/\/127\.0\.0\.1:\d+.*\n$/);
    }
  });

  test.each([
    [401, /check the key in OPENAI_COMPATIBLE_API_KEY/, 1],
    [404, /check the model's name/, 1],
    [429, /wait a while/, 3],
    [500, /refused the request with status 500/, 3],
  ])("status %i, with the provider's words and without the key", async (status, words, requests) => {
    const wire = await serve([{ status, message: "the key {key} is of no use" }]);
    const { code, stdout, stderr } = await runMain(["run", "hi", "--json"], { cwd: root, env: openai(wire) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    // What is worth another try is warned of first.
    expect(stderr).toMatch(/^(?:warning RETRIED [^\n]*\n)*toolroom: [^\n]*the key \*\*\* is of no use[^\n]*\n$/);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain(KEY);
    expect(wire.requests).toHaveLength(requests);
  });

  test.each(["cut", "error"] as const)("trouble in the middle of a reply: %s", async (trouble) => {
    const wire = await serve([{ text: "Once upon a time", trouble, message: "overloaded, {key}" }]);
    const { code, stderr } = await runMain(["run", "hi"], { cwd: root, env: FORMATS.anthropic(wire) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^toolroom: The model [^\n]+\n$/);
    expect(stderr).not.toContain(KEY);
  });
});

test("--model goes before the profile, the settings and the environment", async () => {
  const own = makeTree({
    "usr/settings.yaml": "model: openai-compatible/from-settings\n",
    "usr/agents/chef/agent.yaml": "model: openai-compatible/from-profile\n",
  });
  const wire = await serve([{ text: ANSWER }]);
  const env = { ...openai(wire), TOOLROOM_MODEL: "openai-compatible/from-environment" };
  await runMain(["run", "hi", "--profile", "chef", "--model", "openai-compatible/from-option"], { cwd: own, env });
  await runMain(["run", "hi", "--profile", "chef"], { cwd: own, env });
  await runMain(["run", "hi"], { cwd: own, env });
  await runMain(["run", "hi"], { cwd: root, env });
  expect(wire.requests.map(({ body }) => body.model)).toEqual([
    "from-option",
    "from-profile",
    "from-settings",
    "from-environment",
  ]);
});
