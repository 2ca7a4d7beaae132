import { ratioAtMost } from "../goals.mjs";
import { openLoads } from "../loads.mjs";

export const warmLoad = {
  name: "warm load",
  against: "native import of built .mjs, in sequence",
  unit: "ms",
  of: "modules",
  sizes: [1_000],
  smokeSizes: [4],
  goal: () => ratioAtMost(0.6),
  setup({ context, size }) {
    const { warm, native } = openLoads({ context, count: size });
    // Fills the cache.
    warm();
    return { ours: warm, baseline: native };
  },
};
