import { openCommands } from "../commands.mjs";
import { moreAtMost } from "../goals.mjs";

/** A command that does nothing: all that is measured is what stands around it. */
export const shell = {
  name: "shell true",
  against: "spawn",
  unit: "ms",
  rounds: 31,
  warmUp: () => 3,
  goal: () => moreAtMost(4, "ms"),
  setup: async ({ context }) => await openCommands(context, "none"),
};
