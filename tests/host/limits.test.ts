import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostOptions } from "../../core/host/options.ts";
import { cli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { call, text } from "../helpers/scripted-model.ts";
import { makeTree, type Tree, toolSource } from "../helpers/tree.ts";
import { openAgency, playing, resultsIn, start, toolOf } from "./agency.ts";
import { openHouse } from "./house.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 30, 12);
const settings = (profile: object, more: object = {}): Tree => ({
  "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: profile }, ...more }),
});
const TOOLS: Tree = { "usr/tools/one.ts": toolSource("1"), "usr/tools/two.ts": toolSource("2") };

/** A host with a clock that is set by hand. */
async function houseAt(files: Tree, options: HostOptions = {}) {
  const clock = { at: START };
  const house = await openHouse({ ...TOOLS, ...files }, { ...options, internals: { now: () => clock.at } });
  const ends = async (name: string, args = {}) => (await house.host.call(name, args)).error?.code ?? "ok";
  return { ...house, clock, ends };
}

describe("max_actions_per_hour", () => {
  it("allows so many calls in any hour; the refusal says how many, what is left and when the next one is possible", async () => {
    const { host, clock, ends } = await houseAt(settings({ max_actions_per_hour: 2 }));
    expect(await ends("one")).toBe("ok");
    clock.at += 60_000;
    expect(await ends("two")).toBe("ok");
    const { error, data } = await host.call("one", {});
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryable: true });
    expect(error?.message).toBe(
      "one was not run: 2 calls of this conversation in the last hour, none left of 2 in max_actions_per_hour of risk profile default (usr/settings.yaml); the next one is possible at 2026-11-30 13:00:00 UTC, in 3540 s",
    );
    expect(data).toEqual({
      limit: 2,
      used: 2,
      left: 0,
      windowMs: HOUR,
      retryAt: "2026-11-30T13:00:00.000Z",
      retryAfterMs: 3_540_000,
    });
    clock.at = START + HOUR;
    expect([await ends("one"), await ends("one")]).toEqual(["ok", "RATE_LIMITED"]);
  });

  it("is unlimited by default, and 0 means none allowed, which is said", async () => {
    const { ends } = await houseAt({});
    for (let time = 0; time < 30; time++) expect(await ends("one")).toBe("ok");
    const { host } = await houseAt(settings({ max_actions_per_hour: 0 }));
    expect((await host.call("one", {})).error).toMatchObject({
      code: "RATE_LIMITED",
      retryable: false,
      message:
        "one was not run: no calls are allowed, by 0 in max_actions_per_hour of risk profile default (usr/settings.yaml)",
      hint: "Do without. A person who wants calls raises it, or sets it to unlimited.",
    });
  });

  it("counts what ran, also what failed, and not what was refused or stopped before", async () => {
    const files = settings({ max_actions_per_hour: 2 });
    const { host, ends } = await houseAt({
      ...files,
      "usr/tools/high.ts": toolSource("x", 'static readonly risk = "high";'),
      "usr/tools/fails.ts": toolOf('throw new Error("no");'),
      "usr/tools/strict.ts": toolOf(
        "return this.success('x');",
        "static readonly parameters = { type: 'object', required: ['a'] }; static readonly risk = 'low';",
      ),
    });
    for (let time = 0; time < 3; time++) expect(await ends("high")).toBe("DENIED_BY_POLICY");
    for (let time = 0; time < 3; time++) expect(await ends("strict")).toBe("INVALID_PARAM");
    expect((await host.call("one", {}, { signal: AbortSignal.abort() })).error?.code).toBe("ABORTED");
    expect([await ends("fails"), await ends("one"), await ends("one")]).toEqual([
      "EXECUTION_ERROR",
      "ok",
      "RATE_LIMITED",
    ]);
  });

  it("counts calls without an agent together, those of other processes and after a restart, too", async () => {
    const { ends, again } = await houseAt(settings({ max_actions_per_hour: 4 }));
    const other = await again();
    expect(await ends("one")).toBe("ok");
    expect((await other.call("one", {})).status).toBe("success");
    await other.close();
    expect(await ends("one")).toBe("ok");
    expect((await (await again()).call("one", {})).status).toBe("success");
    expect(await ends("one")).toBe("RATE_LIMITED");
    const line = makeTree({ "usr/plugins/.gitkeep": "", ...TOOLS, ...settings({ max_actions_per_hour: 1 }) });
    expect((await runMain(["call", "one", "--root", line])).code).toBe(0);
    expect(await runMain(["call", "one", "--root", line])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("RATE_LIMITED"),
    });
  });

  it("is told by chat: what is left after each turn", async () => {
    const root = makeTree({ "usr/plugins/.gitkeep": "", ...TOOLS, ...settings({ max_actions_per_hour: 3 }) });
    const { stderr } = await cli(["chat", "--root", root], { input: "/tool one\n/tool two\n/quit\n" });
    expect(stderr.match(/calls left: \d/gu)).toEqual(["calls left: 2", "calls left: 1"]);
  });

  it("goes on with a conversation that goes on", async () => {
    const agency = await openAgency(
      { go: [[call("one", {})], [text("done")]], more: [[call("one", {})], [text("done")]] },
      { ...TOOLS, ...settings({ max_actions_per_hour: 1 }) },
    );
    const agent = await agency.host.agent({ session: "new" });
    await agent.run("go");
    agent.close();
    const again = await agency.host.agent({ session: agent.id });
    expect(again.usage().actionsLeft).toBe(0);
  });

  it("holds for single tools, by their names and patterns, each alone", async () => {
    const limits = { max_tool_actions_per_hour: { One: 1, "t*": 2 }, max_actions_per_hour: 5 };
    const { host, ends } = await houseAt({
      ...settings(limits),
      "usr/prompts/agent.system.tool.one.md": "---\naliases: [One]\n---\n",
      "usr/tools/three.ts": toolSource("3"),
    });
    expect([await ends("one"), await ends("one")]).toEqual(["ok", "RATE_LIMITED"]);
    expect((await host.call("one", {})).message).toContain(
      "none left of One: 1 in max_tool_actions_per_hour of risk profile default",
    );
    expect([await ends("two"), await ends("two"), await ends("two")]).toEqual(["ok", "ok", "RATE_LIMITED"]);
    expect([await ends("three"), await ends("three"), await ends("three")]).toEqual(["ok", "ok", "RATE_LIMITED"]);
  });

  it("is counted for each conversation, and never keeps an agent from answering; usage tells what is left", async () => {
    const { host } = await openAgency(
      { go: [[call("one", {})], [call("two", {})], [text("done")]] },
      { ...TOOLS, ...settings({ max_actions_per_hour: 1 }) },
    );
    const agent = await host.agent();
    expect(agent.usage().actionsLeft).toBe(1);
    const { calls, answer } = await agent.run("go");
    expect([calls.map(({ status }) => status), answer]).toEqual([["success", "error"], "done"]);
    expect(agent.usage().actionsLeft).toBe(0);
    expect((await host.agent()).usage().actionsLeft).toBe(1);
    expect((await host.run("go")).calls.map(({ status }) => status)).toEqual(["success", "error"]);
    const none = await houseAt(settings({ max_actions_per_hour: 0 }));
    expect((await none.host.call("response", { text: "hi" })).status).toBe("success");
  });

  it("is shared by an agent, its subordinates and its jobs", async () => {
    const agency = await openAgency(
      {
        go: [
          [call("one", {})],
          [call("call_subordinate", { message: "sub" })],
          [start([["two", {}]], { wait: true })],
          [text("done")],
        ],
        sub: [[call("two", {})], [call("one", {})], [text("sub done")]],
      },
      { ...TOOLS, ...settings({ max_actions_per_hour: 3 }) },
    );
    const agent = await agency.host.agent();
    await agent.run("go");
    const results = resultsIn(agency.asked("sub").at(-1) ?? { messages: [] });
    // The agent's own, the call that asks, and one of the subordinate's.
    expect(results[0]).toContain("2");
    expect(results[1]).toContain("RATE_LIMITED");
    expect(agent.usage().actionsLeft).toBe(0);
    expect(resultsIn(agency.asked("go").at(-1) ?? { messages: [] }).at(-1)).toContain("RATE_LIMITED");
  });

  it("of a subordinate is never wider than its superior's, and may be narrower: then its own calls count", async () => {
    const files = (wide: number, narrow: number): Tree => ({
      ...TOOLS,
      "usr/settings.yaml": JSON.stringify({
        risk_profiles: { default: { max_actions_per_hour: wide }, worker: { max_actions_per_hour: narrow } },
      }),
      "usr/agents/worker/agent.yaml": "title: Worker\nrisk_profile: worker\n",
    });
    const told = async (wide: number, narrow: number) => {
      const agency = await openAgency(
        {
          go: [[call("one", {})], [call("call_subordinate", { message: "sub", profile: "worker" })], [text("done")]],
          sub: [[call("two", {})], [call("one", {})], [text("sub done")]],
        },
        files(wide, narrow),
      );
      await agency.host.run("go");
      return resultsIn(agency.asked("sub").at(-1) ?? { messages: [] }).map(
        (said) => /risk profile (\w+)/u.exec(said)?.[1] ?? "ok",
      );
    };
    expect(await told(3, 100)).toEqual(["ok", "default"]);
    expect(await told(100, 1)).toEqual(["ok", "worker"]);
    expect(await told(100, 2)).toEqual(["ok", "ok"]);
  });
});

describe("tools.maxConcurrent", () => {
  const gated = `import { existsSync } from "node:fs";
import { Tool, z } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  static readonly parameters = z.object({ open: z.string() });
  async execute({ open }) {
    globalThis.runningNow = (globalThis.runningNow ?? 0) + 1;
    globalThis.mostAtOnce = Math.max(globalThis.mostAtOnce ?? 0, globalThis.runningNow);
    while (!existsSync(open) && !this.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 2));
    globalThis.runningNow--;
    return this.success(open);
  }
}
`;
  const counts = globalThis as { mostAtOnce?: number };

  it("lets so many calls of the host run at a time; the others wait in order, or are stopped", async () => {
    counts.mostAtOnce = 0;
    const { host, workspace } = await houseAt({
      "usr/tools/gated.ts": gated,
      "usr/settings.yaml": "tools: { maxConcurrent: 2 }",
    });
    const ended: string[] = [];
    const begin = async (name: string, signal?: AbortSignal) => {
      const { error } = await host.call("gated", { open: join(workspace, name) }, signal ? { signal } : {});
      ended.push(error ? `${name} ${error.code}` : name);
    };
    const stop = new AbortController();
    const open = (name: string) => writeFileSync(join(workspace, name), "");
    const [first, second, third, fourth] = [begin("a"), begin("b"), begin("c", stop.signal), begin("d")];
    stop.abort();
    await third;
    // Both places are taken, so this one has to wait although nothing else keeps it.
    open("d");
    open("b");
    await Promise.all([second, fourth]);
    open("a");
    await first;
    expect(ended).toEqual(["c ABORTED", "b", "d", "a"]);
    expect(counts.mostAtOnce).toBe(2);
  });

  it("lets who waits for others make room for them", async () => {
    const agency = await openAgency(
      {
        go: [[call("call_subordinate", { message: "sub" })], [start([["one", {}]], { wait: true })], [text("done")]],
        sub: [[call("two", {})], [text("sub done")]],
      },
      { ...TOOLS, "usr/settings.yaml": "tools: { maxConcurrent: 1 }" },
    );
    const { calls, answer } = await agency.host.run("go");
    expect([calls.map(({ status }) => status), answer]).toEqual([["success", "success"], "done"]);
  });

  it("is held by jobs and released by them", async () => {
    const { agent, told } = await playing(
      [[start([["greet"], ["greet"], ["greet"]], { wait: true })], [text("done")]],
      { "usr/settings.yaml": "tools: { maxConcurrent: 1 }" },
    );
    await agent.run("go");
    expect(told().at(-1)?.match(/hello/gu)?.length).toBe(3);
  });
});

describe("the circuit breaker", () => {
  const FLAKY = toolOf(
    "const word = globalThis.flakyWord; return word === 'ok' ? this.success('fine') : this.failure(word, 'no');",
  );
  const says = (word: string): void => void Object.assign(globalThis, { flakyWord: word });

  it("rests a tool after three failures of the machine, tells when the next try is, and closes with a good one", async () => {
    const { host, clock, ends } = await houseAt({ "usr/tools/flaky.ts": FLAKY });
    says("NOT_FOUND");
    for (let time = 0; time < 4; time++) expect(await ends("flaky")).toBe("NOT_FOUND");
    says("NETWORK_ERROR");
    for (let time = 0; time < 3; time++) expect(await ends("flaky")).toBe("NETWORK_ERROR");
    const { error, data } = await host.call("flaky", {});
    expect(error).toMatchObject({
      code: "CIRCUIT_OPEN",
      retryable: true,
      message:
        "flaky was not run: it rests, because its last 3 calls failed with NETWORK_ERROR; the next try is possible at 2026-11-30 12:05:00 UTC, in 300 s (setting tools.breakerRestMs 300000)",
      hint: "Use another way until then. Saving the tool's file tries it at once.",
    });
    expect(data).toMatchObject({ failures: 3, retryAfterMs: 300_000 });
    expect(await ends("one")).toBe("ok");
    clock.at += 300_000;
    says("ok");
    expect([await ends("flaky"), await ends("flaky")]).toEqual(["ok", "ok"]);
  });

  it("opens for real timeouts, as the settings say, and not with 0", async () => {
    const slow = toolOf("await new Promise(() => {});", 'static readonly risk = "low"; static readonly timeoutMs = 5;');
    const first = await houseAt({
      "usr/tools/slow.ts": slow,
      "usr/settings.yaml": "tools: { breakerFailures: 2, breakerRestMs: 1000 }",
    });
    expect([await first.ends("slow"), await first.ends("slow"), await first.ends("slow")]).toEqual([
      "TIMEOUT",
      "TIMEOUT",
      "CIRCUIT_OPEN",
    ]);
    first.clock.at += 1_000;
    expect([await first.ends("slow"), await first.ends("slow")]).toEqual(["TIMEOUT", "CIRCUIT_OPEN"]);
    const never = await houseAt({ "usr/tools/slow.ts": slow, "usr/settings.yaml": "tools: { breakerFailures: 0 }" });
    for (let time = 0; time < 5; time++) expect(await never.ends("slow")).toBe("TIMEOUT");
  });

  it("does not open for mistakes, denials and refusals of limits, and begins anew with a saved file", async () => {
    const { host, ends, write } = await houseAt({
      "usr/tools/flaky.ts": FLAKY,
      "usr/settings.yaml": "risk_profiles: { default: { max_tool_actions_per_hour: { two: 0 } } }",
    });
    for (let time = 0; time < 5; time++) expect(await ends("two")).toBe("RATE_LIMITED");
    says("TIMEOUT");
    for (let time = 0; time < 3; time++) await ends("flaky");
    expect(await ends("flaky")).toBe("CIRCUIT_OPEN");
    says("ok");
    write({ "usr/tools/one.ts": toolSource("one more") });
    await host.reload();
    expect(await ends("flaky")).toBe("CIRCUIT_OPEN");
    write({ "usr/tools/flaky.ts": `${FLAKY}// mended\n` });
    await host.reload();
    expect(await ends("flaky")).toBe("ok");
  });
});

describe("tools.timeoutMs", () => {
  it("ends a call that names no deadline of its own", async () => {
    const { host } = await houseAt({
      "usr/tools/slow.ts": toolOf("await new Promise(() => {});"),
      "usr/settings.yaml": "tools: { timeoutMs: 5 }",
    });
    expect((await host.call("slow", {})).error).toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("slow did not finish within 5 ms"),
    });
  });
});
