import { atMost, partOf, timesFaster } from "../goals.mjs";
import { runChild } from "../processes.mjs";

const IDLE_SECONDS = 10;

/** What watching costs, against chokidar on the whole tree. Linux only: watches are counted in `/proc`. */
export const watchReady = watchingRow({
  name: "watching, until ready",
  unit: "ms",
  figure: "ms",
  goal: timesFaster(30),
});
export const watchCount = watchingRow({
  name: "watching, watches of the system",
  unit: "watches",
  figure: "watches",
  goal: partOf(100),
});
export const watchMemory = watchingRow({
  name: "watching, memory",
  unit: "MB",
  figure: "megabytes",
  goal: partOf(15),
});
export const watchIdle = watchingRow({
  name: "watching, idle CPU",
  unit: "%",
  figure: "cpu",
  goal: atMost(0.5, "%"),
  sizes: [1_000],
  idle: IDLE_SECONDS,
});

/** One pair of processes tells all figures, but each row is measured by itself. */
function watchingRow({ name, unit, figure, goal, sizes = [10_000], idle = 0.1 }) {
  return {
    name,
    against: "chokidar on the tree",
    unit,
    sizes,
    smokeSizes: [4],
    rounds: 3,
    warmUp: () => 0,
    goal: () => goal,
    setup({ context, size }) {
      const { root } = context.tree({ plugins: size });
      const seconds = String(context.smoke ? 0.1 : idle);
      const run = (side) => runChild(context.child("watching"), [side, context.built(""), root, seconds])[figure];
      return { ours: () => run("ours"), baseline: () => run("chokidar") };
    },
  };
}
