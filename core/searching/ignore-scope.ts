import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { State } from "./automaton.ts";
import type { BytePath } from "./byte-paths.ts";
import { excludeFileOf, type GitKind, gitKindOf } from "./git-directory.ts";
import { type IgnoreFile, readIgnoreFile } from "./ignore-file.ts";
import { openNow } from "./open-now.ts";

/** What ignore files say about the entries of one directory. */
export interface IgnoreScope {
  /** Whether an entry is left out. */
  leavesOut(name: BytePath, isDirectory: boolean): boolean;
  /** @param names what lies in the directory `name` */
  enter(name: BytePath, names: NamesIn): IgnoreScope;
}

/** What of a directory decides whether it has rules of its own. */
export interface NamesIn {
  /** The directory, absolute and real. */
  readonly path: BytePath;
  readonly files: readonly BytePath[];
  readonly directories: readonly BytePath[];
}

/** Ignore files are small; a larger one is none. */
const MAX_BYTES = 1024 * 1024;

/** A file with what of the way to the directory it has read. */
interface Level {
  readonly file: IgnoreFile;
  readonly state: State;
}

interface Levels {
  /** Whether the directory lies in a git repository; elsewhere ignore files do not count. */
  readonly inRepository: boolean;
  /** Nearest first. */
  readonly files: readonly Level[];
  /** `info/exclude` of the git directory, which comes after all of them. */
  readonly excluded: readonly Level[];
}

const NO_LEVELS: Levels = { inRepository: false, files: [], excluded: [] };

/**
 * The scope of a directory where a search begins. The rules of its repository count from the repository's top, also
 * where that lies above the workspace; a repository in another has its own alone.
 */
export function ignoreScopeOf(names: NamesIn): IgnoreScope {
  if (ownGit(names)) return scope(withOwn(NO_LEVELS, names));
  const above: BytePath[] = [];
  for (let path = names.path; dirname(path) !== path; path = dirname(path)) above.push(path);
  const tops = above.map((path) => dirname(path));
  const kinds = tops.map(gitKindOf);
  const top = kinds.findIndex((kind) => kind !== undefined);
  if (top < 0) return scope(NO_LEVELS);
  let levels = withOwn(NO_LEVELS, namesAskedFor(tops[top] as BytePath, kinds[top]));
  for (const path of above.slice(1, top + 1).reverse()) {
    levels = withOwn(advanced(levels, nameOf(path)), namesAskedFor(path, undefined));
  }
  return scope(withOwn(advanced(levels, nameOf(names.path)), names));
}

function scope(levels: Levels): IgnoreScope {
  return {
    leavesOut(name, isDirectory) {
      for (const { file, state } of [...levels.files, ...levels.excluded]) {
        const verdict = file.verdict(file.automaton.advance(state, name), isDirectory);
        if (verdict !== undefined) return verdict;
      }
      return false;
    },
    enter(name, names) {
      const isTop = ownGit(names) !== undefined;
      if (!levels.inRepository && !isTop) return scope(NO_LEVELS);
      return scope(withOwn(isTop ? NO_LEVELS : advanced(levels, name), names));
    },
  };
}

/** The same files, one directory further down; those that can say nothing there are dropped. */
function advanced({ inRepository, files, excluded }: Levels, name: BytePath): Levels {
  const step = (levels: readonly Level[]): readonly Level[] =>
    levels
      .map(({ file, state }) => ({ file, state: file.automaton.advance(state, `${name}/`) }))
      .filter(({ state }) => !state.dead);
  return { inRepository, files: step(files), excluded: step(excluded) };
}

function withOwn(levels: Levels, names: NamesIn): Levels {
  const git = ownGit(names);
  if (!git && !levels.inRepository) return levels;
  const own = names.files.includes(".gitignore") ? read(`${names.path}/.gitignore`) : [];
  const exclude = git && excludeFileOf(names.path, git);
  const excluded = git ? (exclude === undefined ? [] : read(exclude)) : levels.excluded;
  return { inRepository: true, files: [...own, ...levels.files], excluded };
}

function read(path: BytePath): readonly Level[] {
  try {
    const text = openNow(path, "file", (fd, { size }) => (size > MAX_BYTES ? "" : readFileSync(fd, "latin1")));
    const file = readIgnoreFile(text);
    return file ? [{ file, state: file.start }] : [];
  } catch {
    // None there, or one that may not be read: git goes on without it, too.
    return [];
  }
}

function ownGit({ files, directories }: NamesIn): GitKind | undefined {
  return directories.includes(".git") ? "directory" : files.includes(".git") ? "file" : undefined;
}

/**
 * What is asked for of a directory that is not listed: an ignore file that is not there says nothing.
 * @param kind of the repository whose top it is
 */
export function namesAskedFor(path: BytePath, kind: GitKind | undefined): NamesIn {
  const [files, directories] = kind === "file" ? [[".git"], []] : kind === "directory" ? [[], [".git"]] : [[], []];
  return { path, files: [".gitignore", ...files], directories };
}

function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf("/") + 1);
}
