import { dirname } from "node:path";
import type { BytePath } from "./byte-paths.ts";
import { type GitKind, gitKindOf } from "./git-directory.ts";
import { type IgnoreScope, ignoreScopeOf, namesAskedFor } from "./ignore-scope.ts";

/**
 * Tells which files a repository leaves out whose `.git` is a file. What such a file stands for ripgrep does not always
 * find: not of submodules, nor where it names a relative path.
 *
 * @param top where the search begins: absolute and real
 * @returns asked about paths relative to `top`, of files that ripgrep does not leave out
 */
export function leftOutOfLinked(top: BytePath): (path: BytePath) => boolean {
  const known = new Map<BytePath, Directory>();
  const directoryAt = (path: BytePath): Directory => {
    const before = known.get(path);
    if (before) return before;
    const directory = path === "" ? topDirectory(top) : below(directoryAt(parentOf(path)), { top, path });
    known.set(path, directory);
    return directory;
  };
  return (path) => {
    const { kind, isLeftOut, scope } = directoryAt(parentOf(path));
    return kind === "file" && (isLeftOut || scope().leavesOut(nameOf(path), false));
  };
}

interface Directory {
  /** Of the repository that it lies in; undefined where it lies in none. */
  readonly kind: GitKind | undefined;
  readonly isLeftOut: boolean;
  /** Made when it is first asked for: most directories lie in no such repository. */
  readonly scope: () => IgnoreScope;
}

function topDirectory(top: BytePath): Directory {
  let kind = gitKindOf(top);
  const own = kind;
  for (let path = top; kind === undefined && dirname(path) !== path; path = dirname(path))
    kind = gitKindOf(dirname(path));
  return { kind, isLeftOut: false, scope: once(() => ignoreScopeOf(namesAskedFor(top, own))) };
}

function below(parent: Directory, { top, path }: { readonly top: BytePath; readonly path: BytePath }): Directory {
  const whole = `${top === "/" ? "" : top}/${path}`;
  const own = gitKindOf(whole);
  const name = nameOf(path);
  return {
    kind: own ?? parent.kind,
    isLeftOut: parent.kind === "file" && (parent.isLeftOut || parent.scope().leavesOut(name, true)),
    scope: once(() => parent.scope().enter(name, namesAskedFor(whole, own))),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function parentOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf("/") + 1);
}
