import { describe, expect, it } from "vitest";
import { manifest, type Tree, toolSource } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

const README = "# Ship\n\nSails.\n";

/** A host whose model is a local server that answers by a script. */
async function wired(format: "openai" | "anthropic", script: Parameters<typeof startWireServer>[0], files: Tree = {}) {
  const server = await startWireServer(script);
  const env =
    format === "openai"
      ? { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "sk-test-0123456789" }
      : { ANTHROPIC_BASE_URL: server.baseURL, ANTHROPIC_API_KEY: "sk-ant-0123456789" };
  const house = await openHouse(files, { model: `${format}/test`, env, workspaceFiles: { "README.md": README } });
  return { ...house, server };
}

describe("the offline model", () => {
  it.each([
    ["How many lines does README.md have?", /README\.md: 3 lines/u],
    ["how long is the file README.md", /README\.md: 3 lines/u],
    ["README.md 有多少行？", /README\.md: 3 lines/u],
    ["请统计 README.md 的字数", /README\.md: 3 lines/u],
    ['/tool word_count path="README.md"', /README\.md: 3 lines/u],
    ['{"tool_name": "word_count", "tool_args": {"path": "README.md"}}', /README\.md: 3 lines/u],
  ])("answers %j by a real call", async (question, answer) => {
    const { host } = await openHouse({}, { workspaceFiles: { "README.md": README } });
    const outcome = await host.run(question);
    expect(outcome.answer).toMatch(answer);
    expect(outcome.calls).toMatchObject([
      { name: "word_count", args: { path: "README.md" }, status: "success" },
      { name: "response", status: "success" },
    ]);
    expect(outcome.turns).toBe(2);
    expect(outcome.stopped).toBeUndefined();
  });

  it("declines what no tool can do, and says how to get a model that can", async () => {
    const { host } = await openHouse();
    const { answer, calls } = await host.run("Write me a poem about the sea");
    expect(calls.map(({ name }) => name)).toEqual(["response"]);
    expect(answer).toMatch(/--model|TOOLROOM_MODEL/u);
  });
});

describe("a turn", () => {
  it("is ended by breakLoop of any tool, also with an empty message", async () => {
    const { host } = await openHouse({
      "usr/tools/hush.ts": toolSource("").replace(
        'this.success("")',
        'this.response({ message: "", breakLoop: true })',
      ),
    });
    expect(await host.run("/tool hush")).toMatchObject({ answer: "", turns: 1, calls: [{ name: "hush" }] });
  });

  it("of a profile without an answering tool says so before the model is asked", async () => {
    const { host } = await openHouse({ "agents/mute/agent.yaml": "tools:\n  disable: [response]\n" });
    await expect(host.run("hello", { profile: "mute" })).rejects.toMatchObject({
      code: "ROLE_MISSING",
      kind: "failure",
      message: expect.stringMatching(/mute.*"answer"/u),
    });
    expect((await host.run("/tool response text=hi")).answer).toBe("hi");
  });

  it("whose answering tool is broken names its file", async () => {
    const { host } = await openHouse({ "usr/tools/response.ts": "export default {" });
    await expect(host.run("hello")).rejects.toMatchObject({
      code: "ROLE_MISSING",
      message: expect.stringContaining("usr/tools/response.ts:1"),
    });
  });

  it("tells its beginning and its end", async () => {
    const { host } = await openHouse({}, { workspaceFiles: { "README.md": README } });
    const heard: string[] = [];
    host.on("turn_start", ({ profile, message }) => heard.push(`start ${profile} ${message}`));
    host.on("tool_start", ({ name }) => heard.push(name));
    host.on("turn_end", ({ answer, error }) => heard.push(`end ${answer} ${error}`));
    await host.run("/tool word_count path=README.md");
    expect(heard).toEqual([
      "start default /tool word_count path=README.md",
      "word_count",
      "response",
      "end README.md: 3 lines, 3 words, 15 characters. undefined",
    ]);
  });

  it("is stopped by its signal while a tool runs, and before it begins", async () => {
    const { host } = await openHouse({
      "usr/tools/long.ts": toolSource("").replace("return this", "await new Promise(() => {}); return this"),
    });
    const controller = new AbortController();
    host.on("tool_start", () => setImmediate(() => controller.abort()));
    const outcome = await host.run("/tool long", { signal: controller.signal });
    expect(outcome).toMatchObject({ stopped: "aborted", calls: [{ name: "long", status: "error" }] });
    expect(await host.run("/tool long", { signal: AbortSignal.abort() })).toMatchObject({
      stopped: "aborted",
      calls: [],
    });
  });

  it("tells what is broken in the prompt that its model was given", async () => {
    const files = {
      "usr/tools/greet.ts": toolSource("hello"),
      "usr/prompts/agent.system.tool.greet.md": "{{#if}}never closed\n",
    };
    const { host, server } = await wired("openai", [{ text: "well" }], files);
    expect(host.diagnostics()).toEqual([]);
    expect((await host.run("go")).answer).toBe("well");
    expect(host.diagnostics()).toMatchObject([
      { code: "TEMPLATE_INVALID", file: "usr/prompts/agent.system.tool.greet.md", line: 1 },
    ]);
    await server.close();
  });

  it("knows the earlier ones of its agent, and nothing of another's", async () => {
    const { host, server } = await wired("openai", [{ text: "first" }, { text: "second" }, { text: "other" }]);
    const agent = await host.agent();
    await agent.run("one");
    await agent.run("two");
    await host.run("three");
    const asked = server.requests.map(({ body }) => body.messages.slice(1));
    const [one, two, three] = ["one", "two", "three"].map((content) => ({ role: "user", content }));
    expect(asked).toMatchObject([[one], [one, { role: "assistant", content: "first" }, two], [three]]);
    await server.close();
  });
});

describe.each(["openai", "anthropic"] as const)("a model that speaks as %s does", (format) => {
  it("calls the tool, reads its result and answers", async () => {
    const { host, server } = await wired(format, [
      { calls: [{ id: "c1", name: "word_count", args: { path: "README.md" } }] },
      { text: "It has 3 lines." },
    ]);
    const outcome = await host.run("How many lines does README.md have?");
    expect(outcome).toMatchObject({ answer: "It has 3 lines.", turns: 2, calls: [{ name: "word_count" }] });
    const [first, second] = server.requests;
    expect(JSON.stringify(first?.body.tools)).toContain("word_count");
    expect(JSON.stringify(first?.body.tools)).not.toContain('"unknown"');
    expect(JSON.stringify(second?.body.messages.slice(1))).toContain("README.md: 3 lines, 3 words, 15 characters.");
    await server.close();
  });

  it("may ask for several calls: in their order, until one ends the turn", async () => {
    const { host, server } = await wired(format, [
      {
        calls: [
          { id: "c1", name: "word_count", args: { path: "README.md" } },
          { id: "c2", name: "word_count", args: { path: "none.md" } },
          { id: "c3", name: "no_such_tool", args: {} },
          { id: "c4", name: "response", args: { text: "done" } },
          { id: "c5", name: "word_count", args: { path: "README.md" } },
        ],
      },
    ]);
    const ends: string[] = [];
    host.on("tool_end", ({ name, result }) => ends.push(`${name} ${result.error?.code ?? result.status}`));
    const outcome = await host.run("go");
    expect(outcome).toMatchObject({ answer: "done", turns: 1 });
    expect(outcome.calls.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "word_count success",
      "word_count error",
      "no_such_tool error",
      "response success",
      "word_count error",
    ]);
    // The first two run side by side.
    expect([...ends.slice(0, 2).sort(), ...ends.slice(2)]).toEqual([
      "word_count NOT_FOUND",
      "word_count success",
      "unknown UNKNOWN_TOOL",
      "response success",
      "word_count SKIPPED",
    ]);
    await server.close();
  });

  it("is told what was wrong with a call that is no JSON, which never runs", async () => {
    const { host, server } = await wired(format, [
      { calls: [{ id: "c1", name: "word_count", args: '{"path": ' }] },
      { text: "I see." },
    ]);
    const started: string[] = [];
    host.on("tool_start", ({ name }) => started.push(name));
    expect(await host.run("go")).toMatchObject({ answer: "I see.", calls: [{ name: "word_count", status: "error" }] });
    expect(started).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body.messages.slice(1))).toContain("INVALID_JSON");
    await server.close();
  });

  it("that only repeats itself is warned and then ended, and the call is not run again", async () => {
    const same = { calls: [{ name: "word_count", args: { path: "none.md" } }] };
    const { host, server } = await wired(format, [same]);
    const ran: string[] = [];
    host.on("tool_start", ({ name }) => ran.push(name));
    const outcome = await host.run("go");
    expect(outcome.stopped).toBeDefined();
    expect(outcome.answer).not.toBe("");
    expect(ran.length).toBeLessThan(6);
    expect(server.requests.length).toBeLessThan(12);
    await server.close();
  });
});

describe("the system prompt", () => {
  it("of the bundled profiles is at most 3,000 tokens, and of the one that has all tools 3,600", async () => {
    const { host } = await openHouse();
    const profiles = host.items("profile").map(({ id }) => id);
    expect(profiles).toEqual(expect.arrayContaining(["default", "developer", "researcher"]));
    for (const profile of profiles) {
      const { tokens, diagnostics } = await host.prompt({ profile });
      expect([profile, diagnostics]).toEqual([profile, []]);
      expect(tokens).toBeLessThanOrEqual(profile === "developer" ? 3_600 : 3_000);
    }
  });

  it("is the same bytes in every call, reload and host", async () => {
    const house = await openHouse({
      "usr/plugins/a/plugin.yaml": manifest("a"),
      "usr/plugins/a/tools/a.ts": toolSource("a"),
      "usr/plugins/b/plugin.yaml": manifest("b"),
      "usr/plugins/b/tools/b.ts": toolSource("b"),
    });
    const first = (await house.host.prompt()).text;
    await house.host.call("b", {});
    expect((await house.host.prompt()).text).toBe(first);
    await house.host.reload();
    expect((await house.host.prompt()).text).toBe(first);
    await house.host.close();
    expect((await (await house.again()).prompt()).text).toBe(first);
  });
});
