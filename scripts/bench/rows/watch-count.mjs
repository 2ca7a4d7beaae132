import { partOf } from "../goals.mjs";
import { watchingRow } from "../watching-row.mjs";

export const watchCount = watchingRow({
  name: "watching, watches of the system",
  unit: "watches",
  figure: "watches",
  goal: partOf(100),
});
