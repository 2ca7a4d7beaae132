import { createRequire } from "node:module";
import { ratioAtMost } from "../goals.mjs";
import { elapsed, openSearching, SEARCHING } from "../searching.mjs";

const PATTERN = "**/*.ts";

/** A call of the tool through all of dispatch, against the library in its fast form, and its paths sorted. */
export const globSearch = {
  ...SEARCHING,
  name: "glob_search",
  against: "fast-glob directly",
  goal: () => ratioAtMost(1.3),
  async setup({ context, size }) {
    const { directory, call, close } = await openSearching(context, size);
    const fastGlob = createRequire(`${context.home}package.json`)("fast-glob");
    const direct = () => fastGlob.sync(PATTERN, { cwd: directory, followSymbolicLinks: false }).sort();
    const find = async () => await call("glob_search", { pattern: PATTERN });
    const { paths, total } = await find();
    const expected = direct();
    if (total !== expected.length || paths.join() !== expected.slice(0, 1000).join()) {
      throw new Error(`expected the ${expected.length} paths of the library, found ${total}`);
    }
    return { ours: () => elapsed(find), baseline: () => elapsed(direct), close };
  },
};
