import { testTool } from "toolroom/testing";
import { describe, expect, it } from "vitest";
import { call, scriptedModel, text } from "../../helpers/scripted-model.ts";
import { openAgency, resultsIn, toolOf } from "../../host/agency.ts";

testTool("../../../plugins/_agents/tools/call_subordinate.ts", {
  args: { message: "Say something." },
  slow: { args: { message: "Take your time." } },
  model: scriptedModel(({ messages }) =>
    messages.some(({ content }) => content.includes("Take your time")) ? ["hang"] : [text("something")],
  ),
});

describe("call_subordinate", () => {
  it("gives the answer to the model, and more of it to programs", async () => {
    const { host } = await openAgency({ task: [[call("wait", { seconds: 0.001 })], [text("an answer")]] });
    expect(await host.call("call_subordinate", { message: "task", profile: "developer" })).toMatchObject({
      status: "success",
      message: "an answer",
      breakLoop: false,
      additional: { context_id: "sub-1" },
      data: {
        context_id: "sub-1",
        profile: "developer",
        answer: "an answer",
        calls: 1,
        usage: { inputTokens: 20, outputTokens: 10 },
      },
    });
  });

  it.each([
    [{ message: "" }, "/message"],
    [{ message: "  " }, "/message"],
  ])("refuses %j", async (args, pointer) => {
    const { host, model } = await openAgency({});
    expect(await host.call("call_subordinate", args)).toMatchObject({ error: { code: "INVALID_PARAM", pointer } });
    expect(model.requests).toEqual([]);
  });

  it("points to its own argument where the subordinate is not there", async () => {
    const { host } = await openAgency({});
    expect(await host.call("call_subordinate", { message: "x", context_id: "sub-1" })).toMatchObject({
      error: { code: "NOT_FOUND", pointer: "/context_id", retryable: false },
    });
  });

  it("tells the model which profiles there are", async () => {
    const { host } = await openAgency(
      {},
      {
        "usr/agents/poet/agent.yaml": "description: Writes in rhymes.\n",
        "usr/agents/off/agent.yaml": "enabled: false\ndescription: Does nothing.\n",
      },
    );
    const { text: prompt, diagnostics } = await host.prompt();
    expect(prompt).toContain("  - `poet`: Writes in rhymes.\n");
    expect(prompt).not.toMatch(/Does nothing|`_example`/);
    expect(diagnostics).toEqual([]);
  });
});

it("a tool of anybody asks subordinates without this plugin", async () => {
  const { host, asked } = await openAgency(
    { go: [[call("review")], [text("done")]], "look at it": [[text("looks good")]] },
    {
      "usr/plugins/_agents/.toggle-0": "",
      "usr/tools/review.ts": toolOf(`const { contextId, answer } = await this.agent.delegate({ message: "look at it" });
        const profiles = (await this.agent.profiles()).map(({ id }) => id);
        const [job] = await this.agent.jobs().start([{ name: "skills_tool", args: { action: "search", query: "no such thing" } }]);
        const [done] = await this.agent.jobs().wait();
        return this.success([contextId, answer, profiles, job.state, done.result.message].join("; "));`),
    },
  );
  await host.run("go");
  expect(asked("go")[0]?.tools.map(({ name }) => name)).not.toContain("call_subordinate");
  expect(resultsIn(asked("go")[1] ?? { messages: [] })).toEqual([
    'sub-1; looks good; default,developer,researcher; running; No skill matches "no such thing".',
  ]);
});
