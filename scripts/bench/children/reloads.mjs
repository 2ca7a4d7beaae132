// Reloads a tool again and again, and prints what the heap has grown by since the first three thousand, in KB a reload, after
// ten major collections that came by themselves. Arguments: the built core, the root, the tool's file, how many.
import { readFileSync, writeFileSync } from "node:fs";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [core, root, file, reloads] = process.argv.slice(2);
/** Until the engine has compiled what there is to compile. */
const WARM_UP = 3_000;
const COLLECTIONS = 10;

const { createHost } = await import(pathToFileURL(`${core}/host.js`).href);
const host = await createHost({ root, workspace: root, env: {}, trust: true });
const source = readFileSync(file, "utf8");
let version = 0;

let majors = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majors++;
}).observe({ entryTypes: ["gc"] });

const reload = async (times) => {
  for (let time = 0; time < times; time++) {
    writeFileSync(file, `${source}// version ${version++}\n`);
    await host.reload();
    const { error } = await host.call("trivial", { text: "x" });
    if (error) throw new Error(error.message);
  }
};

/** Collections that are forced do not free everything: what a script left in the engine goes with later ones. */
const settled = async () => {
  const until = majors + COLLECTIONS;
  let kept = [];
  while (majors < until) {
    kept.push(new Array(100_000).fill(majors));
    if (kept.length > 40) kept = [];
    await turn();
  }
  kept = [];
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};

await reload(Math.min(WARM_UP, 2 * Number(reloads)));
const before = await settled();
await reload(Number(reloads));
const after = await settled();
await host.close();
process.stdout.write(JSON.stringify({ before: before / 1e6, perReload: (after - before) / 1e3 / Number(reloads) }));
