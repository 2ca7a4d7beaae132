import { ratioAtMost } from "../goals.mjs";
import { milliseconds } from "../harness.mjs";
import { readNames, settle } from "../trees.mjs";

/** A start on an unchanged tree: read the index, check it by the times of the directories. */
export const warmIndex = {
  name: "discovery, warm index",
  against: "readdir of the same directories",
  unit: "ms",
  sizes: [100, 1_000, 10_000],
  smokeSizes: [10],
  rounds: 31,
  // Small trees take many runs until the engine has compiled what it will.
  warmUp: (size) => (size > 1_000 ? 3 : 30),
  goal: () => ratioAtMost(0.9),
  async setup({ context, size }) {
    const { scanTree } = await context.core("discovery/scan.js");
    const { createLinkRule } = await context.core("discovery/links.js");
    const { readIndex, writeIndex } = await context.core("discovery/tree-index.js");
    const tree = context.tree({ plugins: size });
    const { root, directories } = tree;
    const options = { root, home: root, follow: createLinkRule({ root, home: root, linkRoots: () => [] }) };
    const place = { cacheDir: context.path("index"), root, home: root };
    if (!context.smoke) await settle(tree);
    writeIndex(place, scanTree({ ...options, startedAt: Date.now() }));
    const check = () => {
      const known = readIndex(place);
      return { known, found: scanTree({ ...options, known, startedAt: Date.now() }) };
    };
    const { known, found } = check();
    if (!context.smoke && known.root !== found.root)
      throw new Error("expected the index to be current, found a change");
    return { ours: () => milliseconds(check), baseline: () => milliseconds(() => readNames(directories)) };
  },
};
