import { describe, expect, it } from "vitest";
import { type CompactionOptions, compactHistory, makeRoom } from "../../core/agent/compaction.ts";
import { createHistory, type History } from "../../core/agent/history.ts";
import { emptyState } from "../../core/agent/history-items.ts";
import { applyRecord } from "../../core/agent/history-state.ts";
import type { RecordBody } from "../../core/agent/transcript-records.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Model, ModelRequest } from "../../core/model/model.ts";
import { nativeMessages } from "../../core/model/wire-messages.ts";
import { resultOf } from "./results.ts";

/** A model that answers with a text, and what it was asked. */
function summariser(answer: string | Error): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const model: Model = {
    id: "test/model",
    protocol: "native",
    async *stream(request) {
      asked.push(request);
      await request.system();
      if (answer instanceof Error) throw answer;
      yield { type: "text", text: answer };
      yield { type: "finish", reason: "stop", usage: { inputTokens: 700, outputTokens: 70 } };
    },
  };
  return { model, asked };
}

/** A history with turns of some 1,000 tokens, and what a resume would make of it. */
function talk(turns: number, each: (history: History, turn: number) => void = () => {}) {
  const records: RecordBody[] = [];
  const transcript = { append: (record: RecordBody) => void records.push(record), sync: async () => {} };
  const history = createHistory({ transcript });
  for (let turn = 1; turn <= turns; turn++) {
    history.addUser(`question ${turn}`);
    const call = { id: `c${turn}`, name: "echo", args: { turn } };
    history.addAssistant("", [call]);
    history.callStarted(call);
    history.addToolResult(call, resultOf(`result ${turn} ${"x".repeat(3_800)}`));
    each(history, turn);
    history.addAssistant(`answer ${turn}`, []);
    void history.turnEnded({ answer: `answer ${turn}` });
  }
  const resumed = (): History => {
    const state = emptyState();
    for (const record of JSON.parse(JSON.stringify(records)) as RecordBody[]) applyRecord(state, record);
    return createHistory({ state });
  };
  return { history, records, resumed };
}

function optionsOf(more: Partial<CompactionOptions> = {}) {
  const found: Diagnostic[] = [];
  const options: CompactionOptions = {
    contextTokens: 10_000,
    instructions: async () => "Summarise.",
    signal: new AbortController().signal,
    report: (item) => void found.push(item),
    ...more,
  };
  return { options, found };
}

const asked = ({ items }: History) =>
  items.flatMap(({ kind, message }) => (kind === "message" ? [message.content] : []));

describe("a history that is too long", () => {
  it("is left alone below four fifths of the context", async () => {
    const { history } = talk(7);
    expect(history.tokens).toBeLessThan(8_000);
    expect(await makeRoom(history, optionsOf().options)).toBeUndefined();
  });

  it("keeps its last turns, and the old ones become one message, by rule", async () => {
    const { history, resumed } = talk(9);
    const before = history.tokens;
    const messages = history.messages;
    const made = await makeRoom(history, optionsOf().options);
    expect(made).toMatchObject({ by: "rule", tokensBefore: before });
    expect(history.tokens).toBeLessThan(5_000);
    expect(Math.abs((made?.tokensAfter ?? 0) - history.tokens)).toBeLessThan(50);
    expect(asked(history)).toEqual(["question 6", "question 7", "question 8", "question 9"]);
    const [summary] = history.messages;
    expect(summary).toEqual({ role: "user", content: made?.summary });
    expect(summary?.content).toContain(
      '- asked: "question 2"\n- answered: "answer 2"\n- called echo {"turn":2}: success\n- asked: "question 3"',
    );
    // The loop holds on to the array.
    expect(history.messages).toBe(messages);
    expect(resumed().messages).toEqual(history.messages);
    expect(resumed().tokens).toBe(history.tokens);
  });

  it("may become too long again and again: a summary takes up the one before, and stays short", async () => {
    const { history } = talk(9);
    for (let round = 0; round < 40; round++) {
      for (let turn = 0; turn < 6; turn++) {
        history.addUser(`more ${round}.${turn} ${"y".repeat(4_000)}`);
        history.addAssistant("so", []);
        await history.turnEnded({ answer: "so" });
      }
      expect(await makeRoom(history, optionsOf().options)).toMatchObject({ by: "rule" });
      expect(history.items.filter(({ kind }) => kind === "summary")).toHaveLength(1);
      expect(history.items[0]?.bytes).toBeLessThan(10_000 * 4 * 0.06);
    }
    expect(history.messages[0]?.content).toMatch(/older lines were left out[\s\S]*more 39\.1/);
  });

  it("is summarised by the model, which is asked without tools, and whose tokens count", async () => {
    const { history, resumed } = talk(9);
    const { model, asked: requests } = summariser("They asked nine things.");
    const { options, found } = optionsOf({ model });
    expect(await makeRoom(history, options)).toMatchObject({ by: "model" });
    expect(history.messages[0]?.content).toMatch(/made by a model[\s\S]*They asked nine things\.$/);
    expect(history.usage).toEqual({ inputTokens: 700, outputTokens: 70 });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ tools: [], messages: [{ role: "user" }] });
    expect(await requests[0]?.system()).toBe("Summarise.");
    const source = requests[0]?.messages[0]?.content ?? "";
    expect(source).toContain(
      '[person]\nquestion 2\n\n[assistant]\ncalls echo {"turn":2}\n\n[result of echo {"turn":2}, success]',
    );
    expect(source).not.toContain("question 9");
    expect(found).toEqual([]);
    expect(resumed().messages).toEqual(history.messages);
    expect(resumed().usage).toEqual(history.usage);
  });

  it("is summarised by rule where the model cannot, and that is told", async () => {
    for (const answer of [new Error("overloaded"), "  "]) {
      const { history } = talk(9);
      const { options, found } = optionsOf({ model: summariser(answer).model });
      expect(await makeRoom(history, options)).toMatchObject({ by: "rule" });
      expect(found).toMatchObject([{ code: "COMPACTION_FAILED", severity: "warning" }]);
    }
  });

  it("is left alone where it was stopped meanwhile, or somebody else made room", async () => {
    const { history } = talk(9);
    const controller = new AbortController();
    const model: Model = {
      ...summariser("").model,
      async *stream() {
        controller.abort();
        yield { type: "text", text: "too late" };
      },
    };
    expect(await makeRoom(history, optionsOf({ model, signal: controller.signal }).options)).toBeUndefined();
    expect(history.items[0]?.kind).toBe("message");
    const { options } = optionsOf({ model: summariser("short").model });
    const both = await Promise.all([compactHistory(history, options), compactHistory(history, options)]);
    expect(both.filter((made) => made !== undefined)).toHaveLength(1);
    expect(history.items.filter(({ kind }) => kind === "summary")).toHaveLength(1);
  });

  it("inside one long turn gives up its first steps, and keeps what the person asked", async () => {
    const { history } = talk(2);
    history.addUser("the long task");
    for (let step = 1; step <= 9; step++) {
      const call = { id: `s${step}`, name: "work", args: { step } };
      history.addAssistant("", [call]);
      history.addToolResult(call, resultOf(`step ${step} ${"x".repeat(3_800)}`));
      if (step === 2) history.addUser("and hurry", "intervention");
    }
    await makeRoom(history, optionsOf().options);
    expect(asked(history)).toEqual(["the long task"]);
    expect(history.messages.slice(1, 3).map(({ content }) => content)).toEqual(["the long task", "and hurry"]);
    expect(history.messages[0]?.content).toMatch(/called work \{"step":1\}: success/);
    expect(history.tokens).toBeLessThan(5_000);
    const wire = nativeMessages(history.messages, (name) => name);
    expect(wire.map(({ role }) => role).slice(0, 5)).toEqual(["user", "user", "user", "assistant", "tool"]);
    expect(JSON.stringify(wire)).not.toContain("There is no result");
  });
});

describe("results that ask to be kept", () => {
  const load = (history: History, name: string, text: string, marks: object) => {
    const call = { id: name, name: "load", args: { name } };
    history.addAssistant("", [call]);
    history.addToolResult(call, resultOf(text, { additional: { ...marks } }));
  };
  const keptTexts = ({ items }: History) =>
    items.flatMap(({ kind, message }) => (kind === "kept" ? [message.content] : []));

  it("stay word for word, through any number of summaries and a resume", async () => {
    const { history, resumed } = talk(6, (history, turn) => {
      if (turn === 1) load(history, "cooking", "how to cook", { keep: true });
      if (turn === 2) load(history, "sewing", "how to sew", { keep: "skill:sewing" });
    });
    for (let round = 0; round < 3; round++) {
      expect(await compactHistory(history, optionsOf().options)).toBeDefined();
      expect(keptTexts(history)).toEqual([
        'Kept from earlier, the result of load {"name":"cooking"}:\nhow to cook',
        'Kept from earlier, the result of load {"name":"sewing"}:\nhow to sew',
      ]);
      expect(resumed().messages).toEqual(history.messages);
      for (let turn = 0; turn < 3; turn++) {
        history.addUser(`more ${round} ${turn}`);
        history.addAssistant("so", []);
        await history.turnEnded({ answer: "so" });
      }
    }
  });

  it("go when a newer one of the same name or the same call has come", async () => {
    const { history } = talk(6, (history, turn) => {
      if (turn === 1) load(history, "cooking", "old", { keep: "skill:cooking" });
      if (turn === 2) load(history, "cooking", "new", { keep: "skill:cooking" });
      if (turn === 3) load(history, "sewing", "old", { keep: true });
      if (turn === 4) load(history, "sewing", "new", { keep: true });
    });
    await compactHistory(history, optionsOf().options);
    expect(keptTexts(history).map((text) => text.split("\n").at(-1))).toEqual(["new", "new"]);
  });

  it("go when all of their names were dropped: jobs that are done", async () => {
    const { history } = talk(6, (history, turn) => {
      if (turn === 1) load(history, "start", "a and b run", { keep: ["job:a", "job:b"] });
      if (turn === 2) load(history, "one", "a is done", { drop: "job:a" });
    });
    await compactHistory(history, optionsOf().options);
    expect(keptTexts(history)).toEqual([expect.stringContaining("a and b run")]);
    load(history, "two", "b is done", { drop: ["job:b"] });
    for (let turn = 0; turn < 3; turn++) history.addUser(`more ${turn}`);
    await compactHistory(history, optionsOf().options);
    expect(keptTexts(history)).toEqual([]);
  });

  it("that are more than a quarter of the context: the newest stay", async () => {
    const { history } = talk(12, (history, turn) => {
      if (turn < 10) load(history, `skill${turn}`, `${turn} ${"k".repeat(4_000)}`, { keep: true });
    });
    await compactHistory(history, optionsOf().options);
    expect(keptTexts(history).map((text) => text.split("\n")[1]?.split(" ")[0])).toEqual(["8", "9"]);
  });
});

describe("by hand", () => {
  it("all but the last two turns go, however much room there is", async () => {
    const { history } = talk(5);
    expect(await compactHistory(history, optionsOf({ contextTokens: 1_000_000 }).options)).toMatchObject({
      by: "rule",
    });
    expect(asked(history)).toEqual(["question 4", "question 5"]);
  });

  it("the first of two turns goes, and of one nothing", async () => {
    const { history } = talk(2);
    await compactHistory(history, optionsOf().options);
    expect(asked(history)).toEqual(["question 2"]);
    expect(await compactHistory(history, optionsOf().options)).toBeUndefined();
    expect(await compactHistory(talk(1).history, optionsOf().options)).toBeUndefined();
    expect(await compactHistory(createHistory(), optionsOf().options)).toBeUndefined();
  });
});
