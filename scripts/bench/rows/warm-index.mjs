import { ratioAtMost } from "../goals.mjs";
import { openScanning, SCANNING, sidesOfScanning } from "../scanning.mjs";
import { settle } from "../trees.mjs";

/** A start on an unchanged tree: read the index, check it by the times of the directories. */
export const warmIndex = {
  ...SCANNING,
  name: "discovery, warm index",
  goal: () => ratioAtMost(0.9),
  async setup({ context, size }) {
    const { readIndex, writeIndex } = await context.core("discovery/tree-index.js");
    const tree = context.tree({ plugins: size });
    const { root } = tree;
    const { scanTree, options } = await openScanning(context, root);
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
    return sidesOfScanning(check, tree);
  },
};
