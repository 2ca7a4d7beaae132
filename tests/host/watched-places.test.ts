import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTree, manifest, toolSource, writeTree } from "../helpers/tree.ts";
import { pluginFiles } from "./house.ts";
import { FILES, TOOL, watched } from "./watched.ts";

const importing = (specifier: string): string => `import { Tool } from "toolroom";
import { word } from ${JSON.stringify(specifier)};
export default class extends Tool {
  static readonly risk = "low";
  async execute() { return this.success(word); }
}
`;
const word = (text: string): string => `export const word = ${JSON.stringify(text)};\n`;

/** A plugin outside of every root. */
const outside = (text: string): string =>
  makeTree({
    "plugin.yaml": manifest("linked"),
    "tools/linked.ts": importing("../lib/word.ts"),
    "lib/word.ts": word(text),
  });

describe("a plugin behind a link", () => {
  it("is watched where it really lies, its helpers included", async () => {
    const place = outside("one");
    const house = await watched({ "usr/settings.yaml": `linkRoots: [${JSON.stringify(place)}]\n` });
    symlinkSync(place, join(house.root, "usr/plugins/linked"));
    await house.answers("linked", "one");
    writeTree(place, { "lib/word.ts": word("two") });
    await house.answers("linked", "two");
    writeTree(place, { "tools/linked.ts": toolSource("plain") });
    await house.answers("linked", "plain");
    writeTree(place, { "tools/more.ts": toolSource("more") });
    await house.answers("more", "more");
    rmSync(join(place, "tools"), { recursive: true });
    await house.answers("linked", "UNKNOWN_TOOL");
  });

  it("is another one when the link leads elsewhere, and gone when it is refused or away", async () => {
    const [first, second, third] = [outside("first"), outside("second"), outside("third")];
    const allowed = (places: readonly string[]) => ({ "usr/settings.yaml": `linkRoots: ${JSON.stringify(places)}\n` });
    const house = await watched(allowed([first, second]));
    const link = join(house.root, "usr/plugins/linked");
    symlinkSync(first, link);
    await house.answers("linked", "first");
    const aside = join(house.root, "usr/aside");
    symlinkSync(second, aside);
    renameSync(aside, link);
    await house.answers("linked", "second");
    writeTree(second, { "lib/word.ts": word("edited") });
    await house.answers("linked", "edited");
    unlinkSync(link);
    await house.answers("linked", "UNKNOWN_TOOL");
    symlinkSync(third, link);
    await house.caughtUp();
    expect(await house.answer("linked")).toBe("UNKNOWN_TOOL");
    house.write(allowed([third]));
    await house.answers("linked", "third");
    writeTree(third, { "lib/word.ts": word("last") });
    await house.answers("linked", "last");
  });
});

it("each of the eight layers is watched, with its helpers", async () => {
  const layers = [
    "usr/projects/J/agents/p",
    "usr/projects/J",
    "usr/agents/p",
    "usr/plugins/mine/agents/p",
    "agents/p",
    "usr",
    "usr/plugins/mine",
    ".",
  ];
  const files = layers.map((layer, at) => ({
    [`${layer}/tools/in_${at}.ts`]: importing(`../lib/word_${at}.ts`),
    [`${layer}/lib/word_${at}.ts`]: word(`one of ${at}`),
    [`${layer}/prompts/fw.note_${at}.md`]: "one",
  }));
  const house = await watched(Object.assign({ "usr/plugins/mine/plugin.yaml": manifest("mine") }, ...files), {
    profile: "p",
    project: "J",
  });
  for (const at of layers.keys()) expect(await house.answer(`in_${at}`)).toBe(`one of ${at}`);
  for (const [at, layer] of layers.entries()) {
    const told = house.receipts.length;
    house.write({ [`${layer}/lib/word_${at}.ts`]: word(`two of ${at}`) });
    await house.answers(`in_${at}`, `two of ${at}`);
    const shown = `${layer}/lib/word_${at}.ts`.replace(/^\.\//u, "");
    expect(house.receipts.slice(told).flatMap((receipt) => receipt.files)).toContain(shown);
    house.write({ [`${layer}/tools/in_${at}.ts`]: toolSource(`three of ${at}`) });
    await house.answers(`in_${at}`, `three of ${at}`);
    house.write({ [`${layer}/tools/late_${at}.ts`]: toolSource(`late in ${at}`) });
    await house.answers(`late_${at}`, `late in ${at}`);
  }
});

it("two hosts of one process watch each its own root, and a helper of one name is another one in each", async () => {
  const [one, two] = [
    await watched({ ...FILES, [TOOL]: importing("../lib/word.ts"), "usr/plugins/greeter/lib/word.ts": word("a") }),
    await watched({ ...FILES, [TOOL]: importing("../lib/word.ts"), "usr/plugins/greeter/lib/word.ts": word("b") }),
  ];
  expect([await one.greet(), await two.greet()]).toEqual(["a", "b"]);
  one.write({ "usr/plugins/greeter/lib/word.ts": word("a2") });
  await one.greets("a2");
  expect(await two.greet()).toBe("b");
  two.write({ "usr/plugins/greeter/lib/word.ts": "export const word =" });
  await two.until(() => two.receipts.length === 1);
  expect([await one.greet(), await two.greet()]).toEqual(["a2", "b"]);
  expect([one.receipts.length, two.host.generation]).toEqual([1, 2]);
});

it("two hosts over one root take up the same change each for itself", async () => {
  const house = await watched();
  const other = await house.again();
  await house.greet();
  expect((await other.call("greet", {})).message).toBe("hello");
  house.write({ [TOOL]: toolSource("two") });
  await house.greets("two");
  await house.until(async () => (await other.call("greet", {})).message === "two");
});

describe("what comes and goes", () => {
  it("again and again is at last what it is", async () => {
    const house = await watched();
    await house.greet();
    const [here, away] = [join(house.root, "usr/plugins/greeter"), join(house.root, "usr/away")];
    for (let turn = 0; turn < 20; turn++) {
      rmSync(here, { recursive: true, force: true });
      mkdirSync(join(here, "tools"), { recursive: true });
      house.write({ ...FILES, [TOOL]: toolSource(`turn ${turn}`) });
      if (turn % 4 === 0) await house.greets(`turn ${turn}`);
    }
    await house.greets("turn 19");
    for (let turn = 0; turn < 10; turn++) {
      renameSync(here, away);
      renameSync(away, here);
    }
    house.write({ [TOOL]: toolSource("after") });
    await house.greets("after");
  });

  it("is a whole plugin at a time, with its helper, under a tool that imports from another plugin", async () => {
    const house = await watched({
      ...FILES,
      [TOOL]: importing("../../other/lib/word.ts"),
      ...pluginFiles("other", "fine", "fine"),
      "usr/plugins/other/lib/word.ts": word("one"),
    });
    expect(await house.greet()).toBe("one");
    house.write({ "usr/plugins/other/lib/word.ts": word("two") });
    await house.greets("two");
    renameSync(join(house.root, "usr/plugins/other"), join(house.root, "usr/other"));
    await house.answers("fine", "UNKNOWN_TOOL");
    expect(await house.greet()).toBe("two");
    writeTree(join(house.root, "usr/other"), { "lib/word.ts": word("three") });
    renameSync(join(house.root, "usr/other"), join(house.root, "usr/plugins/other"));
    await house.greets("three");
  });
});
