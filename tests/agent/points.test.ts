import { describe, expect, it } from "vitest";
import { HostError } from "../../core/sdk/errors.ts";
import { POINTS, type PointMap, type PointName } from "../../core/sdk/points.ts";
import { tool } from "../dispatch/workbench.ts";
import { asked, call, reasoning, text } from "../helpers/scripted-model.ts";
import { told, turnBench } from "./turn-bench.ts";

const echo = tool(function (args: { a?: unknown }) {
  return this.success(`echo ${String(args.a)}`);
});
const answer = tool(
  function () {
    return this.response({ message: "done", breakLoop: true });
  },
  { role: "answer" },
);

type Recorded = { [Point in PointName]: (payload: PointMap[Point]) => void };

/** An extension at every point that notes that it ran. */
function recorder() {
  const order: string[] = [];
  const hooks = Object.fromEntries(
    (Object.keys(POINTS) as PointName[]).map((point) => [
      point,
      (payload: object) => {
        const detail = "ai" in payload ? (payload.ai ? " ai" : " other") : "";
        order.push(point + detail);
      },
    ]),
  ) as unknown as Recorded;
  return { order, hooks };
}

const ROUND = [
  "message_loop_start",
  "message_loop_prompts_before",
  "message_loop_prompts_after",
  "before_main_llm_call",
];
const ENDED = ["reasoning_stream_end", "response_stream_end"];
const TOOL = [
  "tool_output_update",
  "tool_execute_before",
  "tool_execute_after",
  "hist_add_tool_result",
  "hist_add_before other",
];
const KEPT = "hist_add_before ai";
const SAID = "hist_add_before other";

describe("the golden order of the points", () => {
  it("of a turn with one call, by the native protocol", async () => {
    const { order, hooks } = recorder();
    const replies = [
      [reasoning("a long thought, long enough"), call("echo", { a: 1 })],
      [text("A long answer, long enough to be looked at.")],
    ];
    await turnBench({ tools: { echo }, hooks, replies }).run();
    expect(order).toEqual([
      ...[SAID, "monologue_start"],
      ...[...ROUND, "reasoning_stream_chunk", "reasoning_stream", ...ENDED, "message_loop_result", KEPT],
      ...[...TOOL, "message_loop_end"],
      ...[...ROUND, "response_stream_chunk", "response_stream", ...ENDED, "message_loop_result", KEPT],
      ...["message_loop_end", "monologue_end"],
    ]);
  });

  it("of the same by the JSON protocol", async () => {
    const { order, hooks } = recorder();
    const replies = [[asked("echo", { a: 1 })], [asked("answer")]];
    await turnBench({ protocol: "json", tools: { echo, answer }, hooks, replies }).run();
    const streamed = ["response_stream_chunk", "response_stream", ...ENDED, "message_loop_result", KEPT];
    expect(order).toEqual([
      ...[SAID, "monologue_start"],
      ...[...ROUND, ...streamed, ...TOOL, "message_loop_end"],
      ...[...ROUND, ...streamed, ...TOOL.slice(1), "message_loop_end"],
      "monologue_end",
    ]);
  });

  it("of a reply that cannot be used", async () => {
    const { order, hooks } = recorder();
    await turnBench({ protocol: "json", tools: { answer }, hooks, replies: [[text("no")], [asked("answer")]] }).run();
    const after = order.slice(order.indexOf(KEPT));
    expect(order.slice(2, 2 + ROUND.length)).toEqual(ROUND);
    expect(after.slice(0, 5)).toEqual([KEPT, "error_format", SAID, "message_loop_end", "message_loop_start"]);
  });

  it("of an intervention in the middle of a reply", async () => {
    const { order, hooks } = recorder();
    const replies = [[text("On"), () => bench.control.intervene("Stop."), text("ce")], [text("x")]];
    const bench = turnBench({ hooks, replies });
    await bench.run();
    expect(order.slice(2)).toEqual([
      ...[...ROUND, "response_stream_chunk", KEPT, "message_loop_end", SAID],
      ...[...ROUND, "response_stream_chunk", "response_stream", ...ENDED, "message_loop_result", KEPT],
      ...["message_loop_end", "monologue_end"],
    ]);
  });

  it("of an intervention while a tool runs", async () => {
    const { order, hooks } = recorder();
    const slow = tool(() => {
      bench.control.intervene("Stop.");
      return new Promise(() => {});
    });
    const bench = turnBench({ tools: { slow }, hooks, replies: [[call("slow")], [text("x")]] });
    await bench.run();
    const from = order.indexOf("tool_execute_before");
    expect(order.slice(from, from + 6)).toEqual([...TOOL.slice(1), "message_loop_end", SAID]);
  });

  it("of a turn that is stopped: nothing more is run but what the history needs", async () => {
    const { order, hooks } = recorder();
    const bench = turnBench({ hooks, replies: [[text("x"), () => bench.control.stop(), "hang"]] });
    await bench.run();
    expect(order.slice(2)).toEqual([...ROUND, "response_stream_chunk", KEPT]);
    expect(told(bench.history)).toEqual(["user: go", "assistant: x"]);
  });

  it("of a model that fails", async () => {
    const { order, hooks } = recorder();
    const bench = turnBench({ hooks, replies: [[new HostError("MODEL_REFUSED", "no")]] });
    await expect(bench.run()).rejects.toMatchObject({ message: "no" });
    expect(order.slice(2)).toEqual([...ROUND, "message_loop_end", "monologue_end", "error_format"]);
  });

  it("of the limit of rounds", async () => {
    const { order, hooks } = recorder();
    await turnBench({
      tools: { echo },
      hooks,
      replies: [[call("echo")], [text("So far.")]],
      turn: { maxIterations: 1 },
    }).run();
    const from = order.indexOf("message_loop_end");
    expect(order.slice(from)).toEqual([
      ...["message_loop_end", SAID, "response_stream_chunk", "response_stream", ...ENDED],
      ...[KEPT, "monologue_end"],
    ]);
  });
});

describe("without extensions", () => {
  it("no point is run", async () => {
    const ran: string[] = [];
    const hooks = {
      has: () => false,
      run: (point: PointName) => {
        ran.push(point);
        throw new Error("not reached");
      },
    };
    const bench = turnBench({
      tools: { echo },
      replies: [[reasoning("hm"), call("echo")], [text("done")]],
      turn: { hooks },
    });
    expect(await bench.run()).toMatchObject({ answer: "done" });
    expect(ran).toEqual([]);
  });
});

describe("what extensions may change", () => {
  it("the prompt, the history for one question, and what stands behind it", async () => {
    const bench = turnBench({
      replies: [[text("done")]],
      hooks: {
        message_loop_prompts_after: (payload) => {
          payload.system += " and more";
          payload.messages = payload.messages.map((message) => ({
            ...message,
            content: message.content.toUpperCase(),
          }));
          payload.extras.time = "noon";
        },
      },
    });
    await bench.run("go");
    const [request] = bench.model.requests;
    expect(await request?.system()).toBe("system and more");
    expect(request?.messages).toEqual([
      { role: "user", content: "GO" },
      { role: "user", content: 'Context of this moment:\n{\n  "time": "noon"\n}' },
    ]);
    expect(told(bench.history)).toEqual(["user: go", "assistant: done"]);
  });

  it("what is shown of a reply, not what is run", async () => {
    const bench = turnBench({
      tools: { echo, answer },
      protocol: "json",
      replies: [[asked("echo", { a: "x" })], [asked("answer")]],
      hooks: {
        response_stream_chunk: (payload) => {
          payload.chunk = "*".repeat(payload.chunk.length);
        },
      },
    });
    expect((await bench.run()).calls[0]).toMatchObject({ name: "echo", args: { a: "x" } });
    const shown = bench.events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("");
    expect(shown).toMatch(/^\*+$/);
    expect(bench.history.messages[1]?.content).toContain("echo");
  });

  it("what is shown, and nothing is shown that they were not done with", async () => {
    const bench = turnBench({
      replies: [[text("secret")]],
      hooks: {
        response_stream_chunk: async (payload) => {
          bench.control.stop();
          await new Promise((resolve) => setTimeout(resolve, 5));
          payload.chunk = "***";
        },
      },
    });
    expect(await bench.run()).toMatchObject({ stopped: "aborted" });
    expect(bench.events.filter(({ type }) => type === "text_delta")).toEqual([]);
  });

  it("what a reply comes to: its calls, its answer, or nothing", async () => {
    const seen: unknown[] = [];
    const bench = turnBench({
      tools: { echo },
      replies: [
        [call("echo", { a: 1 }, "one"), call("echo", { a: 2 }, "two")],
        [text("Ask again.")],
        [text("use echo")],
        [text("done")],
      ],
      hooks: {
        message_loop_result: (payload) => {
          seen.push([payload.requests, payload.answer]);
          if (payload.requests.length === 2)
            payload.requests = [{ ...payload.requests[1], name: "echo", args: { a: 3 } }];
          else if (payload.answer === "Ask again.") payload.skip = true;
          else if (payload.answer === "use echo") payload.requests = [{ name: "echo", args: { a: 4 } }];
          else payload.answer = "done, says the extension";
        },
      },
    });
    const outcome = await bench.run();
    expect(outcome.answer).toBe("done, says the extension");
    expect(outcome.calls.map(({ args }) => args)).toEqual([{ a: 3 }, { a: 4 }]);
    expect(seen.slice(0, 2)).toEqual([
      [
        [
          { id: "one", name: "echo", args: { a: 1 } },
          { id: "two", name: "echo", args: { a: 2 } },
        ],
        undefined,
      ],
      [[], "Ask again."],
    ]);
    expect(told(bench.history)).toEqual([
      "user: go",
      "assistant:  →echo",
      "tool echo: echo 3",
      "assistant: Ask again.",
      "assistant:  →echo",
      "tool echo: echo 4",
      "assistant: done",
    ]);
  });

  it("what is written to the history, and the words of what went wrong", async () => {
    const bench = turnBench({
      protocol: "json",
      tools: { answer },
      replies: [[text("secret")], [asked("answer")]],
      hooks: {
        hist_add_before: (payload) => {
          if (typeof payload.content === "string") payload.content = payload.content.replaceAll("secret", "***");
        },
        error_format: (payload) => {
          payload.message = payload.message.replaceAll("secret", "###");
        },
      },
    });
    await bench.run("my secret");
    expect(told(bench.history).slice(0, 3)).toEqual(["user: my ***", "assistant: ***", expect.stringMatching(/"###/)]);
    expect(bench.warnings()[0]).toContain('"###"');

    const failing = turnBench({
      replies: [[new HostError("MODEL_REFUSED", "the secret is out", { kind: "failure" })]],
      hooks: { error_format: (payload) => void Object.assign(payload, { message: "something is out" }) },
    });
    await expect(failing.run()).rejects.toMatchObject({ code: "MODEL_REFUSED", message: "something is out" });
  });

  it("what all of a turn shares", async () => {
    const seen: unknown[] = [];
    const bench = turnBench({
      tools: { echo },
      replies: [[call("echo")], [text("done")]],
      hooks: {
        message_loop_start: ({ loopData }) => void loopData.extras.set("rounds", loopData.iteration),
        message_loop_end: ({ loopData }) => void seen.push([loopData.extras.get("rounds"), loopData.lastResponse]),
      },
    });
    await bench.run();
    expect(seen).toEqual([
      [0, ""],
      [1, "done"],
    ]);
  });

  it("nothing where they fail or leave something else: the loop goes on, and they are named", async () => {
    const wrong: { [Point in PointName]?: (payload: PointMap[Point]) => void | Promise<void> } = {
      monologue_start: () => {
        throw new Error("boom");
      },
      message_loop_prompts_after: (payload) => void Object.assign(payload, { messages: "none" }),
      response_stream_chunk: (payload) => void Object.assign(payload, { chunk: 7 }),
      message_loop_result: (payload) => void Object.assign(payload, { requests: [{ args: {} }] }),
      hist_add_before: (payload) => void Object.assign(payload, { content: { tool_result: "x" } }),
      message_loop_end: async () => await new Promise<void>(() => {}),
    };
    const bench = turnBench({ replies: [[text("done")]], hooks: wrong });
    expect(await bench.run()).toMatchObject({ answer: "done" });
    expect(told(bench.history)).toEqual(["user: go", "assistant: done"]);
    expect(new Set(bench.found.map(({ code }) => code))).toEqual(new Set(["EXTENSION_FAILED"]));
    const blamed = bench.found.map(({ file }) => file?.split("/")[1]);
    expect(new Set(blamed)).toEqual(new Set(Object.keys(wrong)));
  });

  it("the end, whatever the beginning did: also that of a turn that failed", async () => {
    const ends: unknown[] = [];
    const hooks = {
      monologue_start: () => {
        throw new Error("boom");
      },
      message_loop_start: () => {
        throw new Error("boom");
      },
      message_loop_end: () => void ends.push("round"),
      monologue_end: ({ answer, stopped }: PointMap["monologue_end"]) => void ends.push([answer, stopped]),
    };
    await turnBench({ replies: [[text("done")]], hooks }).run();
    await turnBench({ replies: [[new Error("no model")]], hooks })
      .run()
      .catch(() => {});
    expect(ends).toEqual(["round", ["done", undefined], "round", ["", "failed"]]);
  });
});

describe("looking at a reply while it is written", () => {
  it("costs a few times its length, in however many pieces it comes", async () => {
    const pieces = Array.from({ length: 20_000 }, () => text("a few more words, "));
    let looks = 0;
    let looked = 0;
    const bench = turnBench({
      replies: [[text('{"text":"'), ...pieces, text('"}')], [text("x")]],
      protocol: "json",
      turn: { maxIterations: 1 },
      hooks: {
        response_stream: (payload) => {
          looks++;
          looked += payload.text.length;
        },
      },
    });
    await bench.run();
    const length = bench.history.messages[1]?.content.length ?? 0;
    expect(length).toBeGreaterThan(300_000);
    expect(looks).toBeLessThan(150);
    expect(looked).toBeLessThan(length * 13);
  });

  it("shows the object as far as it is written", async () => {
    const seen: unknown[] = [];
    const bench = turnBench({
      protocol: "json",
      tools: { answer },
      replies: [[text('{"headline":"Looking at it closely'), text('","tool_name":"answer","tool_args":{}}')]],
      hooks: { response_stream: ({ parsed }) => void seen.push(parsed) },
    });
    await bench.run();
    expect(seen).toEqual([
      { headline: "Looking at it closely" },
      { headline: "Looking at it closely", tool_name: "answer", tool_args: {} },
    ]);
  });
});
