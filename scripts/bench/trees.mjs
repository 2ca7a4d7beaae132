import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fragmentText, manifestText, toolText } from "./content.mjs";

/** A cache may rightly distrust what changed so short a time ago. */
const SETTLED_MS = 3_000;

/**
 * Writes a root with `usr/plugins/plugin_00000` and so on, each with two tools and their two fragments. The same
 * options give the same bytes.
 *
 * @param directory where; it is made
 * @param options `plugins`: how many; `toolBytes`: the least size of a module, filled up with a string constant
 * @returns `{root, directories, tools, fragments}`: absolute paths, sorted as they were made; `directories` holds
 *   each directory below `usr`, itself included
 */
export function writeTree(directory, { plugins, toolBytes = 0 }) {
  const tree = { root: directory, directories: [], tools: [], fragments: [] };
  const makeDirectory = (path) => {
    mkdirSync(path, { recursive: true });
    tree.directories.push(path);
    return path;
  };
  const base = makeDirectory(join(makeDirectory(join(directory, "usr")), "plugins"));
  for (let index = 0; index < plugins; index++) {
    const name = `plugin_${number(index)}`;
    const plugin = makeDirectory(join(base, name));
    writeFileSync(join(plugin, "plugin.yaml"), manifestText(name));
    const tools = makeDirectory(join(plugin, "tools"));
    const prompts = makeDirectory(join(plugin, "prompts"));
    for (const half of ["count", "find"]) {
      const id = `${half}_${number(index)}`;
      tree.tools.push(join(tools, `${id}.ts`));
      tree.fragments.push(join(prompts, `agent.system.tool.${id}.md`));
      writeFileSync(tree.tools.at(-1), toolText(id, { bytes: toolBytes }));
      writeFileSync(tree.fragments.at(-1), fragmentText(id));
    }
  }
  return tree;
}

/** Waits until the last change of a tree that nobody writes to is old enough to be trusted. */
export async function settle({ directories, fragments }) {
  const last = Math.max(...[...directories, ...fragments].map((path) => statSync(path).ctimeMs));
  await sleep(Math.max(0, last + SETTLED_MS - Date.now()));
}

/** Reads the names of each directory: what any discovery has to do at least. */
export function readNames(directories) {
  let names = 0;
  for (const directory of directories) names += readdirSync(directory).length;
  return names;
}

function number(index) {
  return String(index).padStart(5, "0");
}
