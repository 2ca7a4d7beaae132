import { partOf } from "../goals.mjs";
import { watchingRow } from "../watching-row.mjs";

export const watchMemory = watchingRow({ name: "watching, memory", unit: "MB", figure: "megabytes", goal: partOf(15) });
