import type { Generation } from "./generation.ts";
import type { Generations } from "./generations.ts";

/** A hold on an earlier generation, for as long as its taker likes. */
export interface RevivedHold {
  readonly generation: Generation;
  /** Lets go; twice is once. */
  release(): void;
}

/** The earlier generations that somebody stays with. */
export interface Revived {
  /** @throws HostError GENERATION_UNKNOWN (usage), HOST_CLOSED */
  hold(number: number): RevivedHold;
}

/** @param revive makes a generation again; each is made once for all who hold it at the same time */
export function createRevived(generations: Generations, revive: (number: number) => Generation): Revived {
  const held = new Map<number, { readonly generation: Generation; holders: number; leave(): void }>();

  const take = (number: number) => {
    const known = held.get(number);
    if (known) return known;
    generations.requireOpen();
    const generation = revive(number);
    const fresh = { generation, holders: 0, leave: generations.adopt(generation) };
    held.set(number, fresh);
    return fresh;
  };

  return {
    hold(number) {
      const taken = take(number);
      taken.holders += 1;
      let isHeld = true;
      return {
        generation: taken.generation,
        release() {
          if (!isHeld) return;
          isHeld = false;
          taken.holders -= 1;
          if (taken.holders > 0) return;
          held.delete(number);
          taken.leave();
        },
      };
    },
  };
}
