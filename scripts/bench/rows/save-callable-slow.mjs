import { atMost } from "../goals.mjs";
import { savesRow } from "../saves-row.mjs";

export const saveCallableSlow = savesRow({
  name: "save → callable, 95th percentile",
  figure: (values) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1],
  goal: atMost(12, "ms"),
});
