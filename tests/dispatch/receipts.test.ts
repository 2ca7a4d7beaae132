import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { CallLedger } from "../../core/dispatch/environment.ts";
import type { LedgerEntry } from "../../core/governance/ledger-lines.ts";
import { createReceiptIds, withoutReceiptLine } from "../../core/governance/receipt-id.ts";
import { ToolError } from "../../core/sdk/errors.ts";
import { z } from "../../core/sdk/schema.ts";
import { AGENT, only, tool, type WorkbenchOptions, workbench } from "./workbench.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const demo = tool(function () {
  return this.success("done");
});

const TURN = { turn: "t1", agent: null };

/** A dispatcher with a ledger that keeps what it is told. */
function house({ env, ...options }: WorkbenchOptions = {}) {
  const entries: (LedgerEntry & { readonly id: string })[] = [];
  const drawId = createReceiptIds();
  const ledger: CallLedger = {
    ...TURN,
    enter(entry) {
      const id = drawId();
      entries.push({ ...entry, id });
      return id;
    },
  };
  return { entries, ...workbench({ tools: { demo }, ...options, env: { ledger, ...env } }) };
}

describe("a call that succeeds", () => {
  it("has its entry's id as its receipt: in the result, in the history, and in the last line of the text", async () => {
    const { call, entries, history, events } = house();
    const result = await call("demo", { a: 1 });
    const [entry] = entries;
    expect(entries).toHaveLength(1);
    expect(result.receipt).toBe(entry?.id);
    expect(result.message).toBe(`done\n[receipt: ${entry?.id}]`);
    expect(Object.isFrozen(result)).toBe(true);
    expect(history[0]?.result).toBe(result);
    expect(events.at(-1)).toMatchObject({ type: "tool_end", result: { receipt: entry?.id } });
    expect(entry).toEqual({
      id: result.receipt,
      ...TURN,
      call: "c1",
      tool: "demo",
      owner: "_test",
      face: "test",
      args: sha256('{"a":1}'),
      result: sha256(withoutReceiptLine(result.message, String(result.receipt))),
      outcome: "success",
      code: null,
      decision: "run",
      approver: null,
      generation: 7,
    });
  });

  it("is entered first in stage 7, once its text is final", async () => {
    const order: string[] = [];
    const ledger = { enter: () => void order.push("ledger") };
    const bench = house({
      hooks: {
        hist_add_tool_result: (payload) => {
          payload.entry = { ...payload.entry, tool_result: "told otherwise", more: 1 };
        },
      },
      env: {
        ledger: {
          ...TURN,
          enter(entry) {
            ledger.enter();
            expect(entry.result).toBe(sha256('told otherwise\n{"more":1}'));
            return undefined;
          },
        },
        history: { addToolResult: () => void order.push("history") },
        on: ({ type }) => void order.push(type),
      },
    });
    await bench.call("demo");
    expect(order).toEqual(["tool_start", "ledger", "history", "tool_end"]);
  });

  it("has no receipt where its entry could not be written, and waits where it has to", async () => {
    const none = await house({ env: { ledger: { ...TURN, enter: () => undefined } } }).call("demo");
    expect(none).not.toHaveProperty("receipt");
    expect(none.message).toBe("done");
    const late = house({ env: { ledger: { ...TURN, enter: async () => "rcpt_later" } } });
    expect(await late.call("demo")).toMatchObject({ receipt: "rcpt_later", message: "done\n[receipt: rcpt_later]" });
  });

  it("that answers a person keeps its message; the receipt is beside it", async () => {
    const answer = tool(
      function () {
        return this.response({ message: "the answer", breakLoop: true });
      },
      { role: "answer" },
    );
    const { call, entries } = house({ tools: { answer } });
    const result = await call("answer");
    expect(result).toMatchObject({ message: "the answer", receipt: entries[0]?.id });
    expect(entries[0]?.result).toBe(sha256("the answer"));
  });

  it("is entered with placeholders: what a secret is, no digest tells", async () => {
    const seen: unknown[] = [];
    const login = tool(
      function (args) {
        seen.push(args);
        return this.success("the word is hunter22");
      },
      { parameters: z.object({ word: z.string() }) },
    );
    const { call, entries } = house({
      tools: { login },
      secrets: [{ name: "WORD", value: "hunter22" }],
      env: { reveal: () => ({ word: "hunter22" }) },
    });
    await call("login", { word: "§§secret(WORD)" });
    await call("login", { word: "hunter22" }, { id: "c-hunter22" });
    expect(seen).toEqual([{ word: "hunter22" }, { word: "hunter22" }]);
    const digest = sha256('{"word":"§§secret(WORD)"}');
    expect(entries.map(({ args }) => args)).toEqual([digest, digest]);
    expect(entries[0]?.result).toBe(sha256("the word is §§secret(WORD)"));
    await call("hunter22");
    expect(JSON.stringify(entries)).not.toContain("hunter22");
    expect(entries.map(({ call: id, tool: name }) => `${id} ${name}`).slice(1)).toEqual([
      "c-§§secret(WORD) login",
      "c3 §§secret(WORD)",
    ]);
  });

  it("has the same digest of its arguments in whichever order they are written", async () => {
    const { call, entries } = house();
    await call("demo", '{"b": [1.0, 2], "a": "\\ud800"}');
    await call("demo", { a: "\ud800", b: [1, 2] });
    expect(entries[0]?.args).toBe(entries[1]?.args);
  });
});

describe("a call has an entry and no receipt", () => {
  async function entered(options: WorkbenchOptions, name = "demo", args: unknown = {}) {
    const { call, entries } = house(options);
    const result = await call(name, args);
    expect(result).not.toHaveProperty("receipt");
    expect(result.message).not.toContain("rcpt_");
    expect(entries).toHaveLength(1);
    return { result, entry: entries[0] as LedgerEntry };
  }

  it("that was denied by a person", async () => {
    const deny = { code: "DENIED_BY_PERSON", message: "not now" } as const;
    const authorise = () => ({ deny, decision: "ask", approver: "ada" }) as const;
    const { entry } = await entered({ env: { authorise } });
    expect(entry).toMatchObject({ outcome: "denied", code: "DENIED_BY_PERSON", decision: "ask", approver: "ada" });
  });

  it("that was blocked by policy", async () => {
    const authorise = () => ({ deny: { code: "DENIED_BY_POLICY", message: "never" } }) as const;
    const { entry } = await entered({ env: { authorise } });
    expect(entry).toMatchObject({ outcome: "blocked", decision: "block", approver: null });
    expect(await entered({ env: only() })).toMatchObject({
      entry: { outcome: "blocked", decision: "block" },
    });
  });

  it("that a person replaced: nothing runs, the text is the result, marked as such", async () => {
    const never = tool(() => expect.fail("it ran"), { output: z.object({ a: z.number() }) });
    const replace = { message: "do it tomorrow" };
    const authorise = () => ({ replace, decision: "ask", approver: "ada" }) as const;
    const { entry, result } = await entered({ tools: { demo: never }, env: { authorise } });
    expect(entry).toMatchObject({ outcome: "replaced", approver: "ada", result: sha256("do it tomorrow") });
    expect(result).toMatchObject({ status: "success", message: "do it tomorrow", context: { replaced: true } });
  });

  it("that failed", async () => {
    const broken = tool(() => {
      throw new Error("boom");
    });
    const { entry, result } = await entered({ tools: { demo: broken } });
    expect(entry).toMatchObject({ outcome: "error", code: "EXECUTION_ERROR", result: sha256(result.message) });
    expect(await entered({}, "demo", "{")).toMatchObject({
      entry: { outcome: "error", code: "INVALID_JSON", decision: null },
    });
  });

  it("that was interrupted, also when its tool had finished", async () => {
    const controller = new AbortController();
    const stopping = tool(function () {
      controller.abort(new ToolError("STOPPED", "enough"));
      return this.success("done");
    });
    const handleIntervention = async () => controller.signal.throwIfAborted();
    const env = { signal: controller.signal, agent: { ...AGENT, handleIntervention } };
    const { entry } = await entered({ tools: { demo: stopping }, env });
    expect(entry).toMatchObject({ outcome: "interrupted", code: "STOPPED" });
  });

  it("that is partial, unknown, refused by an extension, or skipped", async () => {
    const part = tool(function () {
      return this.partial("half of it");
    });
    expect(await entered({ tools: { demo: part } })).toMatchObject({ entry: { outcome: "partial", code: null } });
    const long = tool(function () {
      return this.success("x".repeat(200_000));
    });
    const { entry, result } = await entered({ tools: { demo: long } });
    expect(entry).toMatchObject({ outcome: "partial", result: sha256(result.message) });
    expect(await entered({}, "nothing")).toMatchObject({
      entry: { outcome: "unknown", tool: "nothing", owner: "host" },
    });
    const polite = tool(function () {
      return this.success("there is no such tool");
    });
    const fallback = { tools: { demo, polite }, fallback: "polite" };
    expect(await entered(fallback, "nothing")).toMatchObject({ entry: { outcome: "unknown", tool: "nothing" } });
    const hooks: WorkbenchOptions["hooks"] = {
      tool_execute_before: (payload) => {
        payload.deny = "no";
      },
    };
    expect(await entered({ hooks })).toMatchObject({ entry: { outcome: "denied", code: "DENIED_BY_EXTENSION" } });
    const last = tool(function () {
      return this.response({ message: "bye", breakLoop: true });
    });
    const { dispatcher, env: environment, entries } = house({ tools: { demo, last } });
    await dispatcher.dispatchAll(
      ["last", "demo"].map((name) => ({ id: name, name, args: {} })),
      environment,
    );
    expect(entries.map(({ outcome, call }) => [call, outcome])).toEqual([
      ["last", "success"],
      ["demo", "skipped"],
    ]);
  });

  it("that the host could not settle", async () => {
    const masker = {
      ...workbench().env.masker,
      mask: (text: string) => {
        if (text === "done") throw new Error("no mask");
        return text;
      },
    };
    const { entry } = await entered({ env: { masker } });
    expect(entry).toMatchObject({ outcome: "error" });
  });
});
