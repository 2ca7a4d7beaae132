/** What the model is given of the results of one turn, in bytes of UTF-8. */
export const MAX_TURN_BYTES = 200 * 1024;

/** More is cut off than is needed: else every further result would change the ones before it again. */
const TARGET_BYTES = 150 * 1024;

/** Shorter ends of a result tell nothing. */
const MIN_CAP_BYTES = 512;

/**
 * How long a result of a turn may be.
 *
 * @param sizes bytes of the turn's results
 * @returns the length to which the largest are shortened; undefined while all of them fit
 */
export function turnCap(sizes: readonly number[]): number | undefined {
  if (sizes.reduce((sum, size) => sum + size, 0) <= MAX_TURN_BYTES) return undefined;
  let room = TARGET_BYTES;
  let left = sizes.length;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size * left > room) break;
    room -= size;
    left--;
  }
  return Math.max(MIN_CAP_BYTES, Math.floor(room / left));
}
