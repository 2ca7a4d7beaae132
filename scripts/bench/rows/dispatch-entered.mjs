import { openDirectCall, openDispatching } from "../dispatching.mjs";
import { moreAtMost } from "../goals.mjs";
import { microsecondsEach } from "../harness.mjs";

/** All stages, the log written to a file, each call entered in the ledger, which is signed meanwhile, and its decision in the audit log. */
export const dispatchEntered = {
  name: "dispatch with receipts and audit",
  against: "calling it",
  unit: "µs",
  rounds: 31,
  warmUp: () => 10,
  goal: () => moreAtMost(100, "µs"),
  async setup({ context }) {
    const times = context.smoke ? 10 : 2_000;
    const tools = context.smoke ? 2 : 100;
    const { call, close } = await openDispatching(
      context,
      tools,
      "receipts: {enabled: true}\naudit: {enabled: true}\n",
    );
    const direct = await openDirectCall(context);
    return { ours: () => microsecondsEach(times, call), baseline: () => microsecondsEach(times, direct), close };
  },
};
