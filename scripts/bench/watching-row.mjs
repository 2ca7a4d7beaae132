import { runChild } from "./processes.mjs";

/**
 * A row about what watching costs, against chokidar on the whole tree. The same processes tell the figures of all rows of
 * a size. Linux only: watches are counted in `/proc`.
 *
 * @param options `figure`: which one of `children/watching.mjs`; `idle`: seconds of doing nothing
 */
export function watchingRow({ name, unit, figure, goal, sizes = [10_000], idle = 0.1 }) {
  return {
    name,
    against: "chokidar on the tree",
    unit,
    sizes,
    smokeSizes: [4],
    rounds: 9,
    warmUp: () => 0,
    goal: () => goal,
    setup({ context, size }) {
      const { root } = context.tree({ plugins: size });
      const seconds = String(context.smoke ? 0.1 : idle);
      const told = context.shared(`watching ${size} ${seconds}`, () => ({ ours: [], chokidar: [] }));
      const rounds = { ours: 0, chokidar: 0 };
      const run = (side) => {
        const round = rounds[side]++;
        told[side][round] ??= runChild(context.child("watching"), [side, context.built(""), root, seconds]);
        return told[side][round][figure];
      };
      return { ours: () => run("ours"), baseline: () => run("chokidar") };
    },
  };
}
