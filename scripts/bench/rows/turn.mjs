import { openDirectCall, openDispatching } from "../dispatching.mjs";
import { moreAtMost } from "../goals.mjs";

/** Everything around one call: a new agent, two questions to the offline model, prompt words, dispatch, history, log. */
export const turn = {
  name: "offline turn with one tool call",
  against: "calling the tool",
  unit: "ms",
  rounds: 21,
  warmUp: () => 10,
  goal: () => moreAtMost(5, "ms"),
  async setup({ context }) {
    const times = context.smoke ? 1 : 20;
    const { run, close } = await openDispatching(context, context.smoke ? 2 : 100);
    const direct = await openDirectCall(context);
    const each = (act) => async () => {
      const start = performance.now();
      for (let index = 0; index < times; index++) await act();
      return (performance.now() - start) / times;
    };
    return { ours: each(run), baseline: each(direct), close };
  },
};
