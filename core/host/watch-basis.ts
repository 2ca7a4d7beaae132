import type { KeptVersions } from "../loading/kept-versions.ts";
import type { Generation } from "./generation.ts";

/** What the directories come of that are watched for a generation. As long as it stays, they do; a save changes none of it. */
export interface WatchBasis {
  readonly lay: object;
  readonly served: ReadonlySet<string>;
  readonly size: number;
  /** What does not load waits for what may appear in other directories; undefined where all loads. */
  readonly waiting: KeptVersions | undefined;
}

/** It does not hold the generation: whoever keeps one keeps all that come after it. */
export function watchBasis({ edition: { lay, texts }, kept }: Generation): WatchBasis {
  const waiting = kept.tools.size + kept.extensions.size > 0 ? kept : undefined;
  return { lay, served: texts.served, size: texts.served.size, waiting };
}

export function isSameBasis(a: WatchBasis, b: WatchBasis): boolean {
  return a.lay === b.lay && a.served === b.served && a.size === b.size && a.waiting === b.waiting;
}
