import { openCommands } from "../commands.mjs";
import { moreAtMost } from "../goals.mjs";

/** For information: name spaces and mounts of its own for each command, most of it the sandbox's own time. */
export const shellSandboxed = {
  name: "shell true in a sandbox",
  against: "spawn",
  unit: "ms",
  rounds: 11,
  warmUp: () => 3,
  goal: () => moreAtMost(250, "ms"),
  setup: async ({ context }) => await openCommands(context, "required"),
};
