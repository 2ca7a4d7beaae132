import { median } from "../harness.mjs";
import { savesRow } from "../saves-row.mjs";

export const saveCallable = savesRow({
  name: "save → callable",
  figure: median,
  goal: {
    text: "≥ 3× faster, ≤ 7 ms",
    ratio: ({ ours, baseline }) => baseline / ours,
    holds: ({ ours, baseline }) => baseline / ours >= 3 && ours <= 7,
  },
});
