import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trivialToolText } from "../content.mjs";
import { moreAtMost, ratioAtMost } from "../goals.mjs";
import { runChild } from "../processes.mjs";

const TURNS = 1_000;

/** One process a round: it tells of its first turns and of its last ones, so both sides are of one run. */
function turnsIn(context, figure) {
  const { root } = context.ownTree({ plugins: 2 });
  mkdirSync(join(root, "usr/tools"));
  writeFileSync(join(root, "usr/tools/trivial.ts"), trivialToolText());
  let told;
  return {
    ours() {
      told = runChild(context.child("turns"), [context.built(""), root, String(context.smoke ? 1 : TURNS)]);
      return told.last[figure];
    },
    baseline: () => told.first[figure],
  };
}

/** The last of 1,000 turns of one session, with its transcript on the disk, against the first. */
export const sessionTime = {
  name: "the last of 1,000 turns in one session",
  against: "the first",
  unit: "ms",
  rounds: 9,
  warmUp: () => 0,
  goal: () => ratioAtMost(1.5),
  setup: ({ context }) => turnsIn(context, "ms"),
};

/** What 1,000 turns of one session leave in the heap. */
export const sessionMemory = {
  name: "heap after 1,000 turns in one session",
  against: "after the first",
  unit: "MB",
  rounds: 9,
  warmUp: () => 0,
  goal: () => moreAtMost(30, "MB"),
  setup: ({ context }) => turnsIn(context, "megabytes"),
};
