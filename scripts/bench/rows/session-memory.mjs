import { moreAtMost } from "../goals.mjs";
import { sidesOfTurns } from "../turns.mjs";

export const sessionMemory = {
  name: "heap after 1,000 turns in one session",
  against: "after the first",
  unit: "MB",
  rounds: 9,
  warmUp: () => 0,
  goal: () => moreAtMost(30, "MB"),
  setup: ({ context }) => sidesOfTurns(context, "megabytes"),
};
