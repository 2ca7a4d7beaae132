import { ratioAtMost } from "../goals.mjs";
import { runNode } from "../processes.mjs";
import { readmeQuestion } from "../readme-question.mjs";

/** Warm: the caches are those of an earlier run. */
export const runTime = {
  name: "toolroom run, the README's question, offline model",
  against: "node -e 0",
  unit: "ms",
  goal: () => ratioAtMost(5),
  setup({ context }) {
    const { args, options } = readmeQuestion(context);
    return {
      ours: () => runNode(args, options).ms,
      baseline: () => runNode(["-e", "0"]).ms,
    };
  },
};
