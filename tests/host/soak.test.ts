import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { makeTree } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";
import { judge, statesOf } from "./soak/oracle.ts";
import { facesOf, keepCalling, measureLag, now, startWriter } from "./soak/run.ts";

/** `SOAK_EDITS` and `SOAK_SEEDS` (numbers, with commas between) ask for longer ones. */
const EDITS = Number(process.env.SOAK_EDITS ?? 60);
const SEEDS = (process.env.SOAK_SEEDS ?? "1").split(",").map(Number);
const TOOLS = ["t0", "t1", "t2", "t3"];

it.each(SEEDS)(
  "random edits while calls are answered, by seed %i",
  { timeout: 60_000 + EDITS * 1_000 },
  async (seed) => {
    const root = makeTree({});
    const writer = startWriter(root, { seed, edits: EDITS });
    await writer.ready;
    const { host, again } = await openHouse({}, { root, watch: true, probe: process.env.SOAK_PROBE === "1" });
    for (const tool of TOOLS) await host.call(tool, {});
    const reloads: unknown[] = [];
    if (process.env.SOAK_LOG) host.on("reload", (receipt) => reloads.push({ at: now(), ...receipt }));
    const lag = measureLag();
    const calling = keepCalling(host, TOOLS, 3);
    writer.begin();
    await writer.done;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const calls = await calling.stop();
    lag.stop();

    const verdict = judge(calls, statesOf(writer.steps), lag);
    if (process.env.SOAK_LOG)
      writeFileSync(
        process.env.SOAK_LOG,
        JSON.stringify({ seed, faults: verdict.faults, steps: writer.steps, reloads }),
      );
    if (process.env.SOAK_EDITS)
      console.log(seed, { ...verdict, faults: verdict.faults.length, generation: host.generation });
    expect(verdict.faults.slice(0, 3)).toEqual([]);
    expect(verdict.strict).toBeGreaterThan(EDITS);
    expect(await facesOf(host, TOOLS)).toEqual(await facesOf(await again({ watch: false }), TOOLS));
  },
);
