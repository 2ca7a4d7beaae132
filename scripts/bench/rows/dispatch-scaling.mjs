import { openDispatching } from "../dispatching.mjs";
import { within } from "../goals.mjs";
import { microsecondsEach } from "../harness.mjs";

export const dispatchScaling = {
  name: "dispatch, the same",
  against: "among 10 tools",
  unit: "µs",
  of: "tools",
  sizes: [10_000],
  smokeSizes: [20],
  rounds: 31,
  warmUp: () => 10,
  goal: () => within(10),
  async setup({ context, size }) {
    const times = context.smoke ? 10 : 2_000;
    const many = await openDispatching(context, size);
    const few = await openDispatching(context, 10);
    return {
      ours: () => microsecondsEach(times, many.call),
      baseline: () => microsecondsEach(times, few.call),
      close: async () => {
        await many.close();
        await few.close();
      },
    };
  },
};
