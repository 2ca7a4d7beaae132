import { describe, expect, it } from "vitest";
import { createCancellation } from "../../core/governance/cancellation.ts";
import { ToolError } from "../../core/sdk/errors.ts";

const never = () => new Promise<never>(() => {});
const late = new ToolError("TIMEOUT", "late");

describe("a cancellation", () => {
  it("hands through at once what is there at once", () => {
    const cancellation = createCancellation(new AbortController().signal);
    expect(cancellation.race(() => 5)).toBe(5);
    expect(() =>
      cancellation.race(() => {
        throw late;
      }),
    ).toThrow(late);
  });

  it("waits for what settles in time", async () => {
    const cancellation = createCancellation(new AbortController().signal);
    expect(await cancellation.race(async () => 5, { ms: 10_000, expired: () => late })).toBe(5);
    await expect(
      cancellation.race(async () => {
        throw late;
      }),
    ).rejects.toBe(late);
    expect(cancellation.reason).toBeUndefined();
  });

  it("leaves work to itself after the deadline, and tells its signal", async () => {
    const cancellation = createCancellation(new AbortController().signal);
    const { signal } = cancellation;
    await expect(cancellation.race(never, { ms: 1, expired: () => late })).rejects.toBe(late);
    expect(signal.reason).toBe(late);
    expect(() => cancellation.race(() => 5)).toThrow(late);
  });

  it("does not count what the work makes of its signal", async () => {
    const cancellation = createCancellation(new AbortController().signal);
    const { signal } = cancellation;
    const polite = () => new Promise<number>((resolve) => signal.addEventListener("abort", () => resolve(1)));
    await expect(cancellation.race(polite, { ms: 1, expired: () => late })).rejects.toBe(late);
  });

  it("follows its parent; a ToolError is kept, anything else is ABORTED", async () => {
    const parent = new AbortController();
    const cancellation = createCancellation(parent.signal);
    const waiting = cancellation.race(never);
    const stop = new ToolError("STOPPED", "stop");
    parent.abort(stop);
    await expect(waiting).rejects.toBe(stop);
    expect(cancellation.signal.aborted).toBe(true);

    expect(createCancellation(AbortSignal.abort()).reason).toMatchObject({
      code: "ABORTED",
      message: "the call was stopped",
    });
    const because = createCancellation(AbortSignal.abort(new Error("Ctrl-C")));
    expect(because.reason?.message).toBe("the call was stopped: Ctrl-C");
    expect(because.signal.reason).toBe(because.reason);
  });

  it("is deaf once it is closed, and survives a rejection after that", async () => {
    const parent = new AbortController();
    const cancellation = createCancellation(parent.signal);
    cancellation.close();
    parent.abort();
    expect(cancellation.reason).toBeUndefined();
  });

  it("takes deadlines longer than any timer", async () => {
    const cancellation = createCancellation(new AbortController().signal);
    const slow = () => new Promise<number>((resolve) => setTimeout(() => resolve(1), 5));
    expect(await cancellation.race(slow, { ms: 2 ** 40, expired: () => late })).toBe(1);
  });
});
