import { openSaving, openStockSaving } from "./saving.mjs";

const SAVES = 12;

/**
 * A row about saves by another process, each until a call answers with what was saved.
 *
 * @param options `name`, `goal`; `figure`: makes one number of the milliseconds of some saves
 */
export function savesRow({ name, figure, goal }) {
  return {
    name,
    against: "stock jiti, same events",
    unit: "ms",
    sizes: [100],
    smokeSizes: [2],
    rounds: 9,
    goal: () => goal,
    async setup({ context, size }) {
      // First the one that has the example alone: what is wrong with it shows before a host watches.
      const stock = await openStockSaving(context);
      const ours = await openSaving(context, { plugins: size });
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
