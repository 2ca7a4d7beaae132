import { look } from "../discovery/look.ts";
import { hashAt } from "../discovery/texts.ts";

/**
 * What a file was like when it was loaded: its content hash, and the change time and size that vouch for the
 * hash without reading. The change time moves with every write, also with one that sets the other times back.
 * A directory has an empty hash: its change time is all that counts, another entry in it makes it outdated.
 */
export interface Stamp {
  readonly path: string;
  readonly hash: string;
  /** 0 = the content has to be read to know. */
  ctimeMs: number;
  size: number;
}

/** Checks stamps against the disk. */
export interface StampChecker {
  /** Whether the file still has the content of the stamp. */
  isCurrent(stamp: Stamp): boolean;
  /** Whether checks since the last question found times that spare the next process the reading. */
  takeImproved(): boolean;
}

/** A file that changes again within this time may keep its change time and size: they vouch for nothing yet. */
const RACY_MS = 2_000;

/**
 * The stamp of a file.
 * @param hash of the text that was loaded, where that is known: the file may have changed since
 */
export function takeStamp(path: string, hash: string | undefined): Stamp {
  return { path, hash: hash ?? hashAt(path) ?? "gone", ctimeMs: 0, size: 0 };
}

/** The stamp of a directory, or of one that is not there: it holds as long as that stays so. */
export function takeDirectoryStamp(path: string): Stamp {
  return { path, hash: "", ctimeMs: look(path)?.ctimeMs ?? 0, size: 0 };
}

/** A checker; within one pass over many tools it looks at each stamp once. */
export function createStampChecker(): StampChecker {
  const checked = new Map<Stamp, boolean>();
  let improved = false;

  const check = (stamp: Stamp): boolean => {
    const stat = look(stamp.path);
    if (stamp.hash === "") return (stat?.ctimeMs ?? 0) === stamp.ctimeMs;
    if (!stat) return false;
    const { ctimeMs, size } = stat;
    if (ctimeMs === stamp.ctimeMs && size === stamp.size) return true;
    if (hashAt(stamp.path) !== stamp.hash) return false;
    if (Date.now() - ctimeMs > RACY_MS) {
      stamp.ctimeMs = ctimeMs;
      stamp.size = size;
      improved = true;
    }
    return true;
  };

  return {
    isCurrent: (stamp) => {
      const known = checked.get(stamp);
      if (known !== undefined) return known;
      if (checked.size === 0) queueMicrotask(() => checked.clear());
      const current = check(stamp);
      checked.set(stamp, current);
      return current;
    },
    takeImproved: () => {
      const found = improved;
      improved = false;
      return found;
    },
  };
}
