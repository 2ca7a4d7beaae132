import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What both rows of searches have in common. */
export const SEARCHING = { unit: "ms", sizes: [50_000], smokeSizes: [50], of: "files", rounds: 15, warmUp: () => 10 };

/** How many files hold the word that is searched for: one of so many. */
export const NEEDLE_EACH = 250;

/**
 * A host over a directory of source files, a hundred in each of its directories. The same size gives the same bytes.
 *
 * @returns `{directory, call, close}`; `call` throws where a call does not succeed
 */
export async function openSearching(context, files) {
  const directory = context.shared(`files ${files}`, () => writeFiles(context.path("files"), files));
  const root = context.path("root");
  mkdirSync(join(root, "usr/plugins"), { recursive: true });
  const { createHost } = await context.core("host.js");
  const host = await createHost({ root, workspace: directory, env: {}, trust: true });
  const call = async (tool, args) => {
    const result = await host.call(tool, args);
    if (result.status === "error") throw new Error(`expected a call that succeeds, found: ${result.message}`);
    return result.data;
  };
  return { directory, call, close: () => host.close() };
}

/** Milliseconds that a function takes until its promise is settled. */
export async function elapsed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const WORDS = "alpha beta import export const function return value error request stream buffer index match".split(" ");

function writeFiles(directory, files) {
  for (let index = 0; index < files; index++) {
    const number = Math.floor(index / 100);
    const folder = join(directory, `part_${number % 20}`, `module_${number}`, "src");
    if (index % 100 === 0) mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 40 }, (_, line) =>
      Array.from({ length: 6 }, (_, word) => WORDS[(index * 7 + line * 5 + word * 3) % WORDS.length]).join(" "),
    );
    if (index % NEEDLE_EACH === 0) lines.push("needle_here");
    writeFileSync(join(folder, `file_${index}.${["ts", "js", "md", "json"][index % 4]}`), `${lines.join("\n")}\n`);
  }
  return directory;
}
