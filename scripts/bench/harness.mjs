/** The median of some numbers; of an even count the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs both sides in turn, A B A B …, so that a busy machine or a clock that slows down hits both alike.
 * Each side returns its own measure: what it prepares before is not in it.
 *
 * @param sides `ours` and `baseline`: functions that return (a promise of) one number
 * @param options `rounds`: how often each is measured; `warmUp`: how often each runs unmeasured before that
 * @returns the samples of each side, in the order in which they were taken
 */
export async function interleave({ ours, baseline }, { rounds, warmUp }) {
  for (let round = 0; round < warmUp; round++) {
    await ours();
    await baseline();
  }
  const samples = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round++) {
    samples.ours.push(await ours());
    samples.baseline.push(await baseline());
  }
  return samples;
}

/** Milliseconds that a synchronous function takes. */
export function milliseconds(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Microseconds of one of `times` calls made one after the other, each awaited. */
export async function microsecondsEach(times, run) {
  const start = performance.now();
  for (let index = 0; index < times; index++) await run(index);
  return ((performance.now() - start) * 1000) / times;
}
