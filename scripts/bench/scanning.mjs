import { milliseconds } from "./harness.mjs";
import { readNames } from "./trees.mjs";

/** What rows about looking at a tree have in common. */
export const SCANNING = {
  against: "readdir of the same directories",
  unit: "ms",
  sizes: [100, 1_000, 10_000],
  smokeSizes: [10],
  rounds: 31,
  // Small trees take many runs until the engine has compiled what it will.
  warmUp: (size) => (size > 1_000 ? 3 : 30),
};

/** Both sides of such a row. */
export function sidesOfScanning(look, { directories }) {
  return { ours: () => milliseconds(look), baseline: () => milliseconds(() => readNames(directories)) };
}

/** The scan and its rule for links, over one root that is its own home. */
export async function openScanning(context, root) {
  const { scanTree } = await context.core("discovery/scan.js");
  const { createLinkRule } = await context.core("discovery/links.js");
  const places = { root, home: root };
  return { scanTree, options: { ...places, follow: createLinkRule({ ...places, linkRoots: () => [] }) } };
}
