import { ratioAtMost } from "../goals.mjs";
import { openScanning, SCANNING, sidesOfScanning } from "../scanning.mjs";

/** From nothing to the paths of every kind: no index, no times, and no file is opened. */
export const discoveryScan = {
  ...SCANNING,
  name: "discovery",
  goal: (size) => ratioAtMost(size <= 100 ? 1.4 : 1.3),
  async setup({ context, size }) {
    const tree = context.tree({ plugins: size });
    const discover = await discoverer(context, tree.root);
    const found = discover();
    const expected = tree.tools.length + tree.fragments.length;
    if (found !== expected) throw new Error(`expected ${expected} candidates, found ${found}`);
    return sidesOfScanning(discover, tree);
  },
};

/** Scan, layers and candidates as a view makes them, with every plugin taken to be on: its manifest is not read. */
async function discoverer(context, root) {
  const { scanTree, options } = await openScanning(context, root);
  const { layersOf } = await context.core("discovery/layers.js");
  const { candidatesOf } = await context.core("discovery/candidates.js");
  const { childrenOf, nodeAt } = await context.core("discovery/dir-node.js");
  const places = { ...options, homePath: "." };
  return () => {
    const tree = scanTree(places);
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
