import { moreAtMost } from "../goals.mjs";
import { openSaving } from "../saving.mjs";

/** The next probing process starts after a save: it has to be ready for the one after. */
const REST_MS = 900;

/** What it costs that a changed module is tried out first. */
export const probeAdds = {
  name: "save → callable with a probe",
  against: "without",
  unit: "ms",
  rounds: 9,
  goal: () => moreAtMost(150, "ms"),
  async setup({ context }) {
    const [ours, plain] = [
      await openSaving(context, { plugins: 2, probe: true }),
      await openSaving(context, { plugins: 2 }),
    ];
    return {
      ours: () => ours.save({ restMs: REST_MS }),
      baseline: () => plain.save(),
      async close() {
        await ours.close();
        await plain.close();
      },
    };
  },
};
