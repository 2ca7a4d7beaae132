import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Agent } from "../../core/host.ts";
import { call, type ScriptStep, text } from "../helpers/scripted-model.ts";
import { manifest, toolSource } from "../helpers/tree.ts";
import { type Agency, ENDLESS, openAgency, resultsIn, start, toolOf } from "./agency.ts";

const ask = (args: object, id = "c1") => call("call_subordinate", args, id);
const records = (root: string, id: string): Record<string, unknown>[] =>
  readFileSync(join(root, "usr/sessions", `${id}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a subordinate", () => {
  it("has its own profile, prompt, tools, settings and history", async () => {
    const { host, asked } = await openAgency(
      {
        go: [[ask({ message: "task", profile: "poet" })], [text("done")]],
        task: [[call("which"), call("color")], [text("a poem")]],
      },
      {
        "usr/agents/poet/agent.yaml": "title: the poet\ncontext: You write in rhymes.\n",
        "usr/tools/which.ts": toolSource("everybody's"),
        "usr/agents/poet/tools/which.ts": toolSource("the poet's"),
        "usr/plugins/paint/plugin.yaml": manifest("paint"),
        "usr/plugins/paint/default_config.yaml": "color: red\n",
        "usr/agents/poet/plugins/paint/config.yaml": "color: blue\n",
        "usr/plugins/paint/tools/color.ts": toolOf("return this.success(String(this.config.color));"),
      },
    );
    expect(await host.run("go")).toMatchObject({ answer: "done", calls: [{ name: "call_subordinate" }] });
    const [first, second] = asked("task");
    expect(await first?.system()).toContain("You write in rhymes.");
    expect(await asked("go")[0]?.system()).not.toContain("You write in rhymes.");
    expect(first?.messages).toEqual([{ role: "user", content: "task" }]);
    expect(resultsIn(second ?? { messages: [] })).toEqual(["the poet's", "blue"]);
    expect(resultsIn(asked("go")[1] ?? { messages: [] })).toEqual(['a poem\n{"context_id":"sub-1"}']);
  });

  it("has the profile of its superior where none is named, and its face and place are its own", async () => {
    const { host, asked } = await openAgency(
      { go: [[ask({ message: "task" })], [text("done")]], task: [[call("where")], [text("there")]] },
      {
        "usr/tools/where.ts": toolOf(
          "const { profile, context } = this.agent; return this.success(JSON.stringify([profile, context.face, context.depth, context.agent]));",
        ),
      },
      { profile: "developer" },
    );
    await host.run("go");
    expect(resultsIn(asked("task")[1] ?? { messages: [] })).toEqual(['["developer","delegate",1,"sub-1"]']);
  });

  it("speaks the JSON protocol as well, and its answer may be empty", async () => {
    const say = (name: string, args: object) => text(JSON.stringify({ tool_name: name, tool_args: args }));
    const parts = {
      go: [[say("call_subordinate", { message: "task" })], [say("response", { text: "done" })]],
      task: [[say("response", { text: "an answer" })]],
    };
    const { host, asked } = await openAgency(parts, {}, { protocol: "json" });
    expect((await host.run("go")).answer).toBe("done");
    expect(resultsIn(asked("go")[1] ?? { messages: [] })).toEqual(['an answer\n{"context_id":"sub-1"}']);

    const mute = { "usr/tools/mute.ts": toolOf('return this.response({ message: "", breakLoop: true });') };
    const silent = await openAgency({ go: [[ask({ message: "t" })], [text("done")]], t: [[call("mute")]] }, mute);
    expect((await silent.host.run("go")).calls).toMatchObject([{ status: "partial" }]);
    expect(resultsIn(silent.asked("go")[1] ?? { messages: [] })[0]).toMatch(
      /^The subordinate sub-1 ended without words/,
    );
  });

  it("of a profile that is not there, or switched off, is refused with the names that are", async () => {
    const files = { "usr/agents/off/agent.yaml": "enabled: false\n", "usr/agents/poet/agent.yaml": "title: p\n" };
    const { host, events } = await openAgency({}, files);
    for (const profile of ["nobody", "off", "../poet", ""]) {
      const result = await host.call("call_subordinate", { message: "x", profile });
      expect(result).toMatchObject({ error: { code: "INVALID_PARAM", pointer: "/profile" } });
      expect(result.message).toMatch(/default, developer, poet, researcher/);
    }
    expect(events.filter(({ type }) => type === "turn_start")).toEqual([]);
  });

  it("that fails is told as such: its model, its limit", async () => {
    const { host } = await openAgency(
      {
        broken: [[new Error("boom")]],
        long: [[call("step")], [call("step", {}, "2")], [text("so far")]],
      },
      { "usr/tools/step.ts": toolSource("ok"), "usr/settings.yaml": "agent: {maxIterations: 2}\n" },
    );
    const broken = await host.call("call_subordinate", { message: "broken" });
    expect(broken).toMatchObject({ status: "error", error: { code: "EXECUTION_ERROR" } });
    expect(await host.call("call_subordinate", { message: "long" })).toMatchObject({
      status: "partial",
      message: expect.stringMatching(/^The subordinate sub-1 used up its rounds.*so far$/s),
      additional: { context_id: "sub-1" },
      data: { stopped: "iterations", calls: 2 },
    });
  });
});

describe("going on with a subordinate", () => {
  it("takes the exact one of this agent, with its history", async () => {
    const { host, asked, events } = await openAgency({
      go: [
        [ask({ message: "one" }), ask({ message: "two" }, "c2")],
        [ask({ message: "again", context_id: "sub-1" }, "c3")],
        [text("done")],
      ],
    });
    await host.run("go");
    expect(asked("one")[1]?.messages).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "one" },
      { role: "user", content: "again" },
    ]);
    expect(asked("two")).toHaveLength(1);
    const agents = events.flatMap((event) => (event.type === "turn_start" ? [event.agent?.id] : []));
    expect(agents).toEqual([undefined, "sub-1", "sub-2", "sub-1"]);
  });

  it("refuses an id that is wrong, is another's, or was replaced; and another profile", async () => {
    const { host, asked } = await openAgency({
      go: [
        [ask({ message: "one" })],
        [ask({ message: "x", context_id: "sub-9" }, "c2")],
        [ask({ message: "x", context_id: "sub-1.1" }, "c3")],
        [ask({ message: "x", context_id: "sub-1", profile: "developer" }, "c4")],
        [ask({ message: "fresh", context_id: "sub-1", profile: "developer", reset: true }, "c5")],
        [ask({ message: "x", context_id: "sub-1" }, "c6")],
        [ask({ message: "y", reset: true }, "c7")],
        [text("done")],
      ],
      // Its own subordinate has a name of its own.
      one: [[ask({ message: "below" })], [ask({ message: "x", context_id: "sub-1" }, "d2")], [text("one's")]],
    });
    await host.run("go");
    const own = resultsIn(asked("one")[2] ?? { messages: [] });
    expect(own).toEqual([
      'below\n{"context_id":"sub-1.1"}',
      expect.stringMatching(/^NOT_FOUND: .*"sub-1"\nIts own are sub-1\.1/),
    ]);
    const told = resultsIn(asked("go").at(-1) ?? { messages: [] });
    expect(told).toEqual([
      'one\'s\n{"context_id":"sub-1"}',
      expect.stringMatching(/^NOT_FOUND: .*"sub-9"\nIts own are sub-1 \(default\)/),
      expect.stringMatching(/^NOT_FOUND: .*"sub-1\.1"/),
      expect.stringMatching(/^INVALID_PARAM: sub-1 has the profile default, found developer/),
      'fresh\n{"context_id":"sub-2"}',
      expect.stringMatching(/^NOT_FOUND: the subordinate sub-1 is over/),
      'y\n{"context_id":"sub-3"}',
    ]);
    expect(asked("fresh")[0]?.messages).toHaveLength(1);
  });

  it("waits for nobody: one that is at work is told as such", async () => {
    const both = toolOf(`
      const task = (message) => this.agent.delegate({ message, contextId: "sub-1" }).then(() => "ok", (error) => error.code);
      return this.success(String(await Promise.all([task("again"), task("again")])));`);
    const { host, asked } = await openAgency(
      { go: [[ask({ message: "one" })], [call("both")], [text("done")]] },
      { "usr/tools/both.ts": both },
    );
    await host.run("go");
    expect(resultsIn(asked("go")[2] ?? { messages: [] })[1]).toBe("ok,CONFLICT");
  });
});

describe("the limits of a subordinate", () => {
  it("are three levels, or as many as the settings say", async () => {
    const parts = (depth: number) =>
      Object.fromEntries(
        Array.from({ length: depth + 1 }, (_, level) => [
          `level ${level}`,
          [[ask({ message: `level ${level + 1}` })], [text(`back at ${level}`)]],
        ]),
      );
    const three = await openAgency(parts(3));
    expect((await three.host.run("level 0")).answer).toBe("back at 0");
    expect(three.asked("level 4")).toEqual([]);
    expect(resultsIn(three.asked("level 3")[1] ?? { messages: [] })[0]).toMatch(
      /^DENIED_BY_POLICY: .*depth 4, the limit is 3.*agent\.maxDepth/,
    );
    const one = await openAgency(parts(3), { "usr/settings.yaml": "agent: {maxDepth: 1}\n" });
    await one.host.run("level 0");
    expect(one.asked("level 2")).toEqual([]);
    expect(one.asked("level 1")).toHaveLength(2);
    const wrong = await openAgency({}, { "usr/settings.yaml": "agent: {maxDepth: -1}\n" });
    expect(wrong.host.diagnostics()).toMatchObject([{ code: "SETTINGS_INVALID" }]);
  });

  it("are those of its superior's profile: what is off there stays off", async () => {
    const files = {
      "usr/agents/careful/agent.yaml": "tools: {disable: [danger]}\n",
      "usr/agents/narrow/agent.yaml": "tools: {enable: [call_subordinate, word_count]}\n",
      "usr/tools/danger.ts": toolSource("done it"),
    };
    const part = { go: [[ask({ message: "task", profile: "default" })], [text("x")]] };
    const task = [[call("danger"), call("word_count", { path: "a.txt" })], [text("y")]];
    const all = (await (await openAgency({}, files)).host.toolDefinitions()).map(({ name }) => name);
    expect(all).toContain("danger");
    for (const [profile, shown] of [
      ["careful", all.filter((name) => name !== "danger")],
      ["narrow", ["call_subordinate", "response", "word_count"]],
    ] as const) {
      const workspaceFiles = { "a.txt": "a" };
      const { host, asked } = await openAgency({ ...part, task }, files, { profile, workspaceFiles });
      await host.run("go");
      const [first, second] = asked("task");
      expect(first?.tools.map(({ name }) => name)).toEqual(shown);
      expect(await first?.system()).not.toContain("## danger");
      expect(resultsIn(second ?? { messages: [] })[0]).toMatch(/^DENIED_BY_POLICY: danger/);
      expect(resultsIn(second ?? { messages: [] })[1]).toMatch(/^a\.txt: 1 line/);
    }
  });

  it("are those of whoever calls: tools that he did not name, also by an alias, at any depth", async () => {
    const { host, asked } = await openAgency({
      one: [[ask({ message: "two" })], [text("x")]],
      two: [[call("wait", { seconds: 0.001 }), call("word_count", { path: "a.txt" }, "w")], [text("y")]],
    });
    const allowedTools = ["Delegate", "WordCount"];
    expect(await host.call("Delegate", { message: "one" }, { allowedTools })).toMatchObject({ status: "success" });
    const [first, second] = asked("two");
    expect(first?.tools.map(({ name }) => name)).toEqual(["call_subordinate", "response", "word_count"]);
    expect(resultsIn(second ?? { messages: [] })).toEqual([
      expect.stringMatching(/^DENIED_BY_POLICY: wait/),
      expect.stringMatching(/^NOT_FOUND/),
    ]);
  });

  it("are the rounds that its superior has left", async () => {
    const { host, events } = await openAgency(
      {
        go: [[call("step")], [call("step", {}, "2")], [ask({ message: "task" })], [text("done")]],
        task: [[call("step")], [call("step", {}, "2")], [call("step", {}, "3")], [text("so far")]],
      },
      { "usr/tools/step.ts": toolSource("ok"), "usr/settings.yaml": "agent: {maxIterations: 4}\n" },
    );
    expect((await host.run("go")).answer).toBe("done");
    const end = events.find((event) => event.type === "turn_end" && event.agent?.id === "sub-1");
    expect(end).toMatchObject({ iterations: 3, error: "iterations" });
  });
});

/** Does something once, at the first event of this kind that is one of a subordinate. */
function onceBelow(
  agency: Awaited<ReturnType<typeof openAgency>>,
  name: "tool_progress" | "turn_start",
  act: () => void,
) {
  const off = agency.host.on(name, ({ agent }) => {
    if (!agent) return;
    off();
    setImmediate(act);
  });
}

describe("a stop of the superior", () => {
  it.each([
    ["the tool of its subordinate", [call("endless")]],
    ["the model of its subordinate", [text("Once upon"), "hang" as const]],
  ])("stops %s, and every history can go on", async (_, reply) => {
    const agency = await openAgency(
      {
        go: [[ask({ message: "task" }), call("endless", {}, "c2")], [text("fine")]],
        task: [[ask({ message: "below" }, "t1")]],
        below: [reply],
      },
      { "usr/tools/endless.ts": ENDLESS },
    );
    const { host, root, events, asked, model } = agency;
    const agent = await host.agent({ session: "new" });
    const off = host.on(reply.includes("hang") ? "text_delta" : "tool_progress", () => {
      off();
      setImmediate(() => agent.stop());
    });
    expect(await agent.run("go")).toMatchObject({ stopped: "aborted" });
    expect(model.left).toBe(reply.includes("hang") ? 1 : 0);
    const ends = events.flatMap((event) => (event.type === "turn_end" ? [`${event.agent?.id} ${event.error}`] : []));
    expect(ends).toEqual(["sub-1.1 aborted", "sub-1 aborted", "undefined aborted"]);
    expect(agent.running).toBe(false);
    for (const { id } of await host.sessions.list()) {
      const all = records(root, id);
      expect(all.at(-1)).toMatchObject({ type: "turn", stopped: "aborted" });
      const calls = all.flatMap(({ calls = [] }) => (calls as { id: string }[]).map(({ id: own }) => own));
      expect(all.flatMap(({ type, id: own }) => (type === "result" ? [own] : []))).toEqual(calls);
    }
    expect((await agent.run("more")).answer).toBe("fine");
    const last = asked("go").at(-1);
    expect(resultsIn(last ?? { messages: [] })).toEqual([
      expect.stringMatching(/^STOPPED/),
      expect.stringMatching(/^STOPPED: endless was not run/),
    ]);
  });

  it("by its signal, or by the end of the host, does the same", async () => {
    const agency = await openAgency(
      { go: [[ask({ message: "task" })], [text("x")]], task: [[call("endless")]] },
      { "usr/tools/endless.ts": ENDLESS },
    );
    const stopper = new AbortController();
    onceBelow(agency, "tool_progress", () => stopper.abort());
    expect(await agency.host.run("go", { signal: stopper.signal })).toMatchObject({ stopped: "aborted" });
    let closed: Promise<void> | undefined;
    onceBelow(agency, "tool_progress", () => {
      closed = agency.host.close();
    });
    expect(await agency.host.run("go")).toMatchObject({ stopped: "aborted" });
    await closed;
    const ends = agency.events.filter((event) => event.type === "turn_end");
    expect(ends.map(({ agent }) => agent?.id)).toEqual(["sub-1", undefined, "sub-1", undefined]);
  });
});

describe("what a person says", () => {
  it("is for the subordinate that works, which goes on with it", async () => {
    const agency = await openAgency(
      {
        go: [[ask({ message: "task" })], [text("done")]],
        task: [[call("endless")], [text("in German, then")]],
      },
      { "usr/tools/endless.ts": ENDLESS },
    );
    const agent = await agency.host.agent();
    onceBelow(agency, "tool_progress", () => expect(agent.intervene("In German.")).toBe(true));
    expect((await agent.run("go")).answer).toBe("done");
    expect(agency.asked("task")[1]?.messages.at(-1)).toEqual({ role: "user", content: "In German." });
    expect(resultsIn(agency.asked("go")[1] ?? { messages: [] })).toEqual(['in German, then\n{"context_id":"sub-1"}']);
    expect(agent.history.map(({ content }) => content)).not.toContain("In German.");
    const told = agency.events.filter(({ type }) => type === "intervention");
    expect(told).toMatchObject([{ message: "In German.", agent: { id: "sub-1" } }]);
  });

  it.each(["monologue_end", "turn_end"] as const)(
    "to a subordinate that is just finishing (%s) goes to its superior, which has the answer as well",
    async (when) => {
      const files = {
        "usr/tools/after.ts": toolSource("ran"),
        "usr/extensions/monologue_end/_50_speak.ts": `import { Extension } from "toolroom";
export default class extends Extension {
  async execute(payload, { agent }) {
    if (agent.context.depth === 2) globalThis.speakNow?.();
  }
}
`,
      };
      const agency = await openAgency(
        {
          go: [[ask({ message: "task" })], [text("done")]],
          task: [[ask({ message: "below" }, "t1"), call("after", {}, "t2")], [text("heard it")]],
          below: [[text("its answer")]],
        },
        files,
      );
      const agent = await agency.host.agent();
      let heard: boolean | undefined;
      const speak = (): void => {
        heard ??= agent.intervene("One more thing.");
      };
      if (when === "monologue_end") Object.assign(globalThis, { speakNow: speak });
      else agency.host.on("turn_end", ({ agent: of }) => void (of?.id === "sub-1.1" && speak()));
      expect((await agent.run("go")).answer).toBe("done");
      Object.assign(globalThis, { speakNow: undefined });
      expect(heard).toBe(true);
      const last = agency.asked("task").at(-1);
      expect(resultsIn(last ?? { messages: [] })).toEqual([
        'its answer\n{"context_id":"sub-1.1"}',
        expect.stringMatching(/^ABORTED: after was not run/),
      ]);
      expect(last?.messages.at(-1)).toEqual({ role: "user", content: "One more thing." });
      expect(agency.asked("below")).toHaveLength(1);
    },
  );

  it("to a subordinate that has not begun yet waits for it", async () => {
    const agency = await openAgency(
      { go: [[ask({ message: "task" })], [text("done")]], task: [[text("never")], [text("heard")]] },
      {
        "usr/extensions/agent_init/_50_speak.ts": `import { Extension } from "toolroom";
export default class extends Extension {
  async execute({ id }) { globalThis.speakNow?.(id); }
}
`,
      },
    );
    const agent = await agency.host.agent();
    const heard: boolean[] = [];
    Object.assign(globalThis, { speakNow: () => void heard.push(agent.intervene("In German.")) });
    await agent.run("go");
    Object.assign(globalThis, { speakNow: undefined });
    expect(heard).toEqual([true]);
    const told = agency.events.filter(({ type }) => type === "intervention");
    expect(told).toMatchObject([{ message: "In German.", agent: { id: "sub-1" } }]);
    expect(resultsIn(agency.asked("go")[1] ?? { messages: [] })).toEqual([expect.stringMatching(/^(never|heard)\n/)]);
  });

  it("at the very end of a turn is not lost: the next one knows it", async () => {
    const { host, asked } = await openAgency({ go: [[text("done")], [text("I know")]] });
    const agent = await host.agent();
    const off = host.on("turn_end", () => {
      off();
      expect(agent.intervene("Thanks.")).toBe(true);
    });
    await agent.run("go");
    await agent.run("more");
    expect(asked("go")[1]?.messages.map(({ content }) => content)).toEqual(["go", "done", "Thanks.", "more"]);
  });

  it("nothing, when it pauses: the subordinate waits as well, and goes on", async () => {
    const agency = await openAgency(
      { go: [[ask({ message: "task" })], [text("done")]], task: [[call("step")], [text("x")]] },
      { "usr/tools/step.ts": toolOf('await this.setProgress("at it"); return this.success("ok");') },
    );
    const agent = await agency.host.agent();
    const off = agency.host.on("tool_progress", () => {
      off();
      agent.pause();
    });
    const running = agent.run("go");
    await untilQuiet(agency.events);
    expect(agency.events.at(-1)).toMatchObject({ type: "pause", paused: true });
    agent.resume();
    expect((await running).answer).toBe("done");
  });
});

/** Until nothing has been told for some turns of the event loop. */
async function untilQuiet(events: readonly unknown[]): Promise<void> {
  for (let seen = -1; seen !== events.length; ) {
    seen = events.length;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

describe("the transcript of a subordinate", () => {
  const PARTS = {
    go: [[ask({ message: "task", profile: "developer" })], [text("done")], [text("again done")]],
    more: [[text("x")]],
    task: [[text("an answer")], [text("another")]],
  };

  it("names its superior, is listed below it, and goes with it", async () => {
    const { host, root } = await openAgency(PARTS);
    const agent = await host.agent({ session: "new" });
    await agent.run("go");
    agent.close();
    const listed = await host.sessions.list();
    const child = listed.find(({ parent }) => parent === agent.id);
    expect(listed).toHaveLength(2);
    expect(child).toMatchObject({ agent: "sub-1", profile: "developer", turns: 1, state: "idle", title: "task" });
    expect(records(root, child?.id ?? "")[0]).toMatchObject({ parent: agent.id, agent: "sub-1", depth: 1 });
    expect(records(root, agent.id).find(({ type }) => type === "subordinate")).toMatchObject({
      id: "sub-1",
      profile: "developer",
      session: child?.id,
      call: "c1",
    });
    const latest = await host.agent({ session: "latest" });
    expect(latest.id).toBe(agent.id);
    latest.close();
    await host.sessions.delete(agent.id);
    expect(await host.sessions.list()).toEqual([]);
  });

  it("lets the superior go on with exactly it after a restart, and with none that is over or unknown", async () => {
    const { host, again, model } = await openAgency({
      ...PARTS,
      go: [
        [ask({ message: "task" }), ask({ message: "gone" }, "c2")],
        [ask({ message: "instead", context_id: "sub-2", reset: true }, "c3")],
        [text("done")],
        [ask({ message: "more", context_id: "sub-1" }, "c4"), ask({ message: "x", context_id: "sub-2" }, "c5")],
        [ask({ message: "new" }, "c6")],
        [text("all")],
      ],
    });
    const agent = await host.agent({ session: "new" });
    await agent.run("go");
    await host.close();
    const next = await again({ model });
    const resumed = await next.agent({ session: agent.id });
    await resumed.run("on");
    const asked = (first: string) => model.requests.filter(({ messages }) => messages[0]?.content === first);
    expect(
      asked("task")
        .at(-1)
        ?.messages.map(({ content }) => content),
    ).toEqual(["task", "an answer", "more"]);
    expect(resultsIn(asked("go").at(-1) ?? { messages: [] }).slice(-3)).toEqual([
      'another\n{"context_id":"sub-1"}',
      expect.stringMatching(/^NOT_FOUND: the subordinate sub-2 is over/),
      'new\n{"context_id":"sub-4"}',
    ]);
    expect((await next.sessions.list()).filter(({ parent }) => parent === agent.id)).toHaveLength(4);
  });

  it("after a crash tells the superior who had worked, and that nobody knows how far", async () => {
    const { host, root, again, model } = await openAgency(
      {
        go: [[ask({ message: "task" })], [ask({ message: "more", context_id: "sub-1" }, "c9")], [text("x")]],
        task: [[call("endless")], [text("done below")]],
      },
      { "usr/tools/endless.ts": toolSource("ok") },
    );
    const agent = await host.agent({ session: "new" });
    await agent.run("go");
    await host.close();
    for (const { id, parent } of await host.sessions.list()) {
      const file = join(root, "usr/sessions", `${id}.jsonl`);
      const lines = readFileSync(file, "utf8").split("\n");
      const at = lines.findIndex((line) => JSON.parse(line).type === (parent === null ? "subordinate" : "call"));
      writeFileSync(file, `${lines.slice(0, at + 1).join("\n")}\n`);
    }
    const next = await again({ model });
    const resumed: Agent = await next.agent({ session: agent.id });
    expect(resumed.resumed).toMatchObject({ interrupted: true, uncertain: [{ name: "call_subordinate" }] });
    const note = resumed.history.at(-1)?.content;
    expect(note).toMatch(
      /call_subordinate \{"message":"task"\} \(call c1; the subordinate sub-1 \(default\) worked for it/,
    );
    await resumed.run("on");
    const below = model.requests.filter(({ messages }) => messages[0]?.content === "task").at(-1);
    expect(below?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user"]);
    expect(resultsIn(below ?? { messages: [] })[0]).toMatch(/^What became of this call is not known/);
  });
});

describe("the large outputs of a conversation", () => {
  const FILES = { "usr/tools/big.ts": toolOf('return this.success((args.word + "\\n").repeat(20_000));') };
  const big = (word: string) => call("big", { word }, word);
  const spilled = ({ events }: Agency, word: string): string => {
    const end = events.findLast((event) => event.type === "tool_end" && event.callId === word);
    return /the whole is in (\S+) …/u.exec(end?.type === "tool_end" ? end.result.message : "")?.[1] ?? "none";
  };
  const counted = (agency: Agency): string[] =>
    agency.events.flatMap((event) =>
      event.type === "tool_end" && event.name === "word_count" ? [event.result.error?.code ?? event.status] : [],
    );

  it.each(["new", "none"])("are read by whoever works in it, and by nobody else (session: %s)", async (session) => {
    const go: ScriptStep[][] = [[big("above")], [ask({ message: "task" })], [text("done")]];
    const task: ScriptStep[][] = [[big("below")], [text("it is long")]];
    const agency = await openAgency({ go, task }, FILES);
    const agent = await agency.host.agent({ session });
    await agent.run("go");
    const read = (word: string) => call("word_count", { path: spilled(agency, word) }, `read ${word}`);
    // The superior reads what its subordinate has kept, and the other way round.
    go.push([read("below"), ask({ message: "read", context_id: "sub-1" })], [text("done")]);
    task.push([read("above")], [text("done")]);
    await agent.run("go on");
    expect(counted(agency)).toEqual(["success", "success"]);

    const other: ScriptStep[][] = [[read("below")], [read("above")], [text("done")]];
    const stranger = await openAgency({ other }, FILES, { root: agency.root, workspace: agency.workspace });
    await stranger.host.run("other");
    expect(counted(stranger)).toEqual(["ACCESS_DENIED", "ACCESS_DENIED"]);
  });

  it("are read by whoever goes on with it", async () => {
    const go: ScriptStep[][] = [[ask({ message: "task" })], [text("done")]];
    const agency = await openAgency({ go, task: [[big("below")], [text("it is long")]] }, FILES);
    const agent = await agency.host.agent({ session: "new" });
    await agent.run("go");
    await agency.host.close();
    go.push([call("word_count", { path: spilled(agency, "below") })], [text("done")]);
    const next = await agency.again({ model: agency.model });
    const ends: string[] = [];
    next.on("tool_end", ({ status }) => ends.push(status));
    await (await next.agent({ session: agent.id })).run("go on");
    expect(ends).toEqual(["success"]);
  });
});

describe("a secret that is handed on", () => {
  const SECRET = "s3cr3t-value-of-a-test";
  const FILES = {
    "usr/secrets.env": `TOKEN=${SECRET}\n`,
    "usr/tools/vault.ts": toolOf(
      `return this.success((args.key === "s3cr3t-" + "value-of-a-test" ? "opened" : "shut") + " with " + args.key);`,
    ),
  };

  it.each([
    ["directly", ask({ message: "use §§secret(TOKEN)" })],
    ["in the background", start([["call_subordinate", { message: "use §§secret(TOKEN)" }]], { wait: true })],
  ])("is a name for every agent, and its value for the tool alone: %s", async (_, asking) => {
    const agency = await openAgency(
      {
        go: [[asking], [text("done")]],
        "use §§secret(TOKEN)": [[call("vault", { key: "§§secret(TOKEN)" })], [text(`it was ${SECRET}`)]],
      },
      FILES,
    );
    const { host, root, events, model, asked } = agency;
    const agent = await host.agent({ session: "new" });
    expect((await agent.run("go")).answer).toBe("done");
    const [, told] = asked("use §§secret(TOKEN)");
    expect(resultsIn(told ?? { messages: [] })).toEqual(["opened with §§secret(TOKEN)"]);
    expect(resultsIn(asked("go")[1] ?? { messages: [] })[0]).toContain("it was §§secret(TOKEN)");
    const written = (await host.sessions.list()).map(({ id }) => JSON.stringify(records(root, id)));
    expect(written).toHaveLength(2);
    expect(JSON.stringify([written, events, model.requests])).not.toContain(SECRET);
  });
});

describe("what a subordinate uses", () => {
  /** Every reply of the model counts 10 tokens in, and 5 out. */
  const replies = (count: number) => ({ inputTokens: 10 * count, outputTokens: 5 * count });
  const PARTS = {
    go: [[ask({ message: "task" })], [text("done")], [text("and more")]],
    task: [[ask({ message: "below" })], [text("an answer")]],
  };

  it("is what its superior uses, at any depth, in every place where that is told", async () => {
    const { host, events, again, model } = await openAgency(PARTS);
    const agent = await host.agent({ session: "new" });
    expect(await agent.run("go")).toMatchObject({ usage: replies(5) });
    const ends = events.flatMap((event) => (event.type === "turn_end" ? [[event.agent?.id, event.usage]] : []));
    expect(ends).toEqual([
      ["sub-1.1", replies(1)],
      ["sub-1", replies(3)],
      [undefined, replies(5)],
    ]);
    expect(agent.usage()).toMatchObject(replies(5));
    expect(await agent.run("and?")).toMatchObject({ usage: replies(1) });
    expect(agent.usage()).toMatchObject(replies(6));
    await host.close();
    const next = await again({ model });
    expect((await next.agent({ session: agent.id })).usage()).toMatchObject(replies(6));
  });

  it("counts also where it failed, and where it works in the background", async () => {
    const failing = await openAgency({ ...PARTS, task: [[call("step")], [new Error("no model")]] });
    expect(await failing.host.run("go")).toMatchObject({ usage: replies(3) });
    const ends = failing.events.flatMap((event) => (event.type === "turn_end" ? [event] : []));
    expect(ends).toMatchObject([{ usage: replies(1), error: "no model" }, { usage: replies(3) }]);

    const parts = { go: [[start([["call_subordinate", { message: "task" }]], { wait: true })], [text("done")]] };
    const { host } = await openAgency({ ...PARTS, ...parts });
    expect(await host.run("go")).toMatchObject({ usage: replies(5) });
  });
});

it("the end of the chain is that of the agent that a person talks to", async () => {
  const { host } = await openAgency(
    { go: [[ask({ message: "task" })], [text("done")]] },
    {
      "usr/extensions/process_chain_end/_50_note.ts": `import { Extension } from "toolroom";
export default class extends Extension {
  async execute({ answer }, { agent }) { (globalThis.chainEnds ??= []).push(agent.context.depth + " " + answer); }
}
`,
    },
  );
  await host.run("go");
  expect(Reflect.get(globalThis, "chainEnds")).toEqual(["0 done"]);
  Reflect.deleteProperty(globalThis, "chainEnds");
});

it("the events of a subordinate say whose they are", async () => {
  const { host, events } = await openAgency(
    { go: [[ask({ message: "task" })], [text("done")]], task: [[call("step")], [text("x")]] },
    { "usr/tools/step.ts": toolSource("ok") },
  );
  await host.run("go");
  const [first] = events;
  const top = first?.type === "turn_start" ? first.turnId : "";
  const mine = { id: "sub-1", profile: "default", depth: 1, askedBy: top };
  const shown = events.map((event) => [event.type, "agent" in event ? event.agent : undefined]);
  expect(shown.filter(([type]) => type !== "text_delta")).toEqual([
    ["turn_start", undefined],
    ["reply_start", undefined],
    ["reply_end", undefined],
    ["tool_start", undefined],
    ["turn_start", mine],
    ["reply_start", mine],
    ["reply_end", mine],
    ["tool_start", mine],
    ["tool_end", mine],
    ["reply_start", mine],
    ["reply_end", mine],
    ["turn_end", mine],
    ["tool_end", undefined],
    ["reply_start", undefined],
    ["reply_end", undefined],
    ["turn_end", undefined],
  ]);
  expect(new Set(events.map((event) => ("turnId" in event ? event.turnId : ""))).size).toBe(2);
});
