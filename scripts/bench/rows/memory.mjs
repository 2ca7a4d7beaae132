import { moreAtMost } from "../goals.mjs";
import { runChild } from "../processes.mjs";

const PLUGINS = 1_000;
const TOOL_BYTES = 100_000;

/** 2,000 modules of 100 KB that nobody calls (200 MB of text) against 2,000 of 1 KB. */
export const memory = {
  name: "heap of a host after list, tools of 100 KB",
  against: "tools of 1 KB",
  unit: "MB",
  rounds: 9,
  goal: () => moreAtMost(0.5, "MB"),
  setup({ context }) {
    const plugins = context.smoke ? 10 : PLUGINS;
    const heap = ({ root }) => runChild(context.child("heap-after-list"), [context.built(""), root]).megabytes;
    const large = context.ownTree({ plugins, toolBytes: TOOL_BYTES });
    const small = context.ownTree({ plugins });
    return { ours: () => heap(large), baseline: () => heap(small) };
  },
};
