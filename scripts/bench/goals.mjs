/**
 * What a row has to hold. `ratio` is the figure of the table's column, `holds` decides; both are given the
 * medians `{ours, baseline}`.
 */

/** Ours may take at most `limit` times what the baseline takes. */
export function ratioAtMost(limit) {
  return {
    text: `≤ ${limit}`,
    ratio: (medians) => medians.ours / medians.baseline,
    holds: ({ ours, baseline }) => ours / baseline <= limit,
  };
}

/** Ours may be at most one part in `parts` of the baseline. */
export function partOf(parts) {
  return { ...ratioAtMost(1 / parts), text: `≤ 1/${parts}` };
}

/** Ours must be at least `factor` times faster: the ratio is baseline / ours. */
export function timesFaster(factor) {
  return {
    text: `≥ ${factor}× faster`,
    ratio: ({ ours, baseline }) => baseline / ours,
    holds: ({ ours, baseline }) => baseline / ours >= factor,
  };
}

/** Ours may be at most `limit` above the baseline, in the unit of the row. */
export function moreAtMost(limit, unit) {
  return {
    text: `≤ ${limit} ${unit} more`,
    ratio: (medians) => medians.ours / medians.baseline,
    holds: ({ ours, baseline }) => ours - baseline <= limit,
  };
}

/** Ours may be at most `limit`, whatever the baseline. */
export function atMost(limit, unit) {
  return {
    text: `≤ ${limit} ${unit}`,
    ratio: (medians) => medians.ours / medians.baseline,
    holds: ({ ours }) => ours <= limit,
  };
}

/** Ours must be the baseline, give or take `percent`. */
export function within(percent) {
  return {
    text: `± ${percent} %`,
    ratio: (medians) => medians.ours / medians.baseline,
    holds: ({ ours, baseline }) => Math.abs(ours / baseline - 1) <= percent / 100,
  };
}
