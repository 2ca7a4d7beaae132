// Watches a tree and prints what that costs: {ms} until ready, {watches} of the system, {megabytes} of resident memory
// more, {cpu} in percent of one core over some idle seconds. Arguments: `ours` or `chokidar`, the built core, the root,
// the idle seconds.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [side, core, root, seconds] = process.argv.slice(2);
const { createHost } = await import(pathToFileURL(`${core}/host.js`).href);
const { watch } = await import("chokidar");
const options = { root, workspace: root, env: {}, trust: true };

/** Once without watching, so that all that a host needs is loaded and indexed. */
const open = async (more) => {
  const start = performance.now();
  const host = await createHost({ ...options, ...more });
  return { host, ms: performance.now() - start };
};
await (await open({})).host.close();
const plain = await open({});
if (side === "ours") await plain.host.close();
globalThis.gc();
const before = process.memoryUsage().rss;

let ms;
let close;
if (side === "ours") {
  const watched = await open({ watch: true });
  ms = watched.ms - plain.ms;
  close = () => watched.host.close();
} else {
  const start = performance.now();
  const watcher = watch(root, { ignoreInitial: true });
  await new Promise((resolve) => watcher.once("ready", resolve));
  ms = performance.now() - start;
  close = async () => {
    await watcher.close();
    await plain.host.close();
  };
}
const megabytes = (process.memoryUsage().rss - before) / 1e6;
// What a start leaves to do is not idleness: the engine's own clean-up comes some eight seconds after it.
await sleep(Number(seconds) * 2_000);
const usage = process.cpuUsage();
await sleep(Number(seconds) * 1_000);
const { user, system } = process.cpuUsage(usage);
const cpu = (user + system) / 1e4 / Number(seconds);
process.stdout.write(JSON.stringify({ ms, watches: countWatches(), megabytes, cpu }));
await close();
process.exit(0);

function countWatches() {
  let count = 0;
  for (const name of readdirSync("/proc/self/fdinfo")) {
    try {
      count += readFileSync(`/proc/self/fdinfo/${name}`, "utf8").match(/^inotify wd:/gmu)?.length ?? 0;
    } catch {
      // A descriptor that was closed meanwhile.
    }
  }
  return count;
}
