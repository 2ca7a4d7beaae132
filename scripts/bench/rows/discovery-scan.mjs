import { ratioAtMost } from "../goals.mjs";
import { milliseconds } from "../harness.mjs";
import { readNames } from "../trees.mjs";

/** From nothing to the paths of every kind: no index, no times, and no file is opened. */
export const discoveryScan = {
  name: "discovery",
  against: "readdir of the same directories",
  unit: "ms",
  sizes: [100, 1_000, 10_000],
  smokeSizes: [10],
  rounds: 31,
  // Small trees take many runs until the engine has compiled what it will.
  warmUp: (size) => (size > 1_000 ? 3 : 30),
  goal: (size) => ratioAtMost(size <= 100 ? 1.4 : 1.3),
  async setup({ context, size }) {
    const { root, directories, tools, fragments } = context.tree({ plugins: size });
    const discover = await discoverer(context, root);
    const found = discover();
    const expected = tools.length + fragments.length;
    if (found !== expected) throw new Error(`expected ${expected} candidates, found ${found}`);
    return {
      ours: () => milliseconds(discover),
      baseline: () => milliseconds(() => readNames(directories)),
    };
  },
};

/** Scan, layers and candidates as a view makes them, with every plugin taken to be on: its manifest is not read. */
async function discoverer(context, root) {
  const { scanTree } = await context.core("discovery/scan.js");
  const { createLinkRule } = await context.core("discovery/links.js");
  const { layersOf } = await context.core("discovery/layers.js");
  const { candidatesOf } = await context.core("discovery/candidates.js");
  const { childrenOf, nodeAt } = await context.core("discovery/dir-node.js");
  const places = { root, home: root, homePath: "." };
  const follow = createLinkRule({ ...places, linkRoots: () => [] });
  return () => {
    const tree = scanTree({ ...places, follow });
    const plugins = childrenOf(nodeAt(tree.root, ["usr", "plugins"])).map(([id, node]) => ({
      id,
      origin: "usr",
      node,
      directory: `${root}/usr/plugins/${id}`,
      path: `usr/plugins/${id}`,
    }));
    const layers = layersOf({ ...places, tree, profile: "default", project: undefined, plugins });
    let found = 0;
    for (const kind of FILE_KINDS) found += candidatesOf(kind, layers).length;
    return found;
  };
}

const FILE_KINDS = ["tool", "fragment", "prompt", "extension", "skill", "locale"];
