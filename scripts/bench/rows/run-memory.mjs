import { atMost } from "../goals.mjs";
import { peakMegabytes } from "../processes.mjs";
import { readmeQuestion } from "../readme-question.mjs";

export const runMemory = {
  name: "toolroom run, the README's question, peak memory",
  against: "node -e 0",
  unit: "MB",
  goal: () => atMost(110, "MB"),
  setup({ context }) {
    const { args, options } = readmeQuestion(context);
    return {
      ours: () => peakMegabytes(args, options),
      baseline: () => peakMegabytes(["-e", "0"]),
    };
  },
};
