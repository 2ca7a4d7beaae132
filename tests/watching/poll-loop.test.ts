import { describe, expect, it } from "vitest";
import { pauseAfter, startPolling } from "../../core/watching/poll-loop.ts";
import { until } from "./watching.ts";

describe("polling", () => {
  it("takes at most its share of the time", () => {
    expect(pauseAfter(1, 500, 0.02)).toBe(500);
    expect(pauseAfter(10, 500, 0.02)).toBe(500);
    expect(pauseAfter(100, 500, 0.02)).toBe(4_900);
  });

  it("polls one at a time and goes on after one that failed", async () => {
    let running = 0;
    let most = 0;
    let polls = 0;
    const failures: unknown[] = [];
    const loop = startPolling({
      everyMs: 1,
      share: 1,
      poll: async () => {
        polls++;
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running--;
        if (polls === 2) throw new Error("no");
      },
      failed: (error) => void failures.push(error),
    });
    await until(() => polls >= 5, "five polls");
    loop.stop();
    expect(most).toBe(1);
    expect(failures).toEqual([new Error("no")]);
  });

  it("polls no more when it is stopped, in the middle of a poll too", async () => {
    let polls = 0;
    let finish = (): void => {};
    const loop = startPolling({
      everyMs: 1,
      now: true,
      poll: () => {
        polls++;
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
      failed: () => {},
    });
    await until(() => polls === 1, "the first poll");
    loop.stop();
    finish();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(polls).toBe(1);
  });
});
