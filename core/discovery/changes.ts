import { statSync } from "node:fs";
import { compareText } from "../diagnostics.ts";
import { childrenOf, type DirNode, type Tree } from "./dir-node.ts";
import { signature } from "./listing.ts";

/** The signatures of files, by display path. */
export type Stamps = ReadonlyMap<string, number>;

/** One look at the disk, as {@link changesBetween} compares it. */
export interface Look {
  readonly tree: Tree;
  /** When it began, in ms since the epoch. */
  readonly startedAt: number;
  /** Taken only where somebody asked for changes: a start must not look at each file. */
  readonly stamps?: Stamps;
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

/** Directories whose Markdown files are content; elsewhere they are documents. */
const MARKDOWN_PLACES = /(?:^|\/)(?:prompts|skills\/[^/]+)$/u;
const NO_CONTENT = /^(?:AGENTS|CLAUDE|README)\.md$|\.(?:test|d)\.[cm]?[jt]s$/u;

/**
 * Compares two looks at the same directories. A file that was there before is compared by its stamp, or, where
 * none was taken, by whether it was written since the earlier look began.
 */
export function changesBetween(
  before: Look,
  after: Look,
  places: { readonly root: string; readonly home: string; readonly homePath: string },
): Changes {
  const earlier = new Set(contentOf(before.tree, places).map(({ path }) => path));
  const stamps = new Map<string, number>();
  const changed: string[] = [];
  for (const { path, file } of contentOf(after.tree, places)) {
    const found = statSync(file, { throwIfNoEntry: false });
    const stamp = found ? signature(found) : 0;
    stamps.set(path, stamp);
    const known = before.stamps?.get(path);
    const written = known === undefined ? (found?.ctimeMs ?? 0) > before.startedAt - TICK_MS : known !== stamp;
    if (!earlier.delete(path) || written) changed.push(path);
  }
  return { files: [...earlier, ...changed].sort(compareText), stamps };
}

interface Place {
  /** Display path. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
}

function contentOf(
  tree: Tree,
  { root, home, homePath }: { readonly root: string; readonly home: string; readonly homePath: string },
): readonly Place[] {
  const found: Place[] = [];
  collect(tree.root, { path: "", file: root }, found);
  if (tree.home !== tree.root) collect(tree.home, { path: homePath, file: home }, found);
  return found;
}

function collect(node: DirNode, { path, file }: Place, found: Place[]): void {
  const takesMarkdown = MARKDOWN_PLACES.test(path);
  for (const name of node.files) {
    if (NO_CONTENT.test(name) || (name.endsWith(".md") && !takesMarkdown)) continue;
    found.push({ path: below(path, name), file: `${file}/${name}` });
  }
  for (const [name, child] of childrenOf(node)) {
    collect(child, { path: below(path, name), file: `${file}/${name}` }, found);
  }
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}
