import type { Stats } from "node:fs";
import { compareText } from "../diagnostics.ts";
import { contentOf, type TreePlaces } from "./content-files.ts";
import type { Tree } from "./dir-node.ts";
import { signature } from "./listing.ts";
import { look } from "./look.ts";

/** Times and size of files, by display path. */
export type Stamps = ReadonlyMap<string, string>;

/** One look at the disk, as {@link changesBetween} compares it. */
export interface Look {
  readonly tree: Tree;
  /** When it began, in ms since the epoch. */
  readonly startedAt: number;
  /** Without them all that was written about when it began counts as written since. */
  readonly stamps?: Stamps | undefined;
}

/** What {@link changesBetween} found. */
export interface Changes {
  /** Display paths of content files that appeared, vanished or were written, sorted. A touched file counts as written. */
  readonly files: readonly string[];
  /** Of the later look, for the next comparison. */
  readonly stamps: Stamps;
}

/** Times of files come from a clock that ticks only so often, so that a later write can bear an earlier time. */
const TICK_MS = 10;

/**
 * Compares two looks at the same directories. A file that was there before is compared by its stamp, or, where
 * none was taken, by whether it was written since the earlier look began.
 */
export function changesBetween(before: Look, after: Look, places: TreePlaces): Changes {
  const earlier = new Set(contentOf(before.tree, places).map(({ path }) => path));
  const stamps = new Map<string, string>();
  const changed: string[] = [];
  for (const { path, file } of contentOf(after.tree, places)) {
    const found = look(file);
    const stamp = stampOf(found);
    stamps.set(path, stamp);
    const known = before.stamps?.get(path);
    const written = known === undefined ? (found?.ctimeMs ?? 0) > before.startedAt - TICK_MS : known !== stamp;
    if (!earlier.delete(path) || written) changed.push(path);
  }
  return { files: [...earlier, ...changed].sort(compareText), stamps };
}

/** The stamps of a tree of at most `limit` content files; undefined for a larger one. */
export function stampsOf(tree: Tree, places: TreePlaces, limit: number): Stamps | undefined {
  const files = contentOf(tree, places, limit);
  if (files.length > limit) return undefined;
  return new Map(files.map(({ path, file }) => [path, stampOf(look(file))]));
}

function stampOf(found: Stats | undefined): string {
  return found ? `${signature(found)} ${found.size}` : "gone";
}
