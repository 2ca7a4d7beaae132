import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readWatchLimits } from "../../core/watching/limits.ts";
import { makeTree } from "../helpers/tree.ts";
import { watch } from "./watching.ts";

const told = existsSync("/proc/sys/fs/inotify") && existsSync("/proc/self/fdinfo");

describe("the limits of the system", () => {
  it("are told where the system tells them, else left out", () => {
    const { inotify, openFiles } = readWatchLimits();
    expect(inotify === undefined).toBe(!told);
    if (inotify) {
      expect(inotify.maxWatches).toBeGreaterThan(0);
      expect(inotify.maxInstances).toBeGreaterThan(0);
      expect(inotify.maxEvents).toBeGreaterThan(0);
      expect(openFiles?.max).toBeGreaterThan(openFiles?.open ?? Number.NaN);
    }
  });

  it("count the watches of this process: one for a directory, none for its files", async () => {
    const root = makeTree({ "a/1.ts": "", "a/2.ts": "", "a/deep/3.ts": "", "b/1.ts": "" });
    const before = readWatchLimits().inotify?.watches ?? 0;
    const { watcher } = await watch([`${root}/a`, `${root}/b`]);
    const during = readWatchLimits().inotify?.watches ?? 0;
    await watcher.close();
    const after = readWatchLimits().inotify?.watches ?? 0;
    expect([during - before, after - before]).toEqual(told ? [2, 0] : [0, 0]);
  });
});
