import { describe, expect, it } from "vitest";
import { createControl } from "../../core/agent/control.ts";
import { ToolError } from "../../core/sdk/errors.ts";
import type { ToolClass } from "../../core/sdk/tool.ts";
import { AGENT, only, tool, workbench } from "./workbench.ts";

/** A tool whose calls wait until they are let go, by the argument `n`. */
function gated(statics: Partial<ToolClass>) {
  const log: string[] = [];
  const open = new Map<number, () => void>();
  const made = tool(async function (args: { n: number; breaks?: boolean }) {
    log.push(`begin ${args.n}`);
    await Promise.race([
      new Promise<void>((resolve) => open.set(args.n, resolve)),
      new Promise((_, reject) => this.signal.addEventListener("abort", () => reject(this.signal.reason))),
    ]);
    log.push(`end ${args.n}`);
    return this.response({ message: String(args.n), breakLoop: args.breaks === true });
  }, statics);
  return {
    made,
    log,
    /** Lets calls go, each as soon as it has begun. */
    async letGo(...numbers: number[]) {
      for (const n of numbers) {
        while (!open.has(n)) await new Promise((resolve) => setTimeout(resolve, 0));
        open.get(n)?.();
        while (!log.includes(`end ${n}`)) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    },
  };
}

const requests = (name: string, ...args: object[]) => args.map((item, i) => ({ id: `${name}${i}`, name, args: item }));
const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe("calls of one reply", () => {
  it("that are safe run side by side, at most four; the results are in the order of the calls", async () => {
    const { made, log, letGo } = gated({ parallel: "safe" });
    const bench = workbench({ tools: { safe: made } });
    const running = bench.dispatcher.dispatchAll(requests("safe", ...numbers(6)), bench.env);
    await letGo(3);
    expect(log).toEqual(["begin 0", "begin 1", "begin 2", "begin 3", "end 3", "begin 4"].slice(0, log.length));
    await letGo(4, 5, 2, 1, 0);
    expect((await running).map(({ message }) => message)).toEqual(["0", "1", "2", "3", "4", "5"]);
    let most = 0;
    let now = 0;
    for (const line of log) {
      now += line.startsWith("begin") ? 1 : -1;
      most = Math.max(most, now);
    }
    expect(most).toBe(4);
    // Each is written down when it ends: a crash loses only what runs.
    expect(bench.history.map(({ result }) => result.message)).toEqual(["3", "4", "5", "2", "1", "0"]);
  });

  it("that are serial run one after the other, and separate the safe ones", async () => {
    const safe = gated({ parallel: "safe" });
    const serial = gated({});
    const bench = workbench({ tools: { safe: safe.made, serial: serial.made } });
    const all = [
      ...requests("safe", { n: 0 }, { n: 1 }),
      ...requests("serial", { n: 0 }, { n: 1 }),
      { id: "last", name: "safe", args: { n: 2 } },
    ];
    const running = bench.dispatcher.dispatchAll(all, bench.env);
    await safe.letGo(1);
    expect(serial.log).toEqual([]);
    await safe.letGo(0);
    await serial.letGo(0);
    await serial.letGo(1);
    expect(serial.log).toEqual(["begin 0", "end 0", "begin 1", "end 1"]);
    await safe.letGo(2);
    expect((await running).map(({ message }) => message)).toEqual(["0", "1", "0", "1", "2"]);
  });

  it("that have not begun when one ends the turn are skipped, also beside it", async () => {
    const { made, letGo } = gated({ parallel: "safe" });
    const bench = workbench({ tools: { safe: made } });
    const args = [{ n: 0, breaks: true }, ...numbers(7).slice(1)];
    const running = bench.dispatcher.dispatchAll(requests("safe", ...args), bench.env);
    await letGo(0, 1, 2, 3);
    const codes = (await running).map(({ error, message }) => error?.code ?? message);
    expect(codes).toEqual(["0", "1", "2", "3", "SKIPPED", "SKIPPED", "SKIPPED"]);
  });

  it("that cannot be told, or may not be used, are not looked at: the call itself says what is wrong", async () => {
    const { made, letGo } = gated({ parallel: "safe" });
    let looks = 0;
    const bench = workbench({ tools: { safe: made } });
    const lease = {
      ...bench.env.lease,
      resolve: async (name: string) => {
        const target = await bench.env.lease.resolve(name);
        return target && { ...target, isParallel: async () => Promise.reject(new Error(`look ${++looks}`)) };
      },
    };
    const env = { ...bench.env, lease, ...only("safe") };
    const names = ["safe", "none", "../x", "safe"].map((name, n) => ({ id: `c${n}`, name, args: { n } }));
    const running = bench.dispatcher.dispatchAll(names, env);
    await letGo(0, 3);
    expect((await running).map(({ error, message }) => error?.code ?? message)).toEqual([
      "0",
      "UNKNOWN_TOOL",
      "UNKNOWN_TOOL",
      "3",
    ]);
    expect(looks).toBe(1);
    const denied = await bench.dispatcher.dispatchAll(requests("safe", {}, {}), { ...env, ...only() });
    expect(denied.map(({ error }) => error?.code)).toEqual(["DENIED_BY_POLICY", "DENIED_BY_POLICY"]);
    expect(looks).toBe(1);
  });

  it("end together when they are stopped: those that run by the reason, the others without having begun", async () => {
    const { made, log } = gated({ parallel: "safe" });
    const controller = new AbortController();
    const bench = workbench({ tools: { safe: made }, env: { signal: controller.signal } });
    const running = bench.dispatcher.dispatchAll(requests("safe", ...numbers(6)), bench.env);
    while (log.length < 4) await new Promise((resolve) => setTimeout(resolve, 0));
    controller.abort(new ToolError("STOPPED", "enough"));
    const results = await running;
    expect(results.map(({ error }) => error?.code)).toEqual(Array.from({ length: 6 }, () => "STOPPED"));
    expect(results.map(({ error }) => error?.message)).toEqual([
      ...Array.from({ length: 4 }, () => "enough"),
      ...Array.from({ length: 2 }, () => "safe was not run: enough"),
    ]);
    expect(log).toHaveLength(4);
  });
});

describe("who watches the calls of a reply", () => {
  const done = tool(function () {
    return this.success("done");
  });

  it("is asked before each and told after each that was not refused", async () => {
    const seen: string[] = [];
    const bench = workbench({ tools: { done } });
    const results = await bench.dispatcher.dispatchAll(requests("done", {}, {}, {}, {}), bench.env, {
      before({ id }) {
        seen.push(`before ${id}`);
        if (id === "done1") return { refusal: new ToolError("DENIED_BY_POLICY", "not this one"), ends: false };
        if (id === "done2") return { refusal: new ToolError("DENIED_BY_POLICY", "nor this"), ends: true };
        return undefined;
      },
      after: ({ id }, { status }) => void seen.push(`after ${id} ${status}`),
    });
    expect(seen).toEqual(["before done0", "after done0 success", "before done1", "before done2"]);
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      "DENIED_BY_POLICY",
      "DENIED_BY_POLICY",
      "SKIPPED",
    ]);
    expect(bench.events.filter(({ type }) => type === "tool_end")).toHaveLength(4);
    expect(bench.history).toHaveLength(4);
  });
});

describe("a deadline", () => {
  it("does not count the time that checkpoints wait", async () => {
    const control = createControl({ signal: new AbortController().signal });
    const agent = { ...AGENT, handleIntervention: async () => await control.checkpoint() };
    const slow = tool(
      async function () {
        control.pause();
        setTimeout(control.resume, 80);
        await this.agent.handleIntervention();
        return this.success("in time");
      },
      { timeoutMs: 20 },
    );
    const bench = workbench({ tools: { slow }, env: { agent, heldMs: control.heldMs } });
    expect(await bench.call("slow")).toMatchObject({ status: "success", message: "in time" });
  });

  it("counts again afterwards", async () => {
    let held = 0;
    const deaf = tool(
      () => {
        held = 20;
        return new Promise(() => {});
      },
      { timeoutMs: 5 },
    );
    const bench = workbench({ tools: { deaf }, env: { heldMs: () => held } });
    expect((await bench.call("deaf")).error?.code).toBe("TIMEOUT");
  });
});
