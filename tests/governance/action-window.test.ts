import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createActionWindow, WINDOW_MS } from "../../core/governance/action-window.ts";
import { makeTree } from "../helpers/tree.ts";

const limit = (max: number, key = "a") => ({ key, max });

/** A window whose clock is set by hand. */
function windowAt(start = 0) {
  const state = makeTree({});
  const clock = { at: start };
  const unsound: string[] = [];
  const open = () => createActionWindow({ state, now: () => clock.at, unsound: (file) => unsound.push(file) });
  return { state, clock, unsound, open, window: open() };
}

describe("the calls of an hour", () => {
  it("are counted until each is an hour old, and the next possible time is told", () => {
    const { clock, window } = windowAt();
    for (const at of [0, 1_000, 2_000]) {
      clock.at = at;
      expect(window.reserve([limit(3)])).toHaveProperty("release");
    }
    expect(window.reserve([limit(3)])).toEqual({ limit: limit(3), used: 3, nextAt: WINDOW_MS });
    clock.at = WINDOW_MS;
    expect(window.reserve([limit(3)])).toHaveProperty("release");
    expect(window.reserve([limit(3)])).toMatchObject({ nextAt: WINDOW_MS + 1_000 });
    clock.at = 3 * WINDOW_MS;
    expect(window.used("a")).toBe(0);
  });

  it("do not count when they are released", () => {
    const { window } = windowAt();
    const first = window.reserve([limit(1)]);
    if ("release" in first) first.release();
    expect(window.reserve([limit(1)])).toHaveProperty("release");
    expect(window.reserve([limit(1)])).toMatchObject({ used: 1 });
  });

  it("are none where 0 are allowed, and never will be", () => {
    expect(windowAt().window.reserve([limit(0)])).toEqual({ limit: limit(0), used: 0, nextAt: undefined });
  });

  it("count against all limits or none, and the longest wait is told", () => {
    const { clock, window } = windowAt();
    window.reserve([limit(1, "tool")]);
    clock.at = 500;
    window.reserve([limit(1, "all")]);
    clock.at = 600;
    expect(window.reserve([limit(1, "tool"), limit(1, "all")])).toMatchObject({ nextAt: WINDOW_MS + 500 });
    expect(window.reserve([limit(5, "other"), limit(1, "all")])).toMatchObject({ limit: { key: "all" } });
    expect(window.used("other")).toBe(0);
    expect(window.reserve([limit(0, "never"), limit(1, "all")])).toMatchObject({ limit: { key: "never" } });
  });

  it("keep to a limit that was lowered meanwhile", () => {
    const { clock, window } = windowAt();
    for (const at of [0, 10, 20]) {
      clock.at = at;
      window.reserve([limit(9)]);
    }
    // Two of three have to go before one more may come.
    expect(window.reserve([limit(2)])).toMatchObject({ used: 3, nextAt: WINDOW_MS + 10 });
  });

  it.each([1, 2, 3])("never are more than the limit, whatever comes and goes (seed %i)", (seed) => {
    const { clock, window } = windowAt();
    let state = seed;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % below;
    };
    const counted: number[] = [];
    for (let step = 0; step < 500; step++) {
      clock.at += random(WINDOW_MS / 5);
      const reserved = window.reserve([limit(4)]);
      if ("release" in reserved) {
        if (random(3) === 0) reserved.release();
        else counted.push(clock.at);
      }
      expect(counted.filter((at) => at > clock.at - WINDOW_MS).length).toBeLessThanOrEqual(4);
    }
  });

  it("are those of all processes, and are still counted after a restart", () => {
    const { clock, window, open, state } = windowAt(WINDOW_MS - 10);
    const other = open();
    window.reserve([limit(3)]);
    other.reserve([limit(3)]);
    clock.at += 20;
    window.reserve([limit(3)]);
    for (const one of [window, other, open()]) expect(one.reserve([limit(3)])).toMatchObject({ used: 3 });
    clock.at += WINDOW_MS - 20;
    expect(other.used("a")).toBe(1);
    const released = other.reserve([limit(2)]);
    expect(window.used("a")).toBe(2);
    if ("release" in released) released.release();
    expect([window.used("a"), open().used("a")]).toEqual([1, 1]);
    clock.at += 5 * WINDOW_MS;
    window.reserve([limit(3)]);
    expect(readdirSync(join(state, "actions"))).toHaveLength(1);
  });

  it("pass over half a line of a process that died", () => {
    const { window, open, state } = windowAt();
    window.reserve([limit(2)]);
    const [name = ""] = readdirSync(join(state, "actions"));
    appendFileSync(join(state, "actions", name), '{"id":"x","at":\nnull\n');
    expect(open().used("a")).toBe(1);
    expect(window.reserve([limit(2)])).toHaveProperty("release");
    expect(open().reserve([limit(2)])).toMatchObject({ used: 2 });
  });

  it("are counted by the process alone where nothing can be written, which is told once", () => {
    const { window, unsound, state } = windowAt();
    writeFileSync(join(state, "actions"), "a file");
    expect(window.reserve([limit(2)])).toHaveProperty("release");
    expect(window.reserve([limit(2)])).toHaveProperty("release");
    expect(window.reserve([limit(2)])).toMatchObject({ used: 2 });
    expect(unsound).toEqual([join(state, "actions")]);
  });
});
