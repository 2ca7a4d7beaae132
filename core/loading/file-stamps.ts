import { readFileSync, statSync } from "node:fs";
import { contentHash } from "./transform-cache.ts";

/**
 * What a file was like when it was loaded: its content hash, and the times and size that vouch for the hash
 * without reading. A directory has an empty hash: its time is all that counts.
 */
export interface Stamp {
  readonly path: string;
  readonly hash: string;
  mtimeMs: number;
  ctimeMs: number;
  size: number;
  /** When the content was last found to be that of `hash`; 0 = not yet. */
  seenMs: number;
}

/** A stamp in a cache file. */
export type StampRow = readonly [
  path: string,
  hash: string,
  mtimeMs: number,
  ctimeMs: number,
  size: number,
  seenMs: number,
];

/** Checks stamps against the disk. */
export interface StampChecker {
  /** Whether the file still has the content of the stamp. */
  isCurrent(stamp: Stamp): boolean;
  /** Whether checks since the last question found times that spare the next process the reading. */
  takeImproved(): boolean;
}

/** A file that changes again within this time may keep its times and size: they vouch for nothing yet. */
const RACY_MS = 2_000;

/**
 * The stamp of a file.
 * @param hash of the text that was loaded, where that is known: the file may have changed since
 */
export function takeStamp(path: string, hash: string | undefined): Stamp {
  return stampOf(path, hash ?? hashOfFile(path) ?? "gone");
}

/** The stamp of a directory: another entry in it makes it outdated. */
export function takeDirectoryStamp(path: string): Stamp {
  return stampOf(path, "");
}

/** A checker; within one pass over many tools it looks at each file once. */
export function createStampChecker(): StampChecker {
  const checked = new Map<string, boolean>();
  let improved = false;

  const check = (stamp: Stamp): boolean => {
    const stat = statSync(stamp.path, { throwIfNoEntry: false });
    if (!stat) return false;
    if (stamp.hash === "") return stat.mtimeMs === stamp.mtimeMs && stat.isDirectory();
    const same = stat.mtimeMs === stamp.mtimeMs && stat.ctimeMs === stamp.ctimeMs && stat.size === stamp.size;
    if (same && isSettled(stamp)) return true;
    if (hashOfFile(stamp.path) !== stamp.hash) return false;
    const { mtimeMs, ctimeMs, size } = stat;
    Object.assign(stamp, { mtimeMs, ctimeMs, size, seenMs: Date.now() });
    improved ||= isSettled(stamp);
    return true;
  };

  return {
    isCurrent: (stamp) => {
      const key = `${stamp.path}\0${stamp.hash}`;
      const known = checked.get(key);
      if (known !== undefined) return known;
      if (checked.size === 0) queueMicrotask(() => checked.clear());
      const current = check(stamp);
      checked.set(key, current);
      return current;
    },
    takeImproved: () => {
      const found = improved;
      improved = false;
      return found;
    },
  };
}

export function toRow({ path, hash, mtimeMs, ctimeMs, size, seenMs }: Stamp): StampRow {
  return [path, hash, mtimeMs, ctimeMs, size, seenMs];
}

/** undefined for what is no row. */
export function fromRow(row: unknown): Stamp | undefined {
  if (!Array.isArray(row) || row.length !== 6) return undefined;
  const [path, hash, mtimeMs, ctimeMs, size, seenMs] = row as unknown as StampRow;
  const numbers = [mtimeMs, ctimeMs, size, seenMs].every((field) => typeof field === "number");
  return typeof path === "string" && typeof hash === "string" && numbers
    ? { path, hash, mtimeMs, ctimeMs, size, seenMs }
    : undefined;
}

function stampOf(path: string, hash: string): Stamp {
  const stat = statSync(path, { throwIfNoEntry: false });
  return { path, hash, mtimeMs: stat?.mtimeMs ?? 0, ctimeMs: stat?.ctimeMs ?? 0, size: stat?.size ?? 0, seenMs: 0 };
}

function isSettled({ mtimeMs, ctimeMs, seenMs }: Stamp): boolean {
  return seenMs - Math.max(mtimeMs, ctimeMs) > RACY_MS;
}

/** The hash of what a file holds now; undefined for one that cannot be read: it has no content that a stamp could vouch for. */
export function hashOfFile(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return contentHash(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
