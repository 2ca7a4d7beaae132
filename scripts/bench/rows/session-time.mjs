import { ratioAtMost } from "../goals.mjs";
import { sidesOfTurns } from "../turns.mjs";

export const sessionTime = {
  name: "the last of 1,000 turns in one session",
  against: "the first",
  unit: "ms",
  rounds: 9,
  warmUp: () => 0,
  goal: () => ratioAtMost(1.5),
  setup: ({ context }) => sidesOfTurns(context, "ms"),
};
