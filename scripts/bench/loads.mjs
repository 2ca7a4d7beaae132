import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { toolText } from "./content.mjs";
import { runChild } from "./processes.mjs";

/**
 * The loads of the same modules by different loaders, each in a fresh process that has imported the SDK and the
 * loader before its clock starts. Each function returns milliseconds.
 *
 * @param options `context`, and `count`: how many modules
 */
export function openLoads({ context, count }) {
  const tree = context.tree({ plugins: Math.ceil(count / 2) });
  const files = tree.tools.slice(0, count);
  const base = { core: context.built(""), sdk: context.built("index.js"), root: tree.root, files };
  const run = (program, input) => {
    const file = context.path("load.json");
    writeFileSync(file, JSON.stringify(input));
    return runChild(context.child(program), [file]).ms;
  };
  const warmCache = context.path("cache");
  let built;

  return {
    /** Ours with empty caches. */
    cold: () => run("load-ours", { ...base, cacheDir: context.path("cache") }),
    /** Ours with what an earlier load left in its cache. */
    warm: () => run("load-ours", { ...base, cacheDir: warmCache }),
    /** jiti with its own transformer and no cache. */
    stock: () => run("load-stock", base),
    /** `import` of the same modules as a build would write them. */
    native() {
      built ??= writeBuilt(context.path("built"), { files, sdk: base.sdk });
      return run("load-native", { ...base, files: built });
    },
  };
}

function writeBuilt(directory, { files, sdk }) {
  mkdirSync(directory);
  return files.map((file) => {
    const id = basename(file, ".ts");
    const target = join(directory, `${id}.mjs`);
    writeFileSync(target, toolText(id, { sdk: pathToFileURL(sdk).href, javascript: true }));
    return target;
  });
}
