import { describe, expect, it } from "vitest";
import { createCallSlots } from "../../core/governance/call-slots.ts";

const going = (): AbortSignal => new AbortController().signal;
/** Lets all that can go on do so. */
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

function places(max: number) {
  const slots = createCallSlots();
  const begun: string[] = [];
  const take = async (name: string, signal = going()) => {
    const slot = await slots.take({ max, signal: () => signal });
    begun.push(name);
    return slot;
  };
  return { slots, begun, take };
}

describe("places", () => {
  it("are given at once while there are any, then in the order of those who came", async () => {
    const { begun, take } = places(2);
    const [first, second] = await Promise.all([take("a"), take("b")]);
    const third = take("c");
    const fourth = take("d");
    await settled();
    expect(begun).toEqual(["a", "b"]);
    first?.free();
    await third;
    expect(begun).toEqual(["a", "b", "c"]);
    second?.free();
    await fourth;
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });

  it("are not waited for by who was stopped", async () => {
    const { begun, take } = places(1);
    const first = await take("a");
    const stop = new AbortController();
    const second = take("b", stop.signal);
    const third = take("c");
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(second).rejects.toBe(reason);
    await expect(take("d", stop.signal)).rejects.toBe(reason);
    first.free();
    await third;
    expect(begun).toEqual(["a", "c"]);
  });

  it("are left by a call that waits for others, and waited for again", async () => {
    const { begun, take } = places(1);
    const outer = await take("outer");
    let inner: { free(): void } | undefined;
    let isBack = false;
    const work = outer.aside(async () => {
      inner = await take("inner");
    });
    void work.then(() => {
      isBack = true;
    });
    await settled();
    expect([begun, isBack]).toEqual([["outer", "inner"], false]);
    inner?.free();
    await work;
    const next = take("next");
    await settled();
    expect(begun).toEqual(["outer", "inner"]);
    outer.free();
    await next;
  });

  it("are given back once, also by a call that ended while it waited", async () => {
    const { begun, take } = places(1);
    const outer = await take("outer");
    await outer.aside(async () => outer.free());
    outer.free();
    await take("b");
    void take("c");
    await settled();
    expect(begun).toEqual(["outer", "b"]);
  });
});
