import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runMain } from "../helpers/main.ts";
import { DELEGATING, makeTree, toolSource } from "../helpers/tree.ts";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { bothWays, FORMATS, README } from "./both-ways.ts";
import { openHouse } from "./house.ts";

describe.each(FORMATS)("%s: a turn on a cassette is the turn that was recorded", (format) => {
  it("with text, several calls of one reply, and an answer", async () => {
    const script: WireScript = [
      {
        text: "I look at three things.",
        calls: [
          { name: "word_count", args: { path: "README.md" } },
          { name: "word_count", args: { path: "nothing.md" } },
          { name: "no_such_tool", args: {} },
        ],
      },
      { text: "Three lines → and nothing else." },
    ];
    const { outcome, events, requests } = await bothWays({ format, script }, (host) => host.run("How long is it?"));
    expect(outcome).toMatchObject({ answer: "Three lines → and nothing else.", turns: 2 });
    expect(events.filter(({ type }) => type === "tool_end")).toHaveLength(3);
    expect(requests).toBe(2);
  });

  it("with text from outside, whose frame has another marker each time", async () => {
    const script: WireScript = [
      { calls: [{ name: "file_read", args: { path: "README.md" } }] },
      { calls: [{ name: "file_read", args: { path: "nothing.md" } }] },
      { text: "It sails." },
    ];
    const { outcome, cassette } = await bothWays({ format, script }, (host) => host.run("What does it do?"));
    expect(outcome).toMatchObject({ answer: "It sails." });
    expect(cassette).toMatch(/<untrusted-[0-9a-f]{24}>/u);
  });

  it("over several turns of one agent, and a model that refuses in between", async () => {
    const script: WireScript = [{ text: "One." }, { status: 400, message: "not that" }, { text: "Three." }];
    const { outcome } = await bothWays({ format, script }, async (host) => {
      const agent = await host.agent();
      const said = [];
      for (const message of ["one", "two", "three"]) {
        said.push(
          await agent.run(message).then(
            ({ answer }) => answer,
            ({ code, message }) => ({ code, message }),
          ),
        );
      }
      return said;
    });
    expect(outcome).toMatchObject(["One.", { code: "MODEL_REFUSED" }, "Three."]);
  });

  it("with a provider that is busy twice, and says when to come again", async () => {
    const headers = { "retry-after": "0" };
    const script: WireScript = [{ status: 429, message: "busy", headers }, { status: 503, headers }, { text: "Now." }];
    const { outcome, events, requests } = await bothWays({ format, script }, (host) => host.run("How long is it?"));
    expect(outcome).toMatchObject({ answer: "Now." });
    expect(events.filter((event) => event.type === "warning").map(({ code }) => code)).toEqual(["RETRIED", "RETRIED"]);
    expect(requests).toBe(3);
  });

  it("with words of a person in the middle of a reply", async () => {
    const script: WireScript = [{ text: "It has twelve lines.", trouble: "hang" }, { text: "Three, then." }];
    const { outcome, cassette } = await bothWays({ format, script, loose: true, files: DELEGATING }, async (host) => {
      const agent = await host.agent();
      const off = host.on("text_delta", () => {
        off();
        agent.intervene("no, three");
      });
      return (await agent.run("How long is it?")).answer;
    });
    expect(outcome).toBe("Three, then.");
    expect(JSON.parse(cassette).exchanges.map(({ end }: { end: string }) => end)).toEqual(["left", "complete"]);
  });

  it("with subordinates, one after the other and side by side, on the same cassette", async () => {
    const task = (message: string) => ({ tool_name: "call_subordinate", tool_args: { message } });
    const script: WireScript = ({ body }) => {
      const text = JSON.stringify(body.messages);
      const calls = (name: string, args: object) => ({ calls: [{ id: `c-${name}`, name, args }] });
      if (text.includes("job-2 call_subordinate")) return { text: "All three." };
      const own = /look (alone|left|right)/u.exec(text);
      if (!text.includes("look everywhere")) return { text: `seen ${own?.[1]}` };
      if (!text.includes("sub-1")) return calls("call_subordinate", { message: "look alone" });
      return calls("parallel", { tool_calls: [task("look left"), task("look right")], wait: true });
    };
    const { outcome, requests, cassette } = await bothWays(
      { format, script, loose: true, files: DELEGATING },
      async (host) => {
        const { answer, calls } = await host.run("look everywhere");
        return [answer, calls.map(({ name, status }) => `${name} ${status}`)];
      },
    );
    expect(outcome).toEqual(["All three.", ["call_subordinate success", "parallel success"]]);
    expect(requests).toBe(6);
    expect(cassette).toContain("look right");
  });

  it("with calls that run side by side, and a call that ends the turn", async () => {
    const side = (n: number) => ({ name: "side", args: { n } });
    const script: WireScript = [
      { calls: [side(1), side(2), side(3)] },
      { calls: [{ name: "response", args: { text: "All three." } }, side(4)] },
    ];
    const statics = 'static readonly parallel = "safe";';
    const files = { "usr/tools/side.ts": toolSource("ok", statics) };
    const { outcome } = await bothWays({ format, script, files }, (host) => host.run("go"));
    expect(outcome).toMatchObject({ answer: "All three.", calls: { length: 5 } });
  });

  it("with a stop in the middle of a reply", async () => {
    const script: WireScript = [{ text: "It has twelve lines.", trouble: "hang" }, { text: "Again, then." }];
    const { outcome } = await bothWays({ format, script, loose: true, files: DELEGATING }, async (host) => {
      const agent = await host.agent();
      const controller = new AbortController();
      const off = host.on("text_delta", () => controller.abort());
      const stopped = await agent.run("How long is it?", { signal: controller.signal });
      off();
      return [stopped.stopped, (await agent.run("Well?")).answer];
    });
    expect(outcome).toEqual(["aborted", "Again, then."]);
  });

  it("with agents that ask at the same time", async () => {
    const script: WireScript = ({ body }) => ({
      text: `About ${JSON.stringify(body.messages.at(-1)).replace(/\W+/gu, " ")}`,
    });
    const { outcome } = await bothWays({ format, script, loose: true, files: DELEGATING }, async (host) =>
      (await Promise.all(["one", "two", "three"].map((word) => host.run(word)))).map(({ answer }) => answer),
    );
    expect(outcome).toEqual(["one", "two", "three"].map((word) => expect.stringContaining(word)));
  });

  it("with secrets, which the cassette never sees", async () => {
    const script: WireScript = [
      { calls: [{ name: "open", args: { key: "§§secret(DOOR)" } }] },
      { text: "It is open." },
    ];
    const files = {
      "usr/secrets.env": "DOOR=sesame-0123456789\n",
      "usr/tools/open.ts": toolSource("").replace(
        'this.success("")',
        'this.success("opened with " + this.args.key, { right: this.args.key === "sesame-" + "0123456789" })',
      ),
    };
    const { cassette, events } = await bothWays({ format, script, files }, (host) => host.run("Open the door"));
    const end = events.find((event) => event.type === "tool_end");
    expect(end?.type === "tool_end" && end.result.data).toEqual({ right: true });
    expect(cassette).not.toContain("sesame-0123456789");
    expect(cassette).toContain("opened with §§secret(DOOR)");
  });
});

it("a conversation that takes another course than the recording fails there, and asks no network", async () => {
  const server = await startWireServer([
    { calls: [{ name: "word_count", args: { path: "README.md" } }] },
    { text: "3" },
  ]);
  const file = join(makeTree({}), "cassette.json");
  const env = { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "sk-test-0123456789" };
  const recorded = { ...env, TOOLROOM_CASSETTE: `record:${file}` };
  const live = await openHouse({}, { model: "openai/test", env: recorded, workspaceFiles: { "README.md": README } });
  await live.host.run("How long is it?");
  const longer = { "README.md": `${README}More.\n` };
  const replay = { ...env, TOOLROOM_CASSETTE: `replay:${file}` };
  const { host } = await openHouse({}, { model: "openai/test", env: replay, workspaceFiles: longer });
  await expect(host.run("How long is it?")).rejects.toMatchObject({
    code: "CASSETTE_MISMATCH",
    message: expect.stringMatching(
      /exchange 2 of 2: expected messages\[2\]\.content to be ".*3 lines.*", found ".*4 lines/u,
    ),
  });
  expect(server.requests).toHaveLength(2);
  await server.close();
});

it("is recorded and replayed from the command line", async () => {
  const server = await startWireServer([{ text: "Three lines." }]);
  const root = makeTree({
    "usr/settings.yaml": `model: lab/test\nmodels: { providers: { lab: { baseURL: "${server.baseURL}" } } }\n`,
  });
  const live = await runMain(["run", "--json", "How long?"], {
    cwd: root,
    env: { TOOLROOM_CASSETTE: "record:told/x.json" },
  });
  await server.close();
  const elsewhere = makeTree({ "usr/settings.yaml": "", "x.json": readFileSync(join(root, "told/x.json"), "utf8") });
  const replay = await runMain(["run", "--json", "How long?", "--model", "replay/x.json"], { cwd: elsewhere });
  expect(replay).toEqual(live);
  expect(JSON.parse(replay.stdout)).toMatchObject({ answer: "Three lines." });

  const other = await runMain(["run", "How many?", "--model", "replay/x.json"], { cwd: elsewhere });
  expect(other).toMatchObject({ code: 1, stdout: "" });
  expect(other.stderr).toMatch(
    /^toolroom: CASSETTE_MISMATCH: x\.json: exchange 1 of 1: expected .*"How long\?", found "How many\?"/u,
  );
});
