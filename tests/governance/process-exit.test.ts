import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { atExit } from "../../core/governance/process-exit.ts";
import { PROJECT } from "../helpers/cli.ts";

const MODULE = pathToFileURL(join(PROJECT, "dist/core/governance/process-exit.js")).href;

describe("at the end of the process", () => {
  it("what still waits is done, each once, whatever the others throw", () => {
    const program = `
      import { writeSync } from "node:fs";
      import { atExit } from ${JSON.stringify(MODULE)};
      const say = () => writeSync(1, "done ");
      atExit(() => { throw new Error("no"); });
      atExit(say);
      atExit(say);
      const stop = atExit(() => writeSync(1, "never"));
      stop();
    `;
    const args = ["--input-type=module", "--eval", program];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, "done done "]);
  });

  it("one listener serves however many wait, and goes with the last", () => {
    const before = process.listenerCount("exit");
    const releases = Array.from({ length: 20 }, () => atExit(() => {}));
    const while20 = process.listenerCount("exit");
    expect(while20 - before).toBeLessThanOrEqual(1);
    for (const release of releases) {
      release();
      release();
    }
    expect(process.listenerCount("exit")).toBe(before);
  });
});
