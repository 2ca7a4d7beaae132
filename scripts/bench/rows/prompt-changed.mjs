import { timesFaster } from "../goals.mjs";
import { millisecondsUntil } from "../harness.mjs";
import { openPrompting } from "../prompting.mjs";

/** One fragment was written anew and the directories were read again: the assembly of the prompt after that. */
export const promptChanged = {
  name: "prompt, one fragment changed",
  against: "building it all",
  unit: "ms",
  of: "fragments",
  sizes: [1_000],
  smokeSizes: [4],
  rounds: 15,
  warmUp: 3,
  goal: () => timesFaster(60),
  async setup({ context, size }) {
    const { assemble, change, createPrompts } = await openPrompting(context, size);
    await assemble();
    return {
      async ours() {
        const words = change();
        let prompt;
        const ms = await millisecondsUntil(async () => {
          prompt = await assemble();
        });
        if (!prompt.text.includes(words)) throw new Error(`expected the changed fragment in the prompt: ${words}`);
        return ms;
      },
      baseline: async () => await millisecondsUntil(() => assemble(createPrompts())),
    };
  },
};
