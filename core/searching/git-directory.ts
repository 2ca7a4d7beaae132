import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { type BytePath, systemPath } from "./byte-paths.ts";
import { openNow } from "./open-now.ts";

/** What `.git` is at the top of a repository: a directory, or a file that names one, as in a linked worktree or a submodule. */
export type GitKind = "directory" | "file";

/** What says where a directory lies is one line. */
const MAX_BYTES = 64 * 1024;
const NAMES = "gitdir: ";

/** Undefined where a directory is no top of a repository. @param path absolute and real */
export function gitKindOf(path: BytePath): GitKind | undefined {
  try {
    const found = lstatSync(systemPath(`${path}/.git`), { throwIfNoEntry: false });
    return found?.isDirectory() ? "directory" : found?.isFile() ? "file" : undefined;
  } catch {
    // Whoever may not look there has no repository there.
    return undefined;
  }
}

/**
 * Where the ignore file of a repository lies that belongs to nobody else: in its git directory, which all worktrees of one
 * repository have in common.
 *
 * @param top of the repository, absolute and real
 * @returns absolute and real but for its last two parts; undefined where that cannot be told
 */
export function excludeFileOf(top: BytePath, kind: GitKind): BytePath | undefined {
  if (kind === "directory") return `${top}/.git/info/exclude`;
  const line = lineIn(`${top}/.git`);
  if (!line?.startsWith(NAMES)) return undefined;
  const own = realOf(top, line.slice(NAMES.length));
  if (own === undefined) return undefined;
  const common = lineIn(`${own}/commondir`);
  const shared = common === undefined ? own : realOf(own, common);
  return shared === undefined ? undefined : `${shared}/info/exclude`;
}

function lineIn(path: BytePath): string | undefined {
  try {
    const text = openNow(path, "file", (fd, { size }) => (size > MAX_BYTES ? "" : readFileSync(fd, "latin1")));
    return text.replace(/[\r\n]+$/u, "");
  } catch {
    return undefined;
  }
}

function realOf(base: BytePath, path: BytePath): BytePath | undefined {
  try {
    return realpathSync(systemPath(resolve(base, path)), "latin1");
  } catch {
    return undefined;
  }
}
