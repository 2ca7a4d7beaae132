import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChangeBatch, createChangeQueue } from "../../core/watching/change-queue.ts";

interface Given extends ChangeBatch {
  readonly at: number;
}

/** Drives a queue as a host does: asks at every offer, and when it was told to. */
function drive(offers: readonly { readonly path: string; readonly at: number }[], lateness = 0): Given[] {
  const queue = createChangeQueue();
  const given: Given[] = [];
  let next: number | undefined;
  const ask = (now: number): void => {
    const due = queue.due(now);
    given.push(...due.batches.map((batch) => ({ ...batch, at: now })));
    next = due.next;
  };
  for (const { path, at } of offers) {
    while (next !== undefined && next + lateness <= at) ask(next + lateness);
    queue.offer(path, at);
    ask(at);
  }
  for (let turns = 0; next !== undefined; turns++) {
    if (turns > 1_000) throw new Error("the queue never comes to rest");
    ask(next + lateness);
  }
  return given;
}

const first = (given: readonly Given[]): Given[] => given.filter(({ again }) => !again);

describe("the change queue", () => {
  it("gives a single save at once and looks at it again after 60 ms", () => {
    expect(drive([{ path: "a", at: 1_000 }])).toEqual([
      { paths: ["a"], again: false, at: 1_000 },
      { paths: ["a"], again: true, at: 1_060 },
    ]);
  });

  it("gathers what comes while it is not quiet, sorted and each once", () => {
    const given = drive([
      { path: "a", at: 0 },
      { path: "c", at: 10 },
      { path: "b", at: 30 },
      { path: "c", at: 50 },
    ]);
    expect(given).toEqual([
      { paths: ["a"], again: false, at: 0 },
      { paths: ["a"], again: true, at: 60 },
      { paths: ["b", "c"], again: false, at: 110 },
      { paths: ["b", "c"], again: true, at: 170 },
    ]);
  });

  it("does not look again at what is gathered anyway", () => {
    const given = drive([
      { path: "a", at: 0 },
      { path: "a", at: 40 },
    ]);
    expect(given).toEqual([
      { paths: ["a"], again: false, at: 0 },
      { paths: ["a"], again: false, at: 100 },
      { paths: ["a"], again: true, at: 160 },
    ]);
  });

  it("lets nothing wait for longer than a second in a burst that does not end", () => {
    const offers = Array.from({ length: 300 }, (_, n) => ({ path: `p${n}`, at: n * 20 }));
    const given = first(drive(offers));
    for (const { path, at } of offers) {
      const batch = given.find(({ paths }) => paths.includes(path));
      expect(batch?.at).toBeGreaterThanOrEqual(at);
      expect(batch?.at).toBeLessThanOrEqual(at + 1_000);
    }
    // 6 s: the first at once, then one a second.
    expect(given.length).toBeLessThanOrEqual(8);
  });

  it("acts at once again after a quiet period", () => {
    const given = first(
      drive([
        { path: "a", at: 0 },
        { path: "b", at: 60 },
      ]),
    );
    expect(given.map(({ at }) => at)).toEqual([0, 60]);
  });

  it("gathers what is no save, also with one behind it that was there before", () => {
    const queue = createChangeQueue();
    queue.offer("gone", 1_000, false);
    expect(queue.due(1_000)).toEqual({ batches: [], next: 1_060 });
    queue.offer("gone", 1_002, true);
    expect(queue.due(1_002)).toEqual({ batches: [], next: 1_062 });
    expect(queue.isQuiet(1_062)).toBe(false);
    expect(queue.due(1_062).batches).toEqual([{ paths: ["gone"], again: false }]);
    expect(queue.isQuiet(1_062)).toBe(true);
  });

  it("lets a save go ahead of what is none", () => {
    const queue = createChangeQueue();
    queue.offer("aside", 1_000, false);
    queue.offer("saved", 1_001, true);
    expect(queue.due(1_001).batches).toEqual([{ paths: ["aside", "saved"], again: false }]);
  });

  it("answers nothing twice and says when nothing waits", () => {
    const queue = createChangeQueue();
    expect(queue.due(0)).toEqual({ batches: [] });
    queue.offer("a", 5);
    expect(queue.due(5)).toEqual({ batches: [{ paths: ["a"], again: false }], next: 65 });
    expect(queue.due(5)).toEqual({ batches: [], next: 65 });
    expect(queue.due(65)).toEqual({ batches: [{ paths: ["a"], again: true }] });
  });

  it("takes the two times as options", () => {
    const queue = createChangeQueue({ quietMs: 5, longestMs: 8 });
    queue.offer("a", 0);
    queue.due(0);
    for (const at of [4, 8, 11]) queue.offer("b", at);
    expect(queue.due(11).batches).toEqual([{ paths: ["a"], again: true }]);
    expect(queue.due(12).batches).toEqual([{ paths: ["b"], again: false }]);
  });

  it("loses no path: each is given after its last offer within a second, and once more at rest", () => {
    const offers = fc
      .array(fc.record({ path: fc.constantFrom("a", "b", "c", "d", "e"), gap: fc.integer({ min: 0, max: 150 }) }), {
        minLength: 1,
        maxLength: 200,
      })
      .map((list) => {
        let at = 0;
        return list.map(({ path, gap }) => {
          at += gap;
          return { path, at };
        });
      });
    fc.assert(
      fc.property(offers, fc.integer({ min: 0, max: 40 }), (list, lateness) => {
        const given = drive(list, lateness);
        for (const { paths } of given) expect(paths).toEqual([...new Set(paths)].sort());
        for (const path of new Set(list.map((offer) => offer.path))) {
          const last = Math.max(...list.filter((offer) => offer.path === path).map(({ at }) => at));
          const mine = given.filter(({ paths }) => paths.includes(path));
          const after = mine.find(({ again, at }) => !again && at >= last);
          expect(after?.at).toBeLessThanOrEqual(last + 1_000 + lateness);
          const look = mine.at(-1);
          expect(look?.again).toBe(true);
          expect(look?.at).toBeGreaterThanOrEqual((after?.at ?? Number.NaN) + 60);
        }
      }),
    );
  });

  it("gives few batches for a burst of any length", () => {
    const burst = fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(burst, (gaps) => {
        let at = 0;
        const offers = gaps.map((gap, n) => {
          at += gap;
          return { path: `p${n}`, at };
        });
        const given = drive(offers);
        const lasted = at - (offers[0]?.at ?? 0);
        const bound = 2 + Math.ceil(lasted / 1_000);
        expect(first(given).length).toBeLessThanOrEqual(bound);
        expect(given.length).toBeLessThanOrEqual(2 * bound);
      }),
    );
  });
});
