import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trivialToolText } from "../content.mjs";
import { atMost } from "../goals.mjs";
import { runChild } from "../processes.mjs";

const RELOADS = 2_000;

/** What is left of a reload in the heap, when the last twenty generations are remembered before and after. */
export const reloadHeap = {
  name: "heap left by each of 2,000 reloads",
  against: "nothing",
  unit: "KB",
  rounds: 9,
  warmUp: () => 0,
  goal: () => atMost(0.5, "KB"),
  setup({ context }) {
    return {
      ours() {
        const { root } = context.ownTree({ plugins: 2 });
        mkdirSync(join(root, "usr/tools"));
        const file = join(root, "usr/tools/trivial.ts");
        writeFileSync(file, trivialToolText());
        const reloads = String(context.smoke ? 2 : RELOADS);
        return runChild(context.child("reloads"), [context.built(""), root, file, reloads]).perReload;
      },
      baseline: () => 0,
    };
  },
};
