import { timesFaster } from "../goals.mjs";
import { openLoads } from "../loads.mjs";

export const coldLoad = {
  name: "cold load",
  against: "stock jiti, no caches",
  unit: "ms",
  of: "modules",
  sizes: [1_000],
  smokeSizes: [4],
  rounds: 9,
  warmUp: () => 0,
  goal: () => timesFaster(8),
  setup({ context, size }) {
    const { cold, stock } = openLoads({ context, count: size });
    return { ours: cold, baseline: stock };
  },
};
