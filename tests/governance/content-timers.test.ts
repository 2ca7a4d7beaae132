import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../core/governance/content-timers.ts";
import { acquireProcessGuard } from "../../core/governance/process-guard.ts";

function guardWithEars() {
  const guard = acquireProcessGuard({ report() {} });
  onTestFinished(guard.release);
  const heard: NodeJS.Timeout[] = [];
  onTestFinished(() => {
    for (const timer of heard) clearTimeout(timer);
  });
  return {
    guard,
    heard,
    scope: { owner: "test", onOutput() {}, onTimer: (timer: NodeJS.Timeout) => void heard.push(timer) },
  };
}

describe("timers of content", () => {
  it("are heard where content makes them, also later, and nowhere else", async () => {
    const { guard, heard, scope } = guardWithEars();
    clearTimeout(setTimeout(() => {}, 1e6));
    const timer = guard.run(scope, () => setInterval(() => {}, 1e6));
    expect(heard).toEqual([timer]);
    await guard.run(scope, async () => {
      await null;
      setTimeout(() => {}, 1e6);
    });
    expect(heard).toHaveLength(2);
    guard.leave(() => clearTimeout(setTimeout(() => {}, 1e6)));
    expect(heard).toHaveLength(2);
  });

  it("are as without a guard: arguments, promisify, names", async () => {
    const { guard, scope } = guardWithEars();
    const seen = await guard.run(
      scope,
      () => new Promise((resolve) => setTimeout((...args) => resolve(args), 1, "a", 2)),
    );
    expect(seen).toEqual(["a", 2]);
    expect(await promisify(setTimeout)(1, "done")).toBe("done");
    expect([setTimeout.name, setInterval.name]).toEqual(["setTimeout", "setInterval"]);
  });

  it("are Node's own again when the last guard is released", () => {
    const own = [globalThis.setTimeout, globalThis.setInterval];
    const [first, second] = [acquireProcessGuard({ report() {} }), acquireProcessGuard({ report() {} })];
    expect(globalThis.setTimeout).not.toBe(own[0]);
    first.release();
    expect(globalThis.setTimeout).not.toBe(own[0]);
    second.release();
    expect([globalThis.setTimeout, globalThis.setInterval]).toEqual(own);
  });

  it("run until they are cleared or have fired; a timeout that keeps nothing alive does not count", async () => {
    const interval = setInterval(() => {}, 1e6);
    expect([isRunning(interval), isRunning(interval.unref())]).toEqual([true, true]);
    clearInterval(interval);
    expect(isRunning(interval)).toBe(false);
    const timeout = setTimeout(() => {}, 1e6);
    expect([isRunning(timeout), isRunning(timeout.unref())]).toEqual([true, false]);
    clearTimeout(timeout);
    let fired: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      fired = setTimeout(resolve, 1);
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(fired && isRunning(fired)).toBe(false);
  });
});
