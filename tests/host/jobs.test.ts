import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, text } from "../helpers/scripted-model.ts";
import { toolSource } from "../helpers/tree.ts";
import { type Calls, FILES, openAgency, parallel, playing, resultsIn, start, toolOf } from "./agency.ts";

describe("calls in the background", () => {
  it("are started at once, awaited, and told in the order of the calls", async () => {
    const { agent, told, workspace, host } = await playing([
      [start([["gated", { name: "b" }], ["greet"], ["gated", { name: "a" }]])],
      [parallel({ action: "collect" })],
      [parallel({ action: "await", timeout: 0.001 })],
      [parallel({ action: "await" })],
      [text("done")],
    ]);
    const ends: string[] = [];
    host.on("tool_end", ({ callId, name }) => {
      ends.push(callId);
      // The other way round than they were asked for.
      if (ends.filter((id) => id.startsWith("p")).length === 3) writeFileSync(join(workspace, "a"), "");
      if (name === "gated") writeFileSync(join(workspace, "b"), "");
    });
    expect((await agent.run("go")).answer).toBe("done");
    const [started, collected, first, all] = told();
    expect(started).toBe("Started in the background:\njob-1: gated\njob-2: greet\njob-3: gated");
    expect(collected).toMatch(
      /^\[job-1 gated\] running\n\n\[job-2 greet\] (success\nhello|running)\n\n\[job-3 gated\] running\n/,
    );
    expect(first).toMatch(/job-1 gated\] running[\s\S]*2 of [23] not done yet; they go on\.$/);
    expect(all).toMatch(
      /^\[job-1 gated\] success\nb is open\n\n(\[job-2 .*\n.*\n\n)?\[job-3 gated\] success\na is open$/,
    );
    expect(ends.indexOf("job-3")).toBeLessThan(ends.indexOf("job-1"));
  });

  it("may be awaited where they are started, and are four at a time", async () => {
    const names = ["1", "2", "3", "4", "5", "6"];
    const { agent, told, events, workspace, host } = await playing([
      [
        start(
          names.map((name) => ["gated", { name }]),
          { wait: true },
        ),
      ],
      [text("done")],
    ]);
    let begun = 0;
    host.on("tool_progress", ({ name }) => {
      if (name === "gated" && ++begun === 4)
        setTimeout(() => names.forEach((name) => void writeFileSync(join(workspace, name), "")), 20);
    });
    await agent.run("go");
    const most = events.flatMap((event) =>
      event.type === "tool_progress" && event.name === "gated" ? [Number(event.text.slice(8))] : [],
    );
    expect(Math.max(...most)).toBe(4);
    expect(told()[0]?.match(/job-\d/g)).toEqual(names.map((name) => `job-${name}`));
  });

  it.each([
    [true, [start([["gated", { name: "a" }], ["failing"], ["gated", { name: "b" }]], { wait: true })]],
    [false, [start([["gated", { name: "a" }], ["failing"], ["gated", { name: "b" }]]), parallel({ action: "await" })]],
  ])("tell while they are awaited how far they are (wait: %s)", async (_, asked) => {
    const files = { "usr/tools/failing.ts": toolOf('throw new Error("no luck");') };
    const { agent, told, events, workspace, host } = await playing([asked, [text("done")]], files);
    host.on("tool_progress", ({ name, text: said }) => {
      if (name !== "parallel") return;
      if (said.includes("failing, error")) writeFileSync(join(workspace, "b"), "");
      if (said.includes("gated, success")) writeFileSync(join(workspace, "a"), "");
    });
    await agent.run("go");
    const lines = (...states: string[]) =>
      `In the background:\njob-1: gated, ${states[0]}\njob-2: failing, ${states[1]}\njob-3: gated, ${states[2]}`;
    const said = events.flatMap((event) =>
      event.type === "tool_progress" && event.name === "parallel" ? [event.text] : [],
    );
    // Of the last one the result tells.
    expect(said.slice(-2)).toEqual([lines("running", "error", "running"), lines("running", "error", "success")]);
    expect(told().at(-1)).toMatch(/job-1 gated\] success\n[\s\S]*no luck[\s\S]*job-3 gated\] success\n/);
  });

  it("go the way of every call: schema, extensions, events, and the answer of a failing one", async () => {
    const { agent, told, events } = await playing(
      [[start([["gated", { nme: "x" }], ["denied"], ["failing"], ["ending"]], { wait: true })], [text("done")]],
      {
        "usr/tools/denied.ts": toolSource("never"),
        "usr/tools/failing.ts": toolOf('throw new Error("no luck");'),
        "usr/tools/ending.ts": toolOf('return this.response({ message: "the end", breakLoop: true });'),
        "usr/extensions/tool_execute_before/_50_no.ts": `import { Extension } from "toolroom";
export default class extends Extension {
  async execute(payload) { if (payload.toolName === "denied") payload.deny = "not today"; }
}
`,
      },
    );
    const outcome = await agent.run("go");
    expect(outcome).toMatchObject({ answer: "done", calls: [{ name: "parallel", status: "partial" }] });
    const [one, two, three, four] = told()[0]?.split("\n\n") ?? [];
    expect(one).toMatch(/^\[job-1 gated\] error\nINVALID_PARAM: .*nme/);
    expect(two).toMatch(/^\[job-2 denied\] error\nDENIED_BY_EXTENSION/);
    expect(three).toMatch(/^\[job-3 failing\] error\nEXECUTION_ERROR: no luck/);
    expect(four).toBe("[job-4 ending] success\nthe end");
    const ends = events.flatMap((event) => (event.type === "tool_end" ? [event.callId] : []));
    expect(ends.toSorted().slice(0, 4)).toEqual(["job-1", "job-2", "job-3", "job-4"]);
  });

  it("are cancelled by their signal, whether they run or wait", async () => {
    const calls = Array.from({ length: 5 }, () => ["endless"] as const);
    let begun = 0;
    const untilBegun = async (): Promise<void> => {
      while (begun < 4) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const { agent, told, host } = await playing([
      [start(calls)],
      [untilBegun, parallel({ action: "cancel", job_ids: ["job-5", "job-1"] })],
      [parallel({ action: "collect", job_ids: ["job-1", "job-2"] })],
      [text("done")],
    ]);
    host.on("tool_progress", () => void begun++);
    await agent.run("go");
    expect(told()[1]).toBe(
      "[job-5 endless] error\nABORTED: endless was not run: it was cancelled\n\n[job-1 endless] error\nABORTED: it was cancelled\nProgress until then: half",
    );
    // A result that was told is told again to whoever names it.
    expect(told()[2]).toMatch(/^\[job-1 endless\] error\nABORTED[\s\S]*\[job-2 endless\] running/);
    agent.close();
  });

  it("are at most a hundred whose results nobody has taken", async () => {
    const many =
      toolOf(`const start = (count) => this.agent.jobs().start(Array.from({ length: count }, () => ({ name: "greet" })));
      const told = [];
      for (const count of [60, 41, 40]) told.push(await start(count).then((jobs) => jobs.length, (error) => error.code));
      await this.agent.jobs().wait();
      told.push((await start(100)).length, this.agent.jobs().list().length);
      return this.success(told.join());`);
    const { host } = await openAgency({}, { ...FILES, "usr/tools/many.ts": many });
    expect((await host.call("many", {})).message).toBe("60,RATE_LIMITED,40,100,100");
  });

  it("that nobody knows are told as such, with those that are open", async () => {
    const { agent, told } = await playing([
      [start([["endless"]])],
      ...["await", "collect", "cancel"].map((action) => [parallel({ action, job_ids: ["job-1", "job-7"] })]),
      [text("done")],
    ]);
    await agent.run("go");
    expect(told().slice(1)).toHaveLength(3);
    for (const result of told().slice(1)) expect(result).toMatch(/^NOT_FOUND: .*"job-7"; open: job-1\n/);
    agent.close();
  });
});

describe("secrets in background calls", () => {
  const SECRET = "s3cr3t-value-of-a-test";
  it("are put in last, and seen by nobody else", async () => {
    const files = {
      "usr/secrets.env": `TOKEN=${SECRET}\n`,
      "usr/tools/show.ts": `import { createHash } from "node:crypto";
import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  async execute({ deep }) {
    await this.setProgress("with " + deep[0].key);
    return this.success(createHash("sha256").update(deep[0].key).digest("hex") + " " + deep[0].key);
  }
}
`,
    };
    const calls: Calls = [
      ["show", { deep: [{ key: "§§secret(TOKEN)" }] }],
      ["show", { deep: [{ key: SECRET }] }],
    ];
    const { agent, told, root, events, model } = await playing([[start(calls, { wait: true })], [text("done")]], files);
    await agent.run("go");
    const hash = createHash("sha256").update(SECRET).digest("hex");
    expect(told()[0]).toBe(
      `[job-1 show] success\n${hash} §§secret(TOKEN)\n\n[job-2 show] success\n${hash} §§secret(TOKEN)`,
    );
    const starts = events.flatMap((event) =>
      event.type === "tool_start" && event.name === "show" ? [event.args] : [],
    );
    expect(starts).toEqual([0, 1].map(() => ({ deep: [{ key: "§§secret(TOKEN)" }] })));
    const transcript = readFileSync(join(root, "usr/sessions", `${agent.id}.jsonl`), "utf8");
    expect(transcript).toContain("job-2");
    for (const written of [transcript, JSON.stringify(events), JSON.stringify(model.requests)]) {
      expect(written).not.toContain(SECRET);
    }
  });
});

describe("background calls and the life of their agent", () => {
  it("outlive their turn, what a person says, and a pause, which holds them", async () => {
    const { agent, told, asked, host, workspace, events } = await playing([
      [start([["gated", { name: "a" }]], { wait: true })],
      [text("as you say")],
      [parallel({ action: "await" })],
      [text("done")],
    ]);
    const off = host.on("tool_progress", () => {
      off();
      setImmediate(() => agent.intervene("Leave it for now."));
    });
    expect((await agent.run("go")).answer).toBe("as you say");
    expect(resultsIn(asked("go")[1] ?? { messages: [] })).toEqual([
      expect.stringMatching(/^ABORTED: .*\nProgress until then: In the background:\njob-1: gated, running$/),
    ]);
    const next = agent.run("more");
    agent.pause();
    writeFileSync(join(workspace, "a"), "");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(events.some((event) => event.type === "tool_end" && event.callId === "job-1")).toBe(false);
    agent.resume();
    await next;
    expect(told()[1]).toBe("[job-1 gated] success\na is open");
  });

  it("end with a stop, and are told as stopped", async () => {
    const { agent, told, host, events } = await playing([
      [start([["endless"], ["call_subordinate", { message: "task" }]])],
      [call("endless", {}, "e")],
      [parallel({ action: "collect" })],
      [text("done")],
    ]);
    const off = host.on("tool_progress", ({ callId }) => {
      if (callId !== "e") return;
      off();
      setImmediate(() => agent.stop());
    });
    expect(await agent.run("go")).toMatchObject({ stopped: "aborted" });
    expect(events.at(-1)).toMatchObject({ type: "turn_end" });
    await agent.run("more");
    expect(told().at(-1)).toMatch(
      /^\[job-1 endless\] error\nSTOPPED: The turn was stopped\.\nProgress until then: half/,
    );
    expect(agent.stop()).toBe(false);
  });

  it("of a subordinate that has answered are stopped, too", async () => {
    const { host, events } = await openAgency(
      {
        go: [[call("call_subordinate", { message: "task" })], [text("done")]],
        task: [[start([["endless"]])], [text("it runs")]],
      },
      FILES,
    );
    const agent = await host.agent();
    await agent.run("go");
    expect(agent.stop()).toBe(true);
    const end = await new Promise((resolve) => host.on("tool_end", resolve));
    expect(end).toMatchObject({ callId: "job-1", agent: { id: "sub-1" }, result: { error: { code: "STOPPED" } } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.stop()).toBe(false);
    expect(events.filter(({ type }) => type === "turn_end")).toHaveLength(2);
  });

  it("are stopped between turns as well", async () => {
    const { agent, told } = await playing([
      [start([["endless"]])],
      [text("later")],
      [parallel({ action: "await" })],
      [text("done")],
    ]);
    await agent.run("go");
    expect(agent.stop()).toBe(true);
    await agent.run("more");
    expect(told().at(-1)).toMatch(/^\[job-1 endless\] error\nSTOPPED/);
  });

  it("end with their agent, and the next one knows how, and what ended before", async () => {
    const { agent, host, again, model, told } = await playing([
      [start([["greet"], ["endless"], ["greet"]])],
      [parallel({ action: "await", job_ids: ["job-1"] })],
      [text("later")],
      [parallel({ action: "collect" }), start([["greet"]])],
      [text("done")],
    ]);
    await agent.run("go");
    agent.close();
    const resumed = await host.agent({ session: agent.id });
    expect(resumed.resumed).toMatchObject({ interrupted: false, uncertain: [] });
    await resumed.run("more");
    expect(told().slice(2)).toEqual([
      expect.stringMatching(
        /^\[job-2 endless\] error\nSTOPPED: the agent was closed; it may have.*\n\n\[job-3 greet\] success\nhello$/s,
      ),
      "Started in the background:\njob-4: greet",
    ]);
    await host.close();
    expect((await (await again({ model })).agent({ session: agent.id })).resumed).toMatchObject({ uncertain: [] });
  });

  it("that a crash cut off are uncertain, or did not run; none is run again", async () => {
    const files = {
      "usr/tools/note.ts": toolOf(
        'const { appendFileSync } = await import("node:fs"); appendFileSync(this.workspace.root + "/notes", "x"); return this.success("noted");',
      ),
    };
    const { agent, host, root, again, model, told, workspace } = await playing(
      [
        [start([["note"], ["note"], ["note"]])],
        [parallel({ action: "await" })],
        [text("done")],
        [parallel({ action: "collect" })],
        [text("well")],
      ],
      files,
    );
    await agent.run("go");
    await host.close();
    const file = join(root, "usr/sessions", `${agent.id}.jsonl`);
    const lines = readFileSync(file, "utf8").split("\n");
    // The process ended when the second had begun, the first had ended, and the model had not been asked again.
    const first = lines.findIndex((line) => line.includes('"type":"call"'));
    const kept = lines.filter((line, index) => {
      const { type, id, state, n = 0 } = JSON.parse(line || "{}");
      if (type === "job" && state === "begun") return id !== "job-3";
      if (type === "job" && state === "ended") return id === "job-1";
      return type === "job" || (type !== "turn" && n <= 3 && (type !== "call" || index === first));
    });
    writeFileSync(file, `${kept.join("\n")}\n`);
    const before = readFileSync(join(workspace, "notes"), "utf8");
    const resumed = await (await again({ model })).agent({ session: agent.id });
    expect(resumed.resumed).toMatchObject({ uncertain: [{ id: "job-2", name: "note" }] });
    expect(resumed.history.at(-1)?.content).toContain("- note {} (call job-2)");
    await resumed.run("on");
    expect(told().at(-1)).toMatch(
      /^\[job-1 note\] success\nnoted\n\n\[job-2 note\] error\nWhat became of this call is not known[^\n]*\n\n\[job-3 note\] error\n.*did not run/s,
    );
    expect(readFileSync(join(workspace, "notes"), "utf8")).toBe(before);
  });

  it("that a crash between turns cut off are told as such", async () => {
    const { agent, host, root, again, model } = await playing([
      [start([["endless"]])],
      [text("later")],
      [text("well")],
    ]);
    await agent.run("go");
    await host.close();
    const file = join(root, "usr/sessions", `${agent.id}.jsonl`);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.filter((line) => !line.includes('"state":"ended"')).join("\n"));
    const resumed = await (await again({ model })).agent({ session: agent.id });
    expect(resumed.resumed).toMatchObject({ interrupted: false, uncertain: [{ id: "job-1", name: "endless" }] });
    expect(resumed.history.at(-1)?.content).toMatch(/ended while calls ran in the background[\s\S]*- endless \{\}/);
    expect((await resumed.run("on")).answer).toBe("well");
  });

  it("stay in a history that is summarised, until they are told", async () => {
    const { agent } = await playing([
      [start([["endless"], ["greet"]])],
      [text("one")],
      [parallel({ action: "await", job_ids: ["job-2"] })],
      [text("two")],
      [text("summary")],
    ]);
    await agent.run("go");
    for (let round = 0; round < 3; round++) await agent.run(`more ${round}`);
    await agent.compact();
    const kept = agent.history.filter(({ content }) => content.startsWith("Kept from earlier"));
    expect(kept.map(({ content }) => content)).toEqual([expect.stringMatching(/job-1: endless\njob-2: greet$/)]);
    agent.stop();
    agent.close();
  });

  it("of a call without an agent end with it", async () => {
    const { host, events } = await openAgency({}, FILES);
    const result = await host.call("parallel", { tool_calls: [{ tool_name: "endless" }] });
    expect(result.message).toBe("Started in the background:\njob-1: endless");
    expect(events.filter(({ type }) => type === "tool_end")).toMatchObject([
      { callId: expect.stringMatching(/-/) },
      { callId: "job-1", result: { error: { code: "STOPPED" } } },
    ]);
  });
});
