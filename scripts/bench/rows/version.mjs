import { ratioAtMost } from "../goals.mjs";
import { runNode } from "../processes.mjs";

export const version = {
  name: "toolroom --version",
  against: "node -e 0",
  unit: "ms",
  rounds: 31,
  goal: () => ratioAtMost(1.15),
  setup: ({ context }) => ({
    ours: () => runNode([context.cli, "--version"]).ms,
    baseline: () => runNode(["-e", "0"]).ms,
  }),
};
