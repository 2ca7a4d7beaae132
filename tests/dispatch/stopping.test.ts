import { describe, expect, it } from "vitest";
import { ToolError } from "../../core/sdk/errors.ts";
import { Tool } from "../../core/sdk/tool.ts";
import { AGENT, tool, workbench } from "./workbench.ts";

const done = tool(function () {
  return this.success("done");
});

describe("the deadline", () => {
  it("ends a tool that ignores its signal, and tells the signal", async () => {
    let signal: AbortSignal | undefined;
    const deaf = tool(
      function () {
        signal = this.signal;
        return new Promise(() => {});
      },
      { timeoutMs: 5 },
    );
    const { error, stats } = await workbench({ tools: { deaf } }).call("deaf");
    expect(error).toMatchObject({
      code: "TIMEOUT",
      retryable: true,
      class: "infrastructure",
      message: "deaf did not finish within 5 ms",
    });
    expect(signal?.reason).toMatchObject({ code: "TIMEOUT" });
    expect(stats.durationMs).toBeGreaterThanOrEqual(4);
  });

  it("is the setting's where the tool names none", async () => {
    const deaf = tool(() => new Promise(() => {}));
    const { error } = await workbench({ tools: { deaf }, env: { settings: { timeoutMs: 5 } } }).call("deaf");
    expect(error?.message).toBe("deaf did not finish within 5 ms");
  });

  it("does not count what comes too late, and survives a late rejection", async () => {
    let reject: (error: Error) => void = () => {};
    const late = tool(
      () =>
        new Promise((_, no) => {
          reject = no;
        }),
      { timeoutMs: 5 },
    );
    const polite = tool(
      function () {
        return new Promise((resolve) => this.signal.addEventListener("abort", () => resolve(this.success("in time?"))));
      },
      { timeoutMs: 5 },
    );
    const bench = workbench({ tools: { late, polite } });
    expect((await bench.call("late")).error?.code).toBe("TIMEOUT");
    reject(new Error("late"));
    expect((await bench.call("polite")).error?.code).toBe("TIMEOUT");
  });

  it("keeps what the tool had said of itself until then", async () => {
    const chatty = tool(
      async function () {
        void this.setProgress("10 of 20 done");
        await new Promise(() => {});
      },
      { timeoutMs: 5 },
    );
    const { message } = await workbench({ tools: { chatty } }).call("chatty");
    expect(message).toContain("chatty did not finish within 5 ms\nProgress until then: 10 of 20 done");
  });
});

describe("the signal", () => {
  it("stops a call before it begins: nothing is resolved, loaded or run", async () => {
    const bench = workbench({ tools: { done }, env: { signal: AbortSignal.abort() } });
    const { error, context } = await bench.call("done", { a: 1 });
    expect(error).toMatchObject({ code: "ABORTED", retryable: true });
    expect(context).toMatchObject({ tool: "done", owner: "host", args: { a: 1 } });
    expect(bench.trace).not.toContain("resolve");
  });

  it("gives its own code where its reason has one", async () => {
    const signal = AbortSignal.abort(new ToolError("STOPPED", "somebody stopped the agent", { hint: "Wait." }));
    expect((await workbench({ tools: { done }, env: { signal } }).call("done")).error).toMatchObject({
      code: "STOPPED",
      class: "policy",
      message: "somebody stopped the agent",
      hint: "Wait.",
    });
  });

  it("stops a call that runs, waits for leave, or waits for an extension", async () => {
    for (const where of ["execute", "authorise", "extension", "before", "load"] as const) {
      const controller = new AbortController();
      const hang = (): Promise<never> => {
        setTimeout(() => controller.abort(), 1);
        return new Promise(() => {});
      };
      class Waits extends Tool {
        execute() {
          return where === "execute" ? hang() : this.success("ran");
        }
        override beforeExecution() {
          return where === "before" ? hang() : undefined;
        }
      }
      const bench = workbench({
        tools: { waits: Waits },
        hooks: where === "extension" ? { tool_execute_before: hang } : {},
        env: { signal: controller.signal, ...(where === "authorise" ? { authorise: hang } : {}) },
      });
      const { resolve } = bench.env.lease;
      const lease = {
        ...bench.env.lease,
        resolve: async (name: string) => {
          const target = await resolve(name);
          return target && where === "load" ? { ...target, load: hang } : target;
        },
      };
      const result = await bench.dispatcher.dispatch({ id: "c", name: "waits", args: {} }, { ...bench.env, lease });
      expect([where, result.error?.code]).toEqual([where, "ABORTED"]);
      expect(bench.found).toEqual([]);
    }
  });

  it("is left without listeners when the call is over", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    const bench = workbench({ tools: { done }, env: { signal } });
    for (let round = 0; round < 5; round++) await bench.call("done");
    expect(listeners).toBe(0);
  });
});

describe("an intervention", () => {
  /** Fails at the n-th checkpoint of a call: 1 and 2 before, 3 after execute, 4 at the very end. */
  const interruptedAt = (position: number, thrown: unknown = new ToolError("ABORTED", "a person spoke")) => {
    let passed = 0;
    const progress: (string | undefined)[] = [];
    const handleIntervention = async (text?: string) => {
      progress.push(text);
      if (++passed === position) throw thrown;
    };
    return { agent: { ...AGENT, handleIntervention }, progress };
  };

  it("before execute keeps the tool from running", async () => {
    for (const position of [1, 2]) {
      let runs = 0;
      const spy = tool(() => void runs++);
      const { agent } = interruptedAt(position);
      const { error } = await workbench({ tools: { spy }, env: { agent } }).call("spy");
      expect([error?.code, error?.message, runs]).toEqual(["ABORTED", "a person spoke", 0]);
    }
  });

  it("after execute keeps what was done from being forgotten", async () => {
    const { agent, progress } = interruptedAt(3);
    const wrote = tool(function () {
      this.addProgress("half");
      return this.success("wrote a.txt");
    });
    const { message, error } = await workbench({ tools: { wrote }, env: { agent } }).call("wrote");
    expect(error).toMatchObject({ code: "ABORTED", cause: { status: "success", message: "wrote a.txt" } });
    expect(message).toContain("wrote had finished by then, and what it did stands. It had answered: wrote a.txt");
    expect(progress).toEqual([undefined, undefined, "half", "half"]);
  });

  it("at the end changes nothing about the result", async () => {
    const { agent } = interruptedAt(4);
    expect((await workbench({ tools: { done }, env: { agent } }).call("done")).status).toBe("success");
  });

  it("that is no ToolError is ABORTED", async () => {
    const { agent } = interruptedAt(1, new Error("odd"));
    const { error } = await workbench({ tools: { done }, env: { agent } }).call("done");
    expect(error).toMatchObject({ code: "ABORTED", message: "the call was interrupted: odd" });
  });

  it("does not hide a deadline that came first", async () => {
    const { agent } = interruptedAt(3);
    const deaf = tool(() => new Promise(() => {}), { timeoutMs: 5 });
    expect((await workbench({ tools: { deaf }, env: { agent } }).call("deaf")).error?.code).toBe("TIMEOUT");
  });

  it("may be asked for by the tool itself", async () => {
    const { agent } = interruptedAt(3);
    const asks = tool(async function () {
      await this.agent.handleIntervention("so far");
      return this.success("not reached");
    });
    expect((await workbench({ tools: { asks }, env: { agent } }).call("asks")).error?.code).toBe("ABORTED");
  });
});
