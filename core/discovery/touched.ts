import { dirname } from "node:path";

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
  return (path) => {
    if (above.has(path)) return false;
    for (let at = path; ; at = dirname(at)) {
      if (touched.has(at)) return false;
      const up = dirname(at);
      if (up === at) return true;
    }
  };
}
