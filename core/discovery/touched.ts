import { dirname, sep } from "node:path";

/** Of more paths than these it is cheaper to look up the directories of each that is asked for. */
const FEW = 16;

/**
 * For paths (absolute) that something happened to: whether a path need not be looked at. Looked at are the paths
 * themselves, the directories that they lie in, and all that lies below them: what stands at a path now may be
 * another directory than before.
 */
export function untouchedBy(paths: Iterable<string>): (path: string) => boolean {
  const touched = new Set(paths);
  const above = new Set<string>();
  for (const path of touched) {
    for (let at = dirname(path); !above.has(at); at = dirname(at)) above.add(at);
  }
  const isBelow = touched.size > FEW ? belowAny(touched) : belowOne([...touched]);
  return (path) => !above.has(path) && !isBelow(path);
}

/** Whether a path is one of many, or lies below one. */
function belowAny(touched: ReadonlySet<string>): (path: string) => boolean {
  return (path) => {
    for (let at = path; ; at = dirname(at)) {
      if (touched.has(at)) return true;
      if (dirname(at) === at) return false;
    }
  };
}

/** The same of few: a save asks it of all texts of a host. */
function belowOne(touched: readonly string[]): (path: string) => boolean {
  return (path) => touched.some((top) => path.startsWith(top) && isEnd(path, top.length));
}

function isEnd(path: string, at: number): boolean {
  return path.length === at || path[at] === "/" || path[at] === sep || path[at - 1] === "/";
}
