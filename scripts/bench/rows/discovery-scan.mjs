import { ratioAtMost } from "../goals.mjs";
import { milliseconds } from "../harness.mjs";
import { readNames } from "../trees.mjs";

/** From nothing: no index, no times. */
export const discoveryScan = {
  name: "discovery",
  against: "readdir of the same directories",
  unit: "ms",
  sizes: [100, 1_000, 10_000],
  smokeSizes: [10],
  rounds: 31,
  warmUp: 3,
  goal: (size) => ratioAtMost(size <= 100 ? 1.4 : 1.3),
  async setup({ context, size }) {
    const { scanTree } = await context.core("discovery/scan.js");
    const { createLinkRule } = await context.core("discovery/links.js");
    const { root, directories } = context.tree({ plugins: size });
    const follow = createLinkRule({ root, home: root, linkRoots: () => [] });
    return {
      ours: () => milliseconds(() => scanTree({ root, home: root, follow })),
      baseline: () => milliseconds(() => readNames(directories)),
    };
  },
};
