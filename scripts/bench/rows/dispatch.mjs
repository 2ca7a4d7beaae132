import { openDirectCall, openDispatching } from "../dispatching.mjs";
import { moreAtMost } from "../goals.mjs";
import { microsecondsEach } from "../harness.mjs";

/** All stages, the log written to a file; the 100 tools beside it are the usual case. */
export const dispatch = {
  name: "dispatch of a trivial tool",
  against: "calling it",
  unit: "µs",
  rounds: 31,
  warmUp: () => 10,
  goal: () => moreAtMost(15, "µs"),
  async setup({ context }) {
    const times = context.smoke ? 10 : 2_000;
    // What receipts and audit add has a row of its own.
    const settings = "audit: {enabled: false}\n";
    const { call, close } = await openDispatching(context, context.smoke ? 2 : 100, settings);
    const direct = await openDirectCall(context);
    return { ours: () => microsecondsEach(times, call), baseline: () => microsecondsEach(times, direct), close };
  },
};
