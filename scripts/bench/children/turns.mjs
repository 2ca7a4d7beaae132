// Runs turns with one call each in one session, by the offline model, and prints what the first ones and the last ones
// were like: {first, last} with `ms` (median of a turn) and `megabytes` (heap in use). Arguments: the built core, the
// root, the number of turns.
import { pathToFileURL } from "node:url";

const [core, root, turns] = process.argv.slice(2);
const WARM_UP = 50;
const SAMPLE = 50;

const { createHost } = await import(pathToFileURL(`${core}/host.js`).href);
const host = await createHost({ root, workspace: root, env: {}, trust: true });
const agent = await host.agent({ session: "new" });

const run = async (count) => {
  const times = [];
  for (let turn = 0; turn < count; turn++) {
    const start = performance.now();
    const { stopped } = await agent.run("/trivial text=done");
    if (stopped) throw new Error(`expected an answer, found a turn that was stopped: ${stopped}`);
    times.push(performance.now() - start);
  }
  for (let round = 0; round < 3; round++) globalThis.gc();
  const middle = times.sort((a, b) => a - b)[Math.floor(count / 2)];
  return { ms: middle, megabytes: process.memoryUsage().heapUsed / 1e6 };
};

await run(WARM_UP);
const first = await run(SAMPLE);
await run(Math.max(1, Number(turns) - WARM_UP - 2 * SAMPLE));
const last = await run(SAMPLE);
await host.close();
process.stdout.write(JSON.stringify({ first, last }));
