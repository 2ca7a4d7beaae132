import { median } from "../harness.mjs";
import { openSaving, openStockSaving } from "../saving.mjs";

const SAVES = 20;

/** A save by another process, until a call answers with what was saved: the median, and the slow ones. */
export const saveCallable = savesRow({
  name: "save → callable",
  figure: median,
  goal: {
    text: "≥ 3× faster, ≤ 7 ms",
    ratio: ({ ours, baseline }) => baseline / ours,
    holds: ({ ours, baseline }) => baseline / ours >= 3 && ours <= 7,
  },
});

export const saveCallableSlow = savesRow({
  name: "save → callable, 95th percentile",
  figure: (values) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1],
  goal: {
    text: "≤ 12 ms",
    ratio: ({ ours, baseline }) => baseline / ours,
    holds: ({ ours }) => ours <= 12,
  },
});

function savesRow({ name, figure, goal }) {
  return {
    name,
    against: "stock jiti, same events",
    unit: "ms",
    sizes: [100],
    smokeSizes: [2],
    rounds: 5,
    goal: () => goal,
    async setup({ context, size }) {
      const [ours, stock] = [await openSaving(context, { plugins: size }), await openStockSaving(context)];
      const figureOf = async (save) => {
        const times = [];
        for (let index = 0; index < (context.smoke ? 1 : SAVES); index++) times.push(await save());
        return figure(times);
      };
      return {
        ours: () => figureOf(ours.save),
        baseline: () => figureOf(stock.save),
        async close() {
          await ours.close();
          await stock.close();
        },
      };
    },
  };
}
