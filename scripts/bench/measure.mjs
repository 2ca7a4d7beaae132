import { interleave, median } from "./harness.mjs";

/** How often each side is measured: medians of fewer rounds move from run to run. */
const ROUNDS = 11;

/**
 * Measures one row at one size.
 *
 * A row is `{name, against, unit, goal(size), setup({context, size}), sizes?, smokeSizes?, of?, rounds?, warmUp?(size),
 * counted?}`; `counted`: it counts what happens in one long round, and times nothing.
 * `setup` returns (a promise of) `{ours, baseline, close?}`; both sides are functions that return one number in `unit`.
 *
 * @returns `{name, against, unit, ours, baseline, ratio, goal, holds, rounds, samples}`: medians, and the samples
 *   that they come from
 */
export async function measure(row, { name, size, context }) {
  const { smoke } = context;
  const rounds = smoke ? 1 : (row.rounds ?? ROUNDS);
  const sides = await row.setup({ context, size });
  try {
    const samples = await interleave(sides, { rounds, warmUp: smoke ? 0 : (row.warmUp?.(size) ?? 1) });
    const medians = { ours: median(samples.ours), baseline: median(samples.baseline) };
    const goal = row.goal(size);
    return {
      name,
      against: row.against,
      unit: row.unit,
      ...medians,
      ratio: goal.ratio(medians),
      goal: goal.text,
      holds: goal.holds(medians),
      rounds,
      samples,
    };
  } finally {
    await sides.close?.();
  }
}
