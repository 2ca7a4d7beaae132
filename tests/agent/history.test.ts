import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHistory, type History } from "../../core/agent/history.ts";
import { emptyState } from "../../core/agent/history-items.ts";
import { applyRecord } from "../../core/agent/history-state.ts";
import type { RecordBody } from "../../core/agent/transcript-records.ts";
import { createMasker } from "../../core/governance/mask.ts";
import { nativeMessages } from "../../core/model/wire-messages.ts";
import { resultOf } from "./results.ts";

/** A history whose records are kept, as a transcript would. */
function recorded(): { history: History; records: RecordBody[] } {
  const records: RecordBody[] = [];
  const transcript = { append: (record: RecordBody) => void records.push(record), sync: async () => {} };
  return { history: createHistory({ transcript }), records };
}

const echo = (id: string) => ({ id, name: "echo", args: { text: id } });

describe("a history", () => {
  it("gives the model one message for each entry, whatever its kind", () => {
    const { history, records } = recorded();
    history.addUser("hello");
    history.addAssistant("Let me look.", [echo("1")], { reasoning: "hm" });
    history.callStarted(echo("1"));
    history.addToolResult(echo("1"), resultOf("done"));
    history.addUser("hurry", "intervention");
    history.addUser("not a request", "warning");
    history.addAssistant("It is", [], { partial: true });
    expect(history.messages).toEqual([
      { role: "user", content: "hello" },
      { role: "assistant", content: "Let me look.", toolCalls: [echo("1")] },
      { role: "tool", toolCallId: "1", toolName: "echo", content: "done", isError: false },
      { role: "user", content: "hurry" },
      { role: "user", content: "not a request" },
      { role: "assistant", content: "It is" },
    ]);
    expect(records.map((record) => [record.type, "kind" in record ? record.kind : ""])).toEqual([
      ["user", "message"],
      ["assistant", ""],
      ["call", ""],
      ["result", ""],
      ["user", "intervention"],
      ["user", "warning"],
      ["assistant", ""],
    ]);
    expect(records[1]).toMatchObject({ reasoning: "hm" });
    expect(records.at(-1)).toMatchObject({ partial: true });
    expect(history.entries()[2]).toEqual({ role: "tool", content: "done" });
  });

  it("shows the model what accompanies a result, without the marks for the host", () => {
    const { history, records } = recorded();
    history.addToolResult(echo("1"), resultOf("done", { additional: { hint: "x", keep: "a", drop: ["b"] } }));
    history.addToolResult(echo("2"), resultOf("done", { additional: { keep: true } }));
    expect(history.messages.map(({ content }) => content)).toEqual(['done\n{"hint":"x"}', "done"]);
    expect(records).toMatchObject([{ keep: ["a"], drop: ["b"] }, { keep: true }]);
    expect(records[1]).not.toHaveProperty("drop");
  });

  it("keeps no secret, neither for the model nor for the transcript", () => {
    const records: RecordBody[] = [];
    const transcript = { append: (record: RecordBody) => void records.push(record), sync: async () => {} };
    const masker = createMasker([{ name: "KEY", value: "hunter22" }]);
    const history = createHistory({ masker, transcript });
    history.addUser("it is hunter22");
    history.addAssistant("hunter22?", [{ id: "1", name: "echo", args: { deep: ["hunter22"] } }], {
      reasoning: "hunter22",
    });
    history.callStarted({ id: "1", name: "echo", args: { deep: ["hunter22"] } });
    history.addToolResult(echo("1"), resultOf("hunter22", { additional: { hunter22: "hunter22" } }));
    expect(JSON.stringify([records, history.messages])).not.toContain("hunter22");
    expect(history.messages[0]).toEqual({ role: "user", content: "it is §§secret(KEY)" });
  });

  it("waits for the disk at the end of a turn, and has no end where no turn began", async () => {
    const steps: string[] = [];
    const transcript = {
      append: (record: RecordBody) => void steps.push(record.type),
      sync: async () => void steps.push("sync"),
    };
    const history = createHistory({ transcript });
    await history.turnEnded({ answer: "nobody asked" });
    history.addUser("hello");
    await history.turnEnded({ answer: "hi", stopped: "aborted" });
    await history.turnEnded({ answer: "twice" });
    expect(steps).toEqual(["user", "turn", "sync"]);
    expect(history.turns).toBe(1);
  });

  it("estimates the prompt as well, until a provider has counted it", () => {
    const { history } = recorded();
    history.addUser("x".repeat(400));
    history.notePrompt(8_000);
    expect(history.tokens).toBeGreaterThan(2_090);
    expect(history.tokens).toBeLessThan(2_200);
    history.addAssistant("y", [], { usage: { inputTokens: 1_500, outputTokens: 1 } });
    expect(history.tokens).toBeLessThan(1_600);
  });

  it("counts what the provider counted, and estimates the rest", () => {
    const { history } = recorded();
    history.addUser("x".repeat(4_000));
    expect(history.tokens).toBeGreaterThan(900);
    expect(history.tokens).toBeLessThan(1_100);
    history.addAssistant("y".repeat(400), [], { usage: { inputTokens: 5_000, outputTokens: 90 } });
    // 5,000 with the prompt, and about 100 for the reply.
    expect(history.tokens).toBeGreaterThan(5_050);
    expect(history.tokens).toBeLessThan(5_200);
    history.addAssistant("z", [], { usage: { inputTokens: 5_100, outputTokens: 10 } });
    expect(history.usage).toEqual({ inputTokens: 10_100, outputTokens: 100 });
    // A provider that leaves out what it had cached does not make room.
    history.addAssistant("z", [], { usage: { inputTokens: 3, outputTokens: 10 } });
    expect(history.tokens).toBeGreaterThan(600);
  });
});

describe("a call without a result", () => {
  it("gets one before the next reply, that says whether it had begun", () => {
    const { history } = recorded();
    history.addAssistant("", [echo("1"), echo("2"), echo("3")]);
    history.callStarted(echo("1"));
    history.addToolResult(echo("1"), resultOf("done"));
    history.callStarted(echo("2"));
    history.addUser("go on");
    history.addAssistant("Well.", []);
    const told = history.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(told).toEqual([
      "done",
      expect.stringMatching(/not known.*not run again/),
      expect.stringMatching(/did not run/),
    ]);
  });

  it("is settled by hand with records, and those that had begun are named", () => {
    const { history, records } = recorded();
    history.addAssistant("", [echo("1"), echo("2")]);
    history.callStarted(echo("1"));
    expect(history.settleOpenCalls()).toEqual([echo("1")]);
    expect(records.slice(-2)).toMatchObject([
      { type: "result", id: "1", uncertain: true },
      { type: "result", id: "2", code: "SKIPPED" },
    ]);
    expect(history.settleOpenCalls()).toEqual([]);
  });

  it("of the JSON protocol, where no reply lists it, is settled as well", () => {
    const { history } = recorded();
    history.addAssistant('{"tool_name":"echo","tool_args":{"text":"1"}}', []);
    history.callStarted(echo("1"));
    expect(history.settleOpenCalls()).toEqual([echo("1")]);
    expect(history.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "1", isError: true });
  });
});

type Step = (history: History, id: string) => void;

const STEPS: Readonly<Record<string, Step>> = {
  message: (history, id) => history.addUser(`message ${id}`),
  warning: (history, id) => history.addUser(`warning ${id}`, "warning"),
  intervention: (history, id) => history.addUser(`stop ${id}`, "intervention"),
  words: (history, id) => history.addAssistant(`words ${id}`, []),
  calls: (history, id) => history.addAssistant("", [echo(`${id}a`), echo(`${id}b`)], { usage: { inputTokens: 50 } }),
  start: (history, id) => history.callStarted(echo(lastCall(history, id))),
  result: (history, id) => history.addToolResult(echo(lastCall(history, id)), resultOf("x".repeat(30_000))),
  end: (history) => void history.turnEnded({ answer: "so" }),
  compaction(history) {
    const at = history.items.findLast(({ kind }) => kind === "message" || kind === "assistant");
    if (!at) return;
    const kept = history.items.filter(({ kind }) => kind === "result").map(({ n }) => n);
    const change = { by: "rule", content: "summary", upTo: at.n, kept, stay: [], tokens: [0, 0] } as const;
    history.compact(change);
  },
};

/** A call of the last reply, or any other. */
function lastCall({ messages }: History, id: string): string {
  const reply = messages.findLast(({ role }) => role === "assistant");
  return (reply && "toolCalls" in reply ? reply.toolCalls?.[id.length % 2]?.id : undefined) ?? id;
}

const anySteps = fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 40 });

describe("any course of a conversation", () => {
  it("is made again by its records", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { history, records } = recorded();
        for (const [index, step] of steps.entries()) STEPS[step]?.(history, String(index));
        const state = emptyState();
        for (const record of JSON.parse(JSON.stringify(records)) as RecordBody[]) applyRecord(state, record);
        expect(state.items).toEqual(JSON.parse(JSON.stringify(history.items)));
        expect(createHistory({ state })).toMatchObject({ messages: history.messages, tokens: history.tokens });
      }),
      { numRuns: 300 },
    );
  });

  it("leaves messages that a provider accepts: every call is followed by its result", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { history } = recorded();
        for (const [index, step] of steps.entries()) STEPS[step]?.(history, String(index));
        history.settleOpenCalls();
        const wire = nativeMessages(history.messages, (name) => name);
        for (const [index, message] of wire.entries()) {
          const calls = message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];
          if (calls.length === 0) continue;
          const next = wire[index + 1];
          const results = next?.role === "tool" ? next.content : [];
          expect(results.map(({ toolCallId }) => toolCallId)).toEqual(calls.map(({ toolCallId }) => toolCallId));
          for (const { output } of results) expect(output.value).not.toMatch(/There is no result/);
        }
      }),
      { numRuns: 300 },
    );
  });
});
