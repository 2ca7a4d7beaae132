import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeTree } from "./trees.mjs";

const HOME = fileURLToPath(new URL("../../", import.meta.url));

/**
 * What the rows share: the build, a directory that goes away afterwards, and the trees in it, each made once.
 *
 * @param options `smoke`: whether this run only sees that everything runs
 */
export function openContext({ smoke }) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "toolroom-bench-")));
  const trees = new Map();
  const shared = new Map();
  let made = 0;

  /** A new empty path in the scratch directory; nothing is made there yet. */
  const path = (name) => join(scratch, `${name}-${made++}`);

  return {
    smoke,
    /** The directory of the package, with a slash at its end. */
    home: HOME,
    scratch,
    path,
    /** The absolute path of a module of the build. */
    built: (module) => join(HOME, "dist/core", module),
    /** Imports a module of the build: `core("discovery/scan.js")`. */
    core: async (module) => await import(pathToFileURL(join(HOME, "dist/core", module)).href),
    /** The entry of the command line. */
    cli: join(HOME, "dist/bundle/cli/main.js"),
    /** A child program of the bench. */
    child: (name) => fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url)),
    /** A tree that rows only read: see {@link writeTree}. */
    tree(options) {
      const key = JSON.stringify(options);
      const tree = trees.get(key) ?? writeTree(path("tree"), options);
      trees.set(key, tree);
      return tree;
    },
    /** What several rows use, made by the first of them. */
    shared(key, make) {
      if (!shared.has(key)) shared.set(key, make());
      return shared.get(key);
    },
    /** A tree that a row may change. */
    ownTree: (options) => writeTree(path("tree"), options),
    close: () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }),
  };
}
