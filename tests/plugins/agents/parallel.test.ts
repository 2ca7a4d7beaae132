import { existsSync } from "node:fs";
import { join } from "node:path";
import { testTool } from "toolroom/testing";
import { describe, expect, it } from "vitest";
import { call, text } from "../../helpers/scripted-model.ts";
import { type Calls, FILES, openAgency, playing, resultsIn, start, toolOf } from "../../host/agency.ts";
import { fragment } from "../../host/house.ts";

const waitFor = (seconds: number) => ({
  tool_calls: [{ tool_name: "wait", tool_args: { seconds } }],
  wait: true,
});

testTool("../../../plugins/_agents/tools/parallel.ts", { args: waitFor(0.001), slow: { args: waitFor(60) } });

describe("a start is refused, and nothing of it runs", () => {
  it.each<[string, Calls, RegExp]>([
    ["by its own name", [["greet"], ["parallel"]], /^INVALID_PARAM: parallel cannot start itself/],
    ["by an alias of it", [["greet"], ["Parallel"]], /^INVALID_PARAM: parallel cannot start itself/],
    ["by a method of it", [["greet"], ["parallel:await"]], /^INVALID_PARAM: parallel cannot start itself/],
    [
      "for the answering tool",
      [["greet"], ["response", { text: "x" }]],
      /^INVALID_PARAM: response answers for the agent/,
    ],
    ["for an unknown tool", [["greet"], ["gret"]], /^UNKNOWN_TOOL: no tool is named "gret"\nDid you mean [^\n]*greet/],
    ["for what is no name", [["greet"], ["../greet"]], /^UNKNOWN_TOOL/],
  ])("%s", async (_, calls, words) => {
    const { agent, told, events } = await playing([[start(calls)], [text("done")]]);
    await agent.run("go");
    expect(told()[0]).toMatch(words);
    const end = events.find((event) => event.type === "tool_end");
    expect(end).toMatchObject({ result: { error: { pointer: "/tool_calls/1/tool_name" } } });
    expect(events.filter((event) => event.type === "tool_start" && event.name === "greet")).toEqual([]);
  });

  it("for a tool that the caller may not use", async () => {
    const { host } = await openAgency({}, FILES);
    const args = { tool_calls: [{ tool_name: "greet" }], wait: true };
    const result = await host.call("parallel", args, { allowedTools: ["parallel"] });
    expect(result).toMatchObject({ error: { code: "DENIED_BY_POLICY" } });
    expect(await host.call("parallel", args, { allowedTools: ["parallel", "greet"] })).toMatchObject({
      status: "success",
      message: "[job-1 greet] success\nhello",
    });
  });

  it("inside of a background call, by whatever tool, and by a subordinate that works in one", async () => {
    const nested = toolOf(`const start = () => this.agent.jobs().start([{ name: "greet" }]);
      return this.success(await start().then(() => "started", (error) => error.code));`);
    const { host, asked } = await openAgency(
      {
        go: [[start([["nested"], ["call_subordinate", { message: "task" }]], { wait: true })], [text("done")]],
        task: [[start([["greet"]])], [text("no luck")]],
        here: [[call("call_subordinate", { message: "below" })], [text("done")]],
        below: [[start([["greet"]], { wait: true })], [text("fine")]],
      },
      { ...FILES, "usr/tools/nested.ts": nested },
    );
    await host.run("go");
    expect(resultsIn(asked("go")[1] ?? { messages: [] })[0]).toMatch(/\[job-1 nested\] success\nDENIED_BY_POLICY/);
    expect(resultsIn(asked("go")[1] ?? { messages: [] })[0]).toMatch(/no luck\n\{"context_id":"sub-job-2"\}$/);
    expect(resultsIn(asked("task")[1] ?? { messages: [] })[0]).toMatch(/^DENIED_BY_POLICY: .*job-2/);
    // Below a call of the conversation it may.
    await host.run("here");
    expect(resultsIn(asked("below")[1] ?? { messages: [] })[0]).toBe("[job-1 greet] success\nhello");
  });

  it.each([
    [{}, "/tool_calls"],
    [{ tool_calls: [{ tool_name: "greet" }], job_ids: ["job-1"] }, "/job_ids"],
    [{ action: "await", tool_calls: [{ tool_name: "greet" }] }, "/tool_calls"],
    [{ action: "cancel" }, "/job_ids"],
    [{ tool_calls: [] }, "/tool_calls"],
    [{ tool_calls: [{ tool_name: "greet", args: {} }] }, "/tool_calls/0/args"],
    [{ action: "stop" }, "/action"],
    [{ action: "await", timeout: -1 }, "/timeout"],
  ])("for arguments that make no sense: %j", async (args, pointer) => {
    const { host } = await openAgency({}, FILES);
    expect(await host.call("parallel", args)).toMatchObject({ error: { code: "INVALID_PARAM", pointer } });
  });
});

it("what is long is shown by its ends, and the whole is in a file", async () => {
  const files = {
    "usr/tools/long.ts": toolOf('return this.success("x".repeat(100_000));'),
    "usr/prompts/agent.system.tool.long.md": fragment("Says much."),
  };
  const { agent, told, workspace } = await playing([[start([["long"], ["long"]], { wait: true })], [text("x")]], files);
  await agent.run("go");
  const [shown = ""] = told();
  expect(Buffer.byteLength(shown)).toBeLessThan(52_000);
  const path = /the whole is in (\S+)/.exec(shown)?.[1] ?? "";
  expect(existsSync(join(workspace, path)) || existsSync(path)).toBe(true);
});

it("marks that a result leaves for the host are kept: a skill that was loaded stays", async () => {
  const files = {
    "usr/tools/load.ts": toolOf('return this.response({ message: "how to", additional: { keep: "skill x" } });'),
  };
  const { host } = await openAgency({}, files);
  const result = await host.call("parallel", { tool_calls: [{ tool_name: "load" }], wait: true });
  expect(result).toMatchObject({
    message: "[job-1 load] success\nhow to",
    additional: { keep: ["skill x"], drop: ["job:job-1"] },
    data: { jobs: [{ id: "job-1", name: "load", state: "done", status: "success" }], open: [] },
  });
});

it("there is nothing to await where nothing was started", async () => {
  const { host } = await openAgency({}, FILES);
  for (const action of ["await", "collect"]) {
    expect(await host.call("parallel", { action })).toMatchObject({ status: "success", data: {} });
  }
});
