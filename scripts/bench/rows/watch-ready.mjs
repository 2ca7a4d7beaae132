import { timesFaster } from "../goals.mjs";
import { watchingRow } from "../watching-row.mjs";

export const watchReady = watchingRow({
  name: "watching, until ready",
  unit: "ms",
  figure: "ms",
  goal: timesFaster(30),
});
