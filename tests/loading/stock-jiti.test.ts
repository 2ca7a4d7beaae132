import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createJiti } from "jiti";
import { expect, it } from "vitest";
import { makeTree } from "../helpers/tree.ts";

/** What jiti by itself gives when a file is imported, written anew and imported again. Why modules have a map of ours. */
it.each([
  ["x.ts", "export const word: string = 'WORD';", "two"],
  ["x.mts", "export const word: string = 'WORD';", "two"],
  ["x.mjs", "export const word = 'WORD';", "one"],
  ["x.cjs", "exports.word = 'WORD';", "one"],
  ["x.json", '{"word": "WORD"}', "one"],
])("jiti without a module cache imports %s again as it was written, or as it was", async (name, text, again) => {
  const root = makeTree({ [name]: text.replace("WORD", "one") });
  const jiti = createJiti(join(root, "from.ts"), { moduleCache: false, fsCache: false });
  const load = async () => ((await jiti.import(join(root, name))) as { word: string }).word;
  expect(await load()).toBe("one");
  writeFileSync(join(root, name), text.replace("WORD", "two"));
  expect(await load()).toBe(again);
});
