import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placeOf } from "../../core/testing/place.ts";
import { openSubject } from "../../core/testing/subject.ts";
import { makeTree, manifest } from "../helpers/tree.ts";

/** Answers with the profile, a setting and a text that it imports. */
const TOOL = `import { Tool } from "toolroom";
import { WORD } from "../lib/word.ts";
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    return this.success([this.agent.profile, String(this.config.size), WORD, this.agent.context.project].join(" "));
  }
}
`;
const LIB = 'export const WORD = "imported";\n';

/** A tool in a location of a root, opened as the suite does. */
async function open(location: string, files: Record<string, string> = {}, options = {}) {
  const below = location === "" ? "" : `${location}/`;
  const root = makeTree({ [`${below}tools/it.ts`]: TOOL, [`${below}lib/word.ts`]: LIB, ...files });
  const place = placeOf(join(root, `${below}tools/it.ts`));
  const subject = await openSubject(place, options);
  const { message } = subject.sample.result;
  const { file } = (await subject.host.list()).tools.find(({ name }) => name === "it") ?? {};
  await subject.close();
  return { message, file };
}

const PLUGIN = { "usr/plugins/p/plugin.yaml": manifest("p"), "usr/plugins/p/default_config.yaml": "size: 3\n" };

describe("a tool is tested where it belongs", () => {
  test.each([
    ["usr/plugins/p", PLUGIN, "default 3 imported "],
    ["usr/plugins/p/agents/cook", PLUGIN, "cook 3 imported "],
    ["agents/cook", {}, "cook undefined imported "],
    ["usr/agents/cook", {}, "cook undefined imported "],
    ["usr/projects/j", {}, "default undefined imported j"],
    ["usr/projects/j/agents/cook", {}, "cook undefined imported j"],
    ["usr", {}, "default undefined imported "],
    ["", {}, "default undefined imported "],
  ])("%j", async (location, files, message) => {
    const found = await open(location, files as Record<string, string>);
    expect(found).toMatchObject({ message, file: `${location === "" ? "" : `${location}/`}tools/it.ts` });
  });

  test("a bundled plugin as one of the person, with the settings of a test", async () => {
    const files = { "plugins/_p/plugin.yaml": manifest("_p"), "plugins/_p/default_config.yaml": "size: 3\n" };
    const { message, file } = await open("plugins/_p", files, { config: { size: 4 } });
    expect({ message, file }).toEqual({ message: "default 4 imported ", file: "usr/plugins/_p/tools/it.ts" });
  });

  test("what somebody has switched or set there does not count", async () => {
    const own = { "usr/plugins/p/.toggle-0": "", "usr/plugins/p/config.yaml": "size: 9\n" };
    expect((await open("usr/plugins/p", { ...PLUGIN, ...own })).message).toBe("default 3 imported ");
  });

  test("packages of the plugin are found, and its tests are not taken along", async () => {
    const { message } = await open("usr/plugins/p", {
      ...PLUGIN,
      "usr/plugins/p/node_modules/words/package.json": '{ "name": "words", "type": "module", "main": "index.js" }',
      "usr/plugins/p/node_modules/words/index.js": 'export const WORD = "packaged";\n',
      "usr/plugins/p/lib/word.ts": 'export { WORD } from "words";\n',
      "usr/plugins/p/tests/it.test.ts": "not a module at all {",
    });
    expect(message).toBe("default 3 packaged ");
  });
});

describe("a path that is no tool's module is told", () => {
  test.each([
    ["tools/none.ts", /found nothing\. Mend the path/u],
    ["tools", /found something that is no file/u],
    ["lib/word.ts", /expected the module of a tool, tools\/<name>\.ts/u],
    ["tools/_helper.ts", /expected the module of a tool/u],
  ])("%s", (path, words) => {
    const root = makeTree({ "tools/it.ts": TOOL, "tools/_helper.ts": LIB, "lib/word.ts": LIB });
    expect(() => placeOf(join(root, path))).toThrow(words);
  });
});
