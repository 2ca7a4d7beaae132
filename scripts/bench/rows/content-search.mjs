import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { ratioAtMost } from "../goals.mjs";
import { elapsed, NEEDLE_EACH, openSearching, SEARCHING } from "../searching.mjs";

const PATTERN = "needle_\\w+";

/** A call of the tool through all of dispatch, against the same program started by hand. */
export const contentSearch = {
  ...SEARCHING,
  name: "content_search",
  against: "rg run directly",
  goal: () => ratioAtMost(1.15),
  async setup({ context, size }) {
    const { directory, call, close } = await openSearching(context, size);
    const { rgPath } = createRequire(`${context.home}package.json`)("@vscode/ripgrep");
    const options = { cwd: directory, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 };
    const args = ["--no-config", "--line-number", "--regexp", PATTERN, "./"];
    const direct = async () => (await promisify(execFile)(rgPath, args, options)).stdout;
    const search = async () => await call("content_search", { pattern: PATTERN, max_results: 1000 });
    const lines = (await direct()).trim().split("\n").length;
    const { totals, engine } = await search();
    if (engine !== "ripgrep" || totals.matches !== lines || lines !== Math.ceil(size / NEEDLE_EACH)) {
      throw new Error(`expected ${lines} lines by ripgrep, found ${totals.matches} by ${engine}`);
    }
    return { ours: () => elapsed(search), baseline: () => elapsed(direct), close };
  },
};
