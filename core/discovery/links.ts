import { realpathSync } from "node:fs";
import { look } from "./look.ts";
import { contains, toPosix } from "./paths.ts";

/** Where a link may lead: see {@link createLinkRule}. Absolute real paths. */
export interface LinkRoots {
  readonly root: string;
  readonly home: string;
  /** Further directories, from the settings. Asked for only when a link leads outside root and home. */
  linkRoots(): readonly string[];
}

/**
 * The containment rule for links that stand for `usr/`, a directory of plugins or a plugin: the real path of
 * their target must lie in the root, in the home, or in a directory of the setting `linkRoots`. The answer is
 * worked out at every scan, because what lies outside is not under the watch of the index.
 *
 * Gives why a link is refused, undefined when it may be followed, null when it leads to a file.
 */
export function createLinkRule(roots: LinkRoots): (link: string) => string | undefined | null {
  return (link) => {
    let target: string;
    try {
      target = realpathSync(link);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ELOOP" ? "it leads in a circle" : "it leads to nothing";
    }
    if (!look(target)?.isDirectory()) return null;
    if (contains(roots.root, target) || contains(roots.home, target)) return undefined;
    if (roots.linkRoots().some((allowed) => contains(allowed, target))) return undefined;
    return `it leads to ${toPosix(target)}, outside the root, the home and the setting linkRoots`;
  };
}
