import { compareText } from "../diagnostics.ts";

/** Paths to look at now: each once, sorted. */
export interface ChangeBatch {
  readonly paths: readonly string[];
  /** A second look at what was given before and not offered since: compare stamps, and most often do nothing. */
  readonly again: boolean;
}

/** What {@link ChangeQueue.due} answers. */
export interface DueChanges {
  /** In the order in which to take them; mostly none or one. */
  readonly batches: readonly ChangeBatch[];
  /** The time on the caller's clock at which to ask again; absent = nothing waits. */
  readonly next?: number;
}

/** Decides when changed paths are looked at. It has no timer and no clock: the caller brings the time. */
export interface ChangeQueue {
  /**
   * A path may have changed. Ask {@link due} right after.
   * @param isSave whether all is there that there is to see; else it is never the first to be due. Default true.
   */
  offer(path: string, now: number, isSave?: boolean): void;
  /** Whether nothing waits and nothing was offered for a while. */
  isQuiet(now: number): boolean;
  /** What is to be looked at now. What was answered once is not answered again. */
  due(now: number): DueChanges;
}

/** Options of {@link createChangeQueue}, in ms. */
export interface ChangeQueueOptions {
  /** How long nothing is offered until a burst counts as over. Default 60. */
  readonly quietMs?: number;
  /** How long the first path of a burst waits at most. Default 1,000. */
  readonly longestMs?: number;
}

/**
 * The rules:
 *
 * - After a quiet period the first path is due at once, so that a single save is acted on at once. What is gone, or is a
 *   directory, is not: more may come or go with it, or it is about to be written again. Neither is what is gone and
 *   comes back.
 * - What comes while it is not quiet is gathered: one batch when it has been quiet for `quietMs`, at the latest
 *   `longestMs` after the first that was gathered.
 * - Every path of a batch is given once more `quietMs` later, unless it is offered before that: a writer may have
 *   been half-way when it was looked at, and the event of its end may be lost.
 *
 * The times given must not go backwards.
 */
export function createChangeQueue({ quietMs = 60, longestMs = 1_000 }: ChangeQueueOptions = {}): ChangeQueue {
  const waiting = new Set<string>();
  let firstWaiting = 0;
  let lastOffer = Number.NEGATIVE_INFINITY;
  /** It was quiet before the first of those that wait. */
  let isBegin = false;
  /** The first save of a burst is among those that wait: they all are due. */
  let leads = false;
  /** When a path is given once more; the earliest first, since all wait equally long. */
  const looks = new Map<string, number>();

  const waitingDue = (): number => (leads ? firstWaiting : Math.min(firstWaiting + longestMs, lastOffer + quietMs));

  const isQuiet = (now: number): boolean => waiting.size === 0 && now - lastOffer >= quietMs;

  return {
    isQuiet,

    offer: (path, now, isSave = true) => {
      if (waiting.size === 0) {
        firstWaiting = now;
        isBegin = isQuiet(now);
        leads = false;
      }
      leads ||= isBegin && isSave && !waiting.has(path);
      waiting.add(path);
      lastOffer = now;
      looks.delete(path);
    },

    due: (now) => {
      const batches: ChangeBatch[] = [];
      if (waiting.size > 0 && waitingDue() <= now) {
        batches.push({ paths: [...waiting].sort(compareText), again: false });
        for (const path of waiting) looks.set(path, now + quietMs);
        waiting.clear();
      }
      const again: string[] = [];
      for (const [path, at] of looks) {
        if (at > now) break;
        again.push(path);
      }
      for (const path of again) looks.delete(path);
      if (again.length > 0) batches.push({ paths: again.sort(compareText), again: true });

      const times = [...(waiting.size > 0 ? [waitingDue()] : []), ...firstOf(looks)];
      return times.length === 0 ? { batches } : { batches, next: Math.min(...times) };
    },
  };
}

function firstOf(looks: ReadonlyMap<string, number>): number[] {
  for (const at of looks.values()) return [at];
  return [];
}
