import { describe, expect, it } from "vitest";
import { ToolError } from "../../core/sdk/errors.ts";
import type { JsonObject, ToolResult } from "../../core/sdk/result.ts";
import { z } from "../../core/sdk/schema.ts";
import { tool, workbench } from "./workbench.ts";

const parameters = z.object({ a: z.string(), n: z.int().default(1) });
const echo = tool(
  function (args: JsonObject) {
    return this.success("done", { args });
  },
  { parameters },
);

describe("extensions before a call", () => {
  it("see valid arguments with their defaults, and may replace them", async () => {
    let seen: unknown;
    const bench = workbench({
      tools: { echo },
      hooks: {
        tool_execute_before: (payload) => {
          seen = { ...payload };
          payload.args = { ...payload.args, a: "[1]", n: 2 };
        },
      },
    });
    const { data, context } = await bench.call("echo", { a: "x" });
    expect(seen).toEqual({ toolName: "echo", method: undefined, args: { a: "x", n: 1 } });
    expect(data).toEqual({ args: { a: "[1]", n: 2 } });
    expect(context.args).toEqual({ a: "x" });
    expect(bench.events[0]).toMatchObject({ type: "tool_start", args: { a: "[1]", n: 2 } });
  });

  it.each([
    [
      "do not fit",
      (payload: { args: JsonObject }) => void Object.assign(payload, { args: { a: 1 } }),
      /replaced arguments: .*\/a: expected string, received number 1/,
    ],
    [
      "are not JSON",
      (payload: { args: JsonObject }) => void Object.assign(payload, { args: { a: new Date() } }),
      /args must be JSON, found an instance of Date at \/a/,
    ],
    [
      "are no object",
      (payload: { args: JsonObject }) => void Object.assign(payload, { args: [1] }),
      /args must be an object/,
    ],
    ["are changed in place", (payload: { args: JsonObject }) => void Object.assign(payload.args, { a: "y" }), /failed/],
    [
      "are refused",
      (payload: { deny?: string }) => void Object.assign(payload, { deny: "not today" }),
      /the extension _50_test refused echo: not today/,
    ],
    [
      "come with a throw",
      () => {
        throw new Error("gate fell");
      },
      /the extension _50_test refused echo: it failed: gate fell/,
    ],
    ["never come", () => new Promise<void>(() => {}), /did not settle within 200 ms/],
  ])("close the gate where arguments %s", async (_, hook, said) => {
    let runs = 0;
    const spy = tool(() => void runs++, { parameters });
    const { error } = await workbench({ tools: { spy: spy, echo: spy }, hooks: { tool_execute_before: hook } }).call(
      "echo",
      { a: "x" },
    );
    expect(error).toMatchObject({ code: "DENIED_BY_EXTENSION", class: "policy" });
    expect(error?.message).toMatch(said);
    expect(runs).toBe(0);
  });

  it("cannot change arguments after they were approved (A2)", async () => {
    let kept: { args: JsonObject } | undefined;
    let approved: JsonObject | undefined;
    const bench = workbench({
      tools: { echo },
      hooks: {
        tool_execute_before: (payload) => {
          payload.args = { a: "approved" };
          kept = payload;
        },
      },
      env: {
        authorise: ({ args }) => {
          approved = args;
          Object.assign(kept?.args ?? {}, { a: "swapped" });
          return { run: true };
        },
      },
    });
    const { data } = await bench.call("echo", { a: "x" });
    expect(data).toEqual({ args: { a: "approved", n: 1 } });
    expect(approved).toEqual({ a: "approved", n: 1 });
    expect(Object.isFrozen(approved)).toBe(true);
  });
});

describe("arguments as they are shown", () => {
  it("pass through the extensions for progress before the call, those that were put in place of them too", async () => {
    const seen: string[] = [];
    let replace = false;
    const bench = workbench({
      tools: { echo },
      hooks: {
        tool_output_update: (payload) => {
          seen.push(payload.content);
          payload.content = `<${payload.content}>`;
        },
        tool_execute_before: (payload) => {
          seen.push("gate");
          if (replace) payload.args = { a: "y" };
        },
      },
    });
    expect((await bench.call("echo", { a: "x" })).data).toEqual({ args: { a: "x", n: 1 } });
    expect(seen).toEqual(["x", "1", "gate"]);
    expect(bench.events[0]).toMatchObject({ type: "tool_start", args: { a: "<x>", n: "<1>" } });

    replace = true;
    expect((await bench.call("echo", { a: "x" })).data).toEqual({ args: { a: "y", n: 1 } });
    expect(seen.slice(3)).toEqual(["x", "1", "gate", "y", "1"]);
    expect(bench.events.at(-2)).toMatchObject({ type: "tool_start", args: { a: "<y>", n: "<1>" } });
  });
});

describe("authorisation", () => {
  it("is asked about exactly what would run", async () => {
    let asked: object | undefined;
    const authorise = (call: object) => {
      asked = call;
      return { run: true } as const;
    };
    await workbench({ tools: { echo }, env: { authorise } }).call("echo", { a: "x" });
    expect(asked).toMatchObject({
      id: "c1",
      owner: "_test",
      method: undefined,
      args: { a: "x", n: 1 },
      face: "test",
      tool: { id: "echo" },
    });
  });

  it("gives the call the code of its refusal", async () => {
    const authorise = async () =>
      ({ deny: { code: "DENIED_BY_PERSON", message: "Ann said no", hint: "Ask her." } }) as const;
    const bench = workbench({ tools: { echo }, env: { authorise } });
    const { error } = await bench.call("echo", { a: "x" });
    expect(error).toMatchObject({ code: "DENIED_BY_PERSON", message: "Ann said no", hint: "Ask her." });
    expect(bench.events.map(({ type }) => type)).toEqual(["tool_start", "tool_end"]);
  });

  it("comes before secrets are put in, which no result shows", async () => {
    const secret = "sk-live-0123456789";
    const seen: unknown[] = [];
    const bench = workbench({
      tools: {
        echo: tool(
          function (args: JsonObject) {
            seen.push(args, this.args);
            return this.success(`sent ${args.a}`, { args });
          },
          { parameters },
        ),
      },
      secrets: [{ name: "KEY", value: secret }],
      env: {
        authorise: ({ args }) => {
          seen.push(args);
          return { run: true };
        },
        reveal: (args) => Object.freeze({ ...args, a: secret }),
      },
    });
    const result = await bench.call("echo", { a: "§§secret(KEY)" });
    const revealed = { a: secret, n: 1 };
    expect(seen).toEqual([{ a: "§§secret(KEY)", n: 1 }, revealed, revealed]);
    expect(JSON.stringify([result, bench.events, bench.lines, bench.history])).not.toContain(secret);
    expect(result.message).toBe("sent §§secret(KEY)");
  });

  it("of a secret that does not exist fails the call", async () => {
    const reveal = () => {
      throw new ToolError("SECRET_UNKNOWN", "there is no secret X");
    };
    expect((await workbench({ tools: { echo }, env: { reveal } }).call("echo", { a: "x" })).error?.code).toBe(
      "SECRET_UNKNOWN",
    );
  });
});

describe("extensions after a call", () => {
  const changing = (change: (result: ToolResult) => unknown) => ({
    tool_execute_after: (payload: { result: ToolResult }) => {
      payload.result = change(payload.result) as ToolResult;
    },
  });

  it("may replace the result by another of the same contract", async () => {
    const bench = workbench({
      tools: { echo },
      hooks: changing((result) => ({
        ...result,
        message: "censored \u0007",
        data: {},
        context: { tool: "forged" },
        stats: { durationMs: -1 },
      })),
    });
    const result = await bench.call("echo", { a: "x" });
    expect(result).toMatchObject({ status: "success", message: "censored ", data: {}, context: { tool: "echo" } });
    expect(result.stats.durationMs).toBeGreaterThanOrEqual(0);
    expect(Object.isFrozen(result.data)).toBe(true);
    expect(bench.history[0]?.result).toBe(result);
  });

  it.each([
    ["a result that is none", () => "nothing"],
    ["data that is no JSON", (result: ToolResult) => ({ ...result, data: { at: new Date() } })],
    [
      "a success with an error code",
      (result: ToolResult) => ({ ...result, error: { code: "NOT_FOUND", message: "x" } }),
    ],
    ["a change in place", (result: ToolResult) => Object.assign(result.data, { x: 1 })],
  ])("that leave %s are blamed, and the result stays", async (_, change) => {
    const bench = workbench({ tools: { echo }, hooks: changing(change) });
    expect(await bench.call("echo", { a: "x" })).toMatchObject({ status: "success", data: { args: { a: "x", n: 1 } } });
    expect(bench.found).toMatchObject([
      { code: "EXTENSION_FAILED", file: "extensions/tool_execute_after/_50_test.ts" },
    ]);
  });

  it("see failures of a tool too, also of one that was stopped", async () => {
    const seen: (string | undefined)[] = [];
    const controller = new AbortController();
    const stops = tool(() => {
      controller.abort();
      return new Promise(() => {});
    });
    const bench = workbench({
      tools: { stops },
      hooks: {
        tool_execute_after: ({ result }) => {
          seen.push(result.error?.code);
        },
      },
      env: { signal: controller.signal },
    });
    await bench.call("stops");
    expect(seen).toEqual(["ABORTED"]);
  });
});

describe("extensions of the history", () => {
  it("have the last word on text and additions", async () => {
    const answer = tool(function () {
      return this.response({ message: "text", additional: { file: "a.txt" } });
    });
    const seen: unknown[] = [];
    const bench = workbench({
      tools: { answer },
      hooks: {
        hist_add_tool_result: (payload) => {
          seen.push(structuredClone(payload));
          payload.entry.tool_result = "shorter";
          payload.entry.hint = "see a.txt";
        },
        hist_add_before: (payload) => {
          seen.push(structuredClone(payload));
          payload.content = { ...(payload.content as object), id: "forged", tool_name: "forged" };
        },
      },
    });
    const result = await bench.call("answer");
    expect(seen).toEqual([
      { toolName: "answer", entry: { id: "c1", tool_name: "answer", tool_result: "text", file: "a.txt" } },
      {
        ai: false,
        content: { id: "c1", tool_name: "answer", tool_result: "shorter", file: "a.txt", hint: "see a.txt" },
      },
    ]);
    expect(result).toMatchObject({
      message: "shorter",
      additional: { file: "a.txt", hint: "see a.txt" },
      context: { tool: "answer" },
    });
    expect(bench.history[0]?.result).toBe(result);
  });

  it("that leave no entry are passed over", async () => {
    const bench = workbench({
      tools: { echo },
      hooks: {
        hist_add_before: (payload) => {
          payload.content = "text only";
        },
      },
    });
    expect((await bench.call("echo", { a: "x" })).message).toBe("done");
    expect(bench.found[0]?.message).toMatch(/tool_result is text/);
  });

  it("keep code and words of an error", async () => {
    const fails = tool(function () {
      return this.failure("NOT_FOUND", "no file", { hint: "Look." });
    });
    const bench = workbench({
      tools: { fails },
      hooks: {
        hist_add_tool_result: (payload) => {
          payload.entry.tool_result = `${payload.entry.tool_result} (told)`;
        },
      },
    });
    expect(await bench.call("fails")).toMatchObject({
      message: "NOT_FOUND: no file\nLook. (told)",
      error: { code: "NOT_FOUND", message: "no file", hint: "Look." },
    });
  });
});

describe("progress", () => {
  const works = tool(async function () {
    await this.setProgress("\u001b[31mhalf\u001b[0m");
    this.addProgress(" quietly");
    return this.success(this.progress);
  });

  it("is an event, rewritten by the point, masked and clean", async () => {
    const bench = workbench({
      tools: { works },
      secrets: [{ name: "H", value: "HALF" }],
      hooks: {
        tool_output_update: (payload) => {
          payload.content = payload.content.toUpperCase().replaceAll("[31M", "[31m").replaceAll("[0M", "[0m");
        },
      },
    });
    await bench.call("works");
    expect(bench.events[1]).toEqual({ type: "tool_progress", callId: "c1", name: "works", text: "§§secret(H)" });
  });

  it("that comes after the end is not published", async () => {
    let later: (() => Promise<void>) | undefined;
    const leaks = tool(function () {
      later = async () => await this.setProgress("late");
      return this.success("x");
    });
    const bench = workbench({ tools: { leaks } });
    await bench.call("leaks");
    await later?.();
    expect(bench.events.map(({ type }) => type)).toEqual(["tool_start", "tool_end"]);
  });

  it("shows the arguments by the same point, as they may be shown", async () => {
    const bench = workbench({
      tools: { echo },
      hooks: {
        tool_output_update: (payload) => {
          payload.content = `<${payload.content}>`;
        },
      },
    });
    const { data } = await bench.call("echo", { a: "x" });
    expect(bench.events[0]).toMatchObject({ type: "tool_start", args: { a: "<x>", n: "<1>" } });
    expect(data).toEqual({ args: { a: "x", n: 1 } });
  });
});
