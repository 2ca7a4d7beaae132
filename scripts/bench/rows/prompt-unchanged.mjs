import { atMost } from "../goals.mjs";
import { microsecondsEach } from "../harness.mjs";
import { openPrompting } from "../prompting.mjs";

/** What files make of the same prompt again, as before each question to the model. */
export const promptUnchanged = {
  name: "prompt, nothing changed",
  against: "building it all",
  unit: "µs",
  of: "fragments",
  sizes: [1_000],
  smokeSizes: [4],
  warmUp: () => 3,
  goal: () => atMost(5, "µs"),
  async setup({ context, size }) {
    const { again, fromNothing } = await openPrompting(context, size);
    await again();
    return {
      ours: () => microsecondsEach(10_000, again),
      baseline: async () => (await fromNothing()) * 1_000,
    };
  },
};
