import { atMost } from "../goals.mjs";
import { watchingRow } from "../watching-row.mjs";

export const watchIdle = watchingRow({
  name: "watching, idle CPU",
  unit: "%",
  figure: "cpu",
  goal: atMost(0.5, "%"),
  sizes: [1_000],
  idle: 5,
});
