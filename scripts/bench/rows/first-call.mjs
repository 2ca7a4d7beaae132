import { timesFaster } from "../goals.mjs";
import { openLoads } from "../loads.mjs";

/** The loader alone: what the first call of a tool waits for where nothing is cached. */
export const firstCall = {
  name: "first tool call, empty caches",
  against: "stock jiti",
  unit: "ms",
  rounds: 15,
  goal: () => timesFaster(4),
  setup({ context }) {
    const { cold, stock } = openLoads({ context, count: 1 });
    return { ours: cold, baseline: stock };
  },
};
