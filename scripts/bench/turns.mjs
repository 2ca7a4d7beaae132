import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trivialToolText } from "./content.mjs";
import { runChild } from "./processes.mjs";

const TURNS = 1_000;

/**
 * Both sides of a row about 1,000 turns of one session, its transcript on the disk: one process a round tells of its
 * last turns and of its first ones.
 *
 * @param figure `ms`: of a turn, the median; `megabytes`: the heap in use after it
 */
export function sidesOfTurns(context, figure) {
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
