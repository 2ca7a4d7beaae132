import { timesFaster } from "../goals.mjs";
import { openPrompting } from "../prompting.mjs";

/** The assembly of the prompt after one fragment was written anew and reported. */
export const promptChanged = {
  name: "prompt, one fragment changed",
  against: "building it all",
  unit: "ms",
  of: "fragments",
  sizes: [1_000],
  smokeSizes: [4],
  rounds: 15,
  warmUp: () => 3,
  goal: () => timesFaster(60),
  async setup({ context, size }) {
    const { again, change, fromNothing } = await openPrompting(context, size);
    await again();
    return {
      async ours() {
        const words = change();
        const start = performance.now();
        const { text } = await again();
        const ms = performance.now() - start;
        if (!text.includes(words)) throw new Error(`expected the changed fragment in the prompt: ${words}`);
        return ms;
      },
      baseline: fromNothing,
    };
  },
};
