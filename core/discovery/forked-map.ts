/** A map whose forks begin with what it holds, without a copy: a generation differs from the one before in little. */
export interface ForkedMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  /** All of them, in no order. */
  keys(): readonly Key[];
  /** Another one that holds the same; what happens to one from then on does not happen to the other. */
  fork(): ForkedMap<Key, Value>;
}

/** So many differences are looked up beside what is shared, before it is all put together anew. */
const FEWEST_APART = 32;

export function createForkedMap<Key, Value extends object>(
  shared: ReadonlyMap<Key, Value> = new Map(),
  apart: ReadonlyMap<Key, Value | undefined> = new Map(),
): ForkedMap<Key, Value> {
  let common = shared;
  /** What differs from that; undefined: it is not there. */
  let own = new Map(apart);

  const together = (): Map<Key, Value> => {
    const all = new Map(common);
    for (const [key, value] of own) {
      if (value) all.set(key, value);
      else all.delete(key);
    }
    return all;
  };

  return {
    get: (key) => (own.has(key) ? own.get(key) : common.get(key)),
    set: (key, value) => void own.set(key, value),
    delete(key) {
      if (common.has(key)) own.set(key, undefined);
      else own.delete(key);
    },
    keys: () => [...(own.size === 0 ? common : together()).keys()],
    fork() {
      if (own.size > Math.max(FEWEST_APART, common.size / 8)) {
        common = together();
        own = new Map();
      }
      return createForkedMap(common, own);
    },
  };
}
