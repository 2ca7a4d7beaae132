import { describe, expect, it } from "vitest";
import type { ModelPart } from "../../core/model/model.ts";
import { HostError } from "../../core/sdk/errors.ts";
import { z } from "../../core/sdk/schema.ts";
import { tool } from "../dispatch/workbench.ts";
import { asked, call, reasoning, type ScriptStep, text } from "../helpers/scripted-model.ts";
import { told, turnBench } from "./turn-bench.ts";

const echo = tool(
  function (args: { a?: unknown }) {
    return this.success(`echo ${JSON.stringify(args.a ?? null)}`);
  },
  { parallel: "safe" },
);
const answer = tool(
  function (args: { text: string }) {
    return this.response({ message: args.text, breakLoop: true });
  },
  { role: "answer", parameters: z.object({ text: z.string() }) },
);
const tools = { echo, answer };
const json = { protocol: "json", tools } as const;
const many = (count: number, steps: readonly ScriptStep[]) => Array.from({ length: count }, () => steps);

describe("a turn", () => {
  it.each(["native", "json"] as const)("calls, reads the result and answers, by the protocol %s", async (protocol) => {
    const say = protocol === "native" ? call : asked;
    const bench = turnBench({ protocol, tools, replies: [[say("echo", { a: 1 })], [say("answer", { text: "done" })]] });
    const outcome = await bench.run("hello");
    expect(outcome).toEqual({
      answer: "done",
      turns: 2,
      usage: { inputTokens: 20, outputTokens: 10 },
      calls: [
        { name: "echo", args: { a: 1 }, status: "success", durationMs: expect.any(Number) },
        { name: "answer", args: { text: "done" }, status: "success", durationMs: expect.any(Number) },
      ],
    });
    expect(told(bench.history).map((line) => line.split(":")[0])).toEqual([
      "user",
      "assistant",
      "tool echo",
      "assistant",
      "tool answer",
    ]);
  });

  it("ends with plain text by the native protocol only", async () => {
    expect(await turnBench({ tools, replies: [[text("Hello.")]] }).run()).toMatchObject({ answer: "Hello.", turns: 1 });
    const bench = turnBench({ ...json, replies: [[text("Hello.")], [asked("answer", { text: "Hi." })]] });
    expect(await bench.run()).toMatchObject({ answer: "Hi.", turns: 2 });
    expect(bench.warnings()).toEqual([expect.stringMatching(/^MISFORMAT No JSON object was found.*"Hello\."/)]);
    expect(told(bench.history)[2]).toMatch(/^user: fw\.msg_misformat\.md .*No JSON object/);
  });

  it("sends an unknown name to the fallback tool, as a call like any other", async () => {
    const unknown = tool(function () {
      return this.failure("UNKNOWN_TOOL", "no such tool");
    });
    const bench = turnBench({
      ...json,
      tools: { ...tools, unknown },
      fallback: "unknown",
      replies: [[asked("ecco")], [asked("answer", { text: "x" })]],
    });
    expect((await bench.run()).calls[0]).toMatchObject({ name: "ecco", status: "error" });
    expect(told(bench.history)[2]).toMatch(/^tool ecco: UNKNOWN_TOOL/);
  });

  it("stops reading a reply as soon as it is refused", async () => {
    const pieces = [asked("echo"), text("\nAnd"), text(" now"), text(" something else")];
    const bench = turnBench({ ...json, replies: [pieces, [asked("answer", { text: "x" })]] });
    await bench.run();
    expect(bench.model.left).toBe(1);
    expect(bench.history.messages[1]?.content).toMatch(/\}\nAnd$/);
    expect(bench.warnings()).toEqual([expect.stringMatching(/outside the JSON object, behind it \(line 2/)]);
  });

  it("runs what was repaired or recovered, and tells that it was", async () => {
    const nearly = text('{"tool_name": "echo", "tool_args": {"a": 1,}}');
    const bench = turnBench({ ...json, replies: [[nearly], [asked("answer", { text: "x" })]] });
    expect((await bench.run()).calls[0]).toMatchObject({ name: "echo", args: { a: 1 }, status: "success" });
    expect(bench.warnings()).toEqual([expect.stringMatching(/^REPAIRED /)]);

    const leaked = text('<tool_call>{"name": "echo", "arguments": {"a": 2}}</tool_call>');
    const native = turnBench({ tools, replies: [[leaked], [text("done")]] });
    expect((await native.run()).calls[0]).toMatchObject({ name: "echo", args: { a: 2 }, status: "success" });
    expect(told(native.history).slice(1, 3)).toEqual(["assistant:  →echo", "tool echo: echo 2"]);
  });

  it("gives calls that came with one id ids of their own", async () => {
    const bench = turnBench({
      tools,
      replies: [
        [call("echo", { a: 1 }, "x"), call("echo", { a: 2 }, "x"), call("echo", { a: 3 }, "")],
        [call("echo", { a: 4 }, "x"), call("echo", { a: 5 }, "x-2")],
        [text("ok")],
      ],
    });
    await bench.run();
    const results = bench.history.messages.flatMap((message) => (message.role === "tool" ? [message] : []));
    expect(results.map(({ content }) => content)).toEqual([1, 2, 3, 4, 5].map((n) => `echo ${n}`));
    const ids = results.map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(5);
    const asked = bench.history.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    );
    expect(asked.map(({ id }) => id)).toEqual(ids);
    const ends = bench.events.flatMap((event) => (event.type === "tool_end" ? event.callId : []));
    expect(ends).toEqual(ids);
  });
});

describe("replies that cannot be used", () => {
  it.each([
    ["misformatted", [text("one {")], [text("two {")], /MISFORMAT/, /fw\.msg_misformat/],
    [
      "calls of another model's making",
      [text('<tool_call>{"name":"erase","arguments":{"n":1}}</tool_call>')],
      [text('<tool_call>{"name":"erase","arguments":{"n":2}}</tool_call>')],
      /MISFORMAT .*"erase" as markup/,
      /fw\.msg_misformat/,
    ],
    ["empty", [], [], /EMPTY/, /fw\.msg_empty/],
    ["only reasoning", [reasoning("hm")], [reasoning("hm hm")], /REASONING_ONLY/, /fw\.msg_empty/],
  ])("are warned of and end the turn at the 5th: %s", async (_, odd, even, code, file) => {
    const bench = turnBench({ ...json, replies: [odd, even, odd, even, odd, even] });
    const outcome = await bench.run();
    expect(outcome).toMatchObject({ stopped: "unusable", turns: 5, calls: [] });
    expect(outcome.answer).toMatch(/^The turn was ended: 5 replies of the model in a row could not be used\. The last/);
    expect(bench.warnings()).toEqual(Array.from({ length: 5 }, () => expect.stringMatching(code)));
    const warned = told(bench.history).filter((line) => line.startsWith("user: fw."));
    expect(warned).toEqual(Array.from({ length: 5 }, () => expect.stringMatching(file)));
  });

  it("are also those of the native protocol whose arguments nobody can read", async () => {
    const cut = (n: number) => [{ ...call("echo", {}, `c${n}`), invalid: `{"a": ${n}` } as ModelPart];
    const bench = turnBench({ tools, replies: [0, 1, 2, 3, 4, 5].map(cut) });
    const outcome = await bench.run();
    expect(outcome).toMatchObject({ stopped: "unusable", turns: 5 });
    expect(outcome.answer).toMatch(
      /could not be used\. The last one: the arguments of echo are not a JSON object: \{"a": 4/,
    );
    expect(told(bench.history).filter((line) => line.startsWith("tool echo: INVALID_JSON"))).toHaveLength(5);

    const mixed = [...[0, 1, 2, 3].map(cut), [...cut(4), call("echo", { a: 9 }, "ok")], ...[5, 6, 7, 8].map(cut)];
    const recovers = turnBench({ tools, replies: [...mixed, [text("At last.")]] });
    expect(await recovers.run()).toMatchObject({ answer: "At last.", turns: 10 });
  });

  it("that are the same again are told so in other words", async () => {
    const bench = turnBench({ ...json, replies: many(9, [text("I will not.")]) });
    expect(await bench.run()).toMatchObject({ stopped: "unusable", turns: 5 });
    expect(bench.warnings().map((warning) => warning.split(" ")[0])).toEqual([
      "MISFORMAT",
      ...Array.from({ length: 4 }, () => "REPEATED"),
    ]);
    expect(told(bench.history)[4]).toMatch(/^user: fw\.msg_repeat\.md .*No JSON object/);
  });

  it("are counted from the last one that could be used", async () => {
    const bad = [text("no")];
    const replies = [
      ...many(4, bad),
      [asked("echo", { a: 1 })],
      ...many(4, bad),
      [asked("answer", { text: "at last" })],
    ];
    expect(await turnBench({ ...json, replies }).run()).toMatchObject({ answer: "at last", turns: 10 });
  });
});

describe("calls that lead nowhere", () => {
  it("run twice, are warned of, refused, and end the turn at the 5th", async () => {
    let runs = 0;
    const spy = tool(function () {
      runs++;
      return this.success(`run ${runs}`);
    });
    const bench = turnBench({ tools: { spy }, replies: many(9, [call("spy", { b: 2, a: 1 })]) });
    const outcome = await bench.run();
    expect([runs, outcome.stopped, outcome.turns]).toEqual([3, "loop", 5]);
    expect(outcome.answer).toMatch(/^The turn was ended: spy was called 5 times in a row with the same arguments\./);
    expect(outcome.calls.map(({ status }) => status)).toEqual(["success", "success", "success", "error", "error"]);
    const results = told(bench.history).filter((line) => line.startsWith("tool"));
    expect(results[3]).toMatch(/^tool spy: DENIED_BY_POLICY: spy was not run: spy was called 4 times in a row/);
    expect(told(bench.history).filter((line) => line.includes("fw.msg_loop.md"))).toHaveLength(2);
    expect(bench.warnings().every((warning) => warning.startsWith("LOOP "))).toBe(true);
  });

  it("are the same whatever the order of their arguments", async () => {
    const orders = [
      { a: 1, b: { c: 1, d: 2 } },
      { b: { d: 2, c: 1 }, a: 1 },
    ];
    const bench = turnBench({ tools, replies: [0, 1, 0, 1, 0].map((order) => [call("echo", orders[order])]) });
    expect(await bench.run()).toMatchObject({ stopped: "loop", turns: 5 });
  });

  it("end the turn with the rest of the reply unrun, every call with its result", async () => {
    const same = call("echo", { a: 1 }, "");
    const bench = turnBench({
      tools,
      replies: [[same, same, same, same, same, call("echo", { a: 2 }), call("answer", { text: "x" })]],
    });
    const outcome = await bench.run();
    expect(outcome).toMatchObject({ stopped: "loop", turns: 1 });
    expect(outcome.calls.map(({ status }) => status)).toEqual([
      ...["success", "success", "success"],
      ...["error", "error", "error", "error"],
    ]);
    expect(told(bench.history).filter((line) => line.includes("SKIPPED"))).toHaveLength(2);
  });

  it("are told apart by what was asked, not by how it ended: the same bad call is one of them", async () => {
    const strict = tool(() => undefined, { parameters: z.object({ path: z.string() }) });
    const bench = turnBench({ tools: { strict }, replies: many(9, [call("strict", {})]) });
    expect(await bench.run()).toMatchObject({ stopped: "loop", turns: 5 });
    expect(told(bench.history).filter((line) => line.includes("INVALID_PARAM"))).toHaveLength(3);
  });
});

describe("the limit of rounds", () => {
  const endless = (count: number) => Array.from({ length: count }, (_, i) => [call("echo", { a: i })]);

  it("is followed by one question without tools, whose answer is the turn's", async () => {
    const bench = turnBench({
      tools,
      replies: [...endless(3), [text("I found 0, 1 and 2.")]],
      turn: { maxIterations: 3 },
    });
    expect(await bench.run()).toMatchObject({ answer: "I found 0, 1 and 2.", stopped: "iterations", turns: 4 });
    const last = bench.model.requests.at(-1);
    expect([last?.tools, last?.protocol]).toEqual([[], "json"]);
    expect(last?.messages.at(-1)?.content).toBe('fw.msg_summary.md {"limit":3}');
    expect(told(bench.history).at(-1)).toBe("assistant: I found 0, 1 and 2.");
  });

  it("understands a model that calls the answering tool out of habit", async () => {
    const calls = [0, 1].map((a) => [asked("echo", { a })]);
    const bench = turnBench({
      ...json,
      replies: [...calls, [asked("answer", { text: "So far: 0 and 1." })]],
      turn: { maxIterations: 2 },
    });
    expect(await bench.run()).toMatchObject({ answer: "So far: 0 and 1.", stopped: "iterations" });
  });

  it("is told by the host where the model says nothing, or fails", async () => {
    for (const last of [[], [new HostError("MODEL_REFUSED", "no")]]) {
      const bench = turnBench({ tools, replies: [...endless(2), last], turn: { maxIterations: 2 } });
      const { answer, stopped } = await bench.run();
      expect([answer, stopped]).toEqual(['fw.msg_iteration_limit.md {"limit":2}', "iterations"]);
      expect(bench.warnings()).toEqual(last.length === 0 ? [] : ["MODEL_REFUSED no"]);
    }
  });
});

describe("trouble of the provider", () => {
  const busy = new HostError("MODEL_REFUSED", "It is busy.", { provider: { transient: true, retryAfterMs: 0 } });
  const broken = new HostError("MODEL_REFUSED", "The key is wrong.", { provider: { transient: false } });

  it("that passes is waited for, twice", async () => {
    const bench = turnBench({ tools, replies: [[busy], [busy], [text("Hello.")]] });
    expect(await bench.run()).toMatchObject({ answer: "Hello.", turns: 1 });
    expect(bench.warnings()).toEqual([
      "RETRIED It is busy. It is asked again in 0 s (1 of 2).",
      "RETRIED It is busy. It is asked again in 0 s (2 of 2).",
    ]);
    expect(told(bench.history)).toEqual(["user: go", "assistant: Hello."]);
  });

  it("that does not pass ends the turn, and what had come of the reply is kept", async () => {
    const thrice = turnBench({ tools, replies: [[busy]] });
    await expect(thrice.run()).rejects.toBe(busy);
    expect(thrice.model.requests).toHaveLength(3);

    const once = turnBench({ tools, replies: [[broken]] });
    await expect(once.run()).rejects.toBe(broken);
    expect(once.model.requests).toHaveLength(1);

    const midway = turnBench({ tools, replies: [[text("Half an ans"), busy]] });
    await expect(midway.run()).rejects.toBe(busy);
    expect(midway.model.requests).toHaveLength(1);
    expect(told(midway.history)).toEqual(["user: go", "assistant: Half an ans"]);
  });

  it("counts anew for each question", async () => {
    const replies = [[busy], [call("echo")], [busy], [busy], [text("Hello.")]];
    expect(await turnBench({ tools, replies }).run()).toMatchObject({ answer: "Hello.", turns: 2 });
  });
});
