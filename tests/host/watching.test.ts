import { chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, toolSource } from "../helpers/tree.ts";
import { fragment, pluginFiles } from "./house.ts";
import { FILES, FRAGMENT, MANIFEST, statusOf, TOOL, watched } from "./watched.ts";

describe("a host that watches", () => {
  it("serves what a file holds now, each save a generation", async () => {
    const house = await watched();
    expect(await house.greet()).toBe("hello");
    for (const word of ["one", "two", "three"]) {
      house.write({ [TOOL]: toolSource(word) });
      await house.greets(word);
    }
    expect(house.host.generation).toBe(4);
    expect(house.receipts.map(({ cause, files }) => [cause, files])).toEqual([
      ["watch", [TOOL]],
      ["watch", [TOOL]],
      ["watch", [TOOL]],
    ]);
  });

  it("has a plugin that appears, is renamed, or goes", async () => {
    const house = await watched({});
    expect(await house.greet()).toBe("UNKNOWN_TOOL");
    house.write(FILES);
    await house.greets("hello");
    renameSync(join(house.root, "usr/plugins/greeter"), join(house.root, "usr/plugins/other"));
    await house.until(async () => (await statusOf(house, "greet"))?.plugin === "other");
    expect(await house.greet()).toBe("hello");
    house.write({ "usr/plugins/other/tools/greet.ts": toolSource("again") });
    await house.greets("again");
    rmSync(join(house.root, "usr/plugins/other"), { recursive: true });
    await house.greets("UNKNOWN_TOOL");
  });

  it("begins with a root that has no usr/ yet", async () => {
    const house = await watched({ "agents/default/.gitkeep": "" });
    expect(await house.greet()).toBe("UNKNOWN_TOOL");
    house.write(FILES);
    await house.greets("hello");
  });

  it("sees what a tool imports, at any depth and of every kind", async () => {
    const house = await watched({
      ...FILES,
      [TOOL]: `import { Tool } from "toolroom";
        import { word } from "../lib/a.ts";
        export default class extends Tool {
          static readonly risk = "low";
          async execute() { return this.success(word()); }
        }`,
      "usr/plugins/greeter/lib/a.ts": `import { b } from "../deep/er/b.mjs"; import c from "../data/c.json"; import d from "./d.cjs";
        export const word = () => [b, c.word, d.word].join(" ");`,
      "usr/plugins/greeter/deep/er/b.mjs": 'export const b = "b1";',
      "usr/plugins/greeter/data/c.json": '{"word": "c1"}',
      "usr/plugins/greeter/lib/d.cjs": 'exports.word = "d1";',
    });
    expect(await house.greet()).toBe("b1 c1 d1");
    house.write({ "usr/plugins/greeter/deep/er/b.mjs": 'export const b = "b2";' });
    await house.greets("b2 c1 d1");
    house.write({ "usr/plugins/greeter/data/c.json": '{"word": "c2"}' });
    await house.greets("b2 c2 d1");
    house.write({ "usr/plugins/greeter/lib/d.cjs": 'exports.word = "d2";' });
    await house.greets("b2 c2 d2");
  });

  it("does nothing for a touch, a change of rights, the same bytes, or what editors leave", async () => {
    const house = await watched();
    await house.greet();
    const file = join(house.root, TOOL);
    for (let time = 0; time < 100; time++) utimesSync(file, time, time);
    chmodSync(file, 0o600);
    writeFileSync(file, toolSource("hello"));
    for (const name of [".#greet.ts", "4913", "greet.ts.tmp", "greet.ts~", "#greet.ts#", ".DS_Store", ".greet.ts.swp"])
      house.write({ [`usr/plugins/greeter/tools/${name}`]: "x" });
    house.write({ "usr/plugins/greeter/README.md": "words" });
    await house.caughtUp();
    expect(house.receipts).toHaveLength(1);
    expect((await house.host.list()).diagnostics).toEqual([]);
  });

  it("has fragments, manifests, toggles, settings and profiles as they are now", async () => {
    const house = await watched();
    const prompt = async () => (await house.host.prompt()).text;
    expect(await prompt()).toContain("Says hello.");
    house.write({ [FRAGMENT]: fragment("Says other words.") });
    await house.until(async () => (await prompt()).includes("Says other words."));
    house.write({ "usr/plugins/greeter/.toggle-0": "" });
    await house.until(async () => (await statusOf(house, "greet")) === undefined);
    rmSync(join(house.root, "usr/plugins/greeter/.toggle-0"));
    await house.until(async () => (await statusOf(house, "greet")) !== undefined);
    house.write({ [FRAGMENT]: fragment("Says it.", "when: hello.on\n") });
    await house.until(async () => (await statusOf(house, "greet")) === undefined);
    house.write({ "usr/settings.yaml": "hello:\n  on: true\n" });
    await house.until(async () => (await statusOf(house, "greet")) !== undefined);
    house.write({ "usr/agents/default/agent.yaml": "tools:\n  disable: [greet]\n" });
    await house.until(async () => (await statusOf(house, "greet")) === undefined);
  });

  it("uncovers what a deleted file had shadowed", async () => {
    const house = await watched({ ...FILES, "usr/tools/greet.ts": toolSource("mine") });
    expect(await house.greet()).toBe("mine");
    rmSync(join(house.root, "usr/tools/greet.ts"));
    await house.greets("hello");
  });

  it("takes a save by a rename over the file", async () => {
    const house = await watched();
    await house.greet();
    for (const word of ["one", "two", "three", "four", "five"]) {
      const aside = join(house.root, "usr/plugins/greeter/tools/.greet.new");
      writeFileSync(aside, toolSource(word));
      renameSync(aside, join(house.root, TOOL));
      await house.greets(word);
    }
  });
});

describe("the receipt of a change", () => {
  it("tells what became of the prompt, once somebody has been given it", async () => {
    const house = await watched({ ...FILES, ...pluginFiles("zoo", "zebra", "stripes") });
    const { host } = house;
    await house.greet();
    house.write({ [TOOL]: toolSource("one") });
    await house.until(() => house.receipts.length === 1);
    expect(house.receipts[0]?.prompt).toBeUndefined();
    const before = await host.prompt();
    const path = "usr/plugins/zoo/prompts/agent.system.tool.zebra.md";
    house.write({ [path]: fragment("Says nothing but stripes.") });
    await house.until(() => house.receipts.length === 2);
    const after = await host.prompt();
    const place = before.text.indexOf("Says stripes.");
    expect(after.text.slice(0, place)).toBe(before.text.slice(0, place));
    const prefix = Buffer.byteLength(`${before.text.slice(0, place)}Says `);
    expect(house.receipts[1]?.prompt).toEqual({
      tokens: { before: before.tokens, after: after.tokens },
      bytes: { before: Buffer.byteLength(before.text), after: Buffer.byteLength(after.text) },
      samePrefixBytes: prefix,
    });
  });
});

describe("the version before", () => {
  it("of a tool serves until the first good save", async () => {
    const house = await watched();
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: "export default class {\n  async execute( { }\n}\n" });
    await house.until(() => house.receipts.length === 1);
    expect(house.receipts[0]).toMatchObject({ status: "failed", diagnostics: [{ code: "LOAD_SYNTAX", file: TOOL }] });
    expect(await house.greet()).toBe("hello");
    const listed = await statusOf(house, "greet");
    expect(listed).toMatchObject({ status: "degraded", diagnostics: ["LAST_GOOD", "LOAD_SYNTAX"] });
    const [cause] = (await house.host.list()).diagnostics.filter(({ code }) => code === "LOAD_SYNTAX");
    expect(cause).toMatchObject({ file: TOOL, line: 3, column: 1 });
    house.write({ [TOOL]: "export default null;" });
    await house.until(() => house.receipts.length === 2);
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: toolSource("mended") });
    await house.greets("mended");
    expect(await statusOf(house, "greet")).toMatchObject({ status: "ok", diagnostics: [] });
  });

  it("of a tool that nobody has called yet serves, too, where its plugin is in use", async () => {
    const house = await watched({ ...FILES, "usr/plugins/greeter/tools/other.ts": toolSource("other") });
    await house.host.call("other", {});
    house.write({ [TOOL]: "export default" });
    await house.until(() => house.receipts.length === 1);
    expect(await house.greet()).toBe("hello");
  });

  it("serves while a file that it imports is broken or gone", async () => {
    const house = await watched({
      ...FILES,
      [TOOL]: toolSource("hello").replace("\n", '\nimport { word } from "../lib/word.ts";\nvoid word;\n'),
      "usr/plugins/greeter/lib/word.ts": 'export const word = "x";',
    });
    expect(await house.greet()).toBe("hello");
    rmSync(join(house.root, "usr/plugins/greeter/lib"), { recursive: true });
    await house.until(async () => (await statusOf(house, "greet"))?.status === "degraded");
    expect(await house.greet()).toBe("hello");
    house.write({ "usr/plugins/greeter/lib/word.ts": 'export const word = "y";' });
    await house.until(async () => (await statusOf(house, "greet"))?.status === "ok");
  });

  it("of files that are data serves until they can be used", async () => {
    const house = await watched();
    const prompt = async () => (await house.host.prompt()).text;
    expect(await prompt()).toContain("Says hello.");
    await house.greet();
    house.write({ [MANIFEST]: "name: [" });
    await house.until(() => house.receipts.length === 1);
    expect(house.receipts[0]).toMatchObject({ status: "failed", diagnostics: [{ code: "MANIFEST_INVALID", line: 1 }] });
    expect(await house.greet()).toBe("hello");
    house.write({ [FRAGMENT]: "---\ndescription: [\n---\nbroken" });
    await house.until(() => house.receipts.length === 2);
    expect(await prompt()).toContain("Says hello.");
    const codes = house.host.diagnostics().map(({ code, file }) => [code, file]);
    expect(codes).toContainEqual(["LAST_GOOD", FRAGMENT]);
    expect(codes).toContainEqual(["LAST_GOOD", MANIFEST]);
    house.write({ [MANIFEST]: manifest("greeter"), [FRAGMENT]: fragment("Says good things.") });
    await house.until(async () => (await prompt()).includes("Says good things."));
    await house.caughtUp();
    expect(house.host.diagnostics()).toEqual([]);
  });
});

describe("with a probe", () => {
  it.each([
    ["an endless loop", "for (;;) {}", "PROBE_TIMEOUT"],
    ["an exit", "process.exit(3);", "PROBE_EXITED"],
    ["a late throw", "setTimeout(() => { throw new Error('late'); }, 0);", "PROBE_LATE_ERROR"],
  ])("%s costs that change only", { timeout: 60_000 }, async (_, code, diagnostic) => {
    // A loop is given up sooner.
    const impatient = { "usr/settings.yaml": "tools:\n  loadTimeoutMs: 1000\n" };
    const house = await watched({ ...FILES, ...impatient }, { probe: true });
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: `${code}\n${toolSource("never")}` });
    await house.until(() => house.receipts.length === 1);
    expect(house.receipts[0]).toMatchObject({ status: "failed", diagnostics: [{ code: diagnostic, file: TOOL }] });
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: toolSource("mended") });
    await house.greets("mended");
  });
});

it("a directory that is moved in at once is taken whole", async () => {
  const house = await watched({});
  const aside = join(house.root, "aside");
  mkdirSync(aside);
  const files = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`aside/tools/t${n}.ts`, toolSource(`t${n}`)] as const),
  );
  house.write({ ...files, "aside/plugin.yaml": manifest("moved") });
  renameSync(aside, join(house.root, "usr/plugins/moved"));
  await house.until(async () => (await house.host.call("t99", {})).message === "t99");
  expect((await house.host.list()).tools.filter(({ plugin }) => plugin === "moved")).toHaveLength(100);
});

describe("the generations of a host", () => {
  it("are listed, compared, and gone back to until that is ended", async () => {
    const house = await watched();
    const { host } = house;
    expect(await house.greet()).toBe("hello");
    for (const word of ["two", "three"]) {
      house.write({ [TOOL]: toolSource(word), [FRAGMENT]: fragment(`Says ${word}.`) });
      await house.greets(word);
      await house.until(async () => (await host.prompt()).text.includes(`Says ${word}.`));
      await house.caughtUp();
    }
    const { generations } = host;
    const numbers = generations.list().map(({ number }) => number);
    expect(numbers[0]).toBe(1);
    expect(numbers.at(-1)).toBe(host.generation);
    expect(generations.list()[1]?.receipt).toMatchObject({ from: 1, to: 2 });
    expect(generations.diff(1, host.generation)).toContainEqual({
      path: TOOL,
      before: toolSource("hello"),
      after: toolSource("three"),
    });
    expect(() => generations.diff(1, 99)).toThrow("generation 99 is not remembered");

    const receipt = await generations.rollback(1);
    expect(receipt).toMatchObject({ status: "ok", cause: "rollback", to: host.generation });
    expect(generations.pinned).toBe(1);
    expect(await house.greet()).toBe("hello");
    expect((await host.prompt()).text).toContain("Says hello.");
    house.write({ [TOOL]: toolSource("four") });
    rmSync(join(house.root, FRAGMENT));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await house.greet()).toBe("hello");
    expect((await host.prompt()).text).toContain("Says hello.");
    expect(await host.reload()).toMatchObject({ files: [], to: host.generation });

    expect(await generations.release()).toMatchObject({ cause: "release", status: "ok" });
    expect(generations.pinned).toBeUndefined();
    expect(await house.greet()).toBe("four");
    expect((await host.prompt()).text).not.toContain("Says hello.");
    expect(await generations.release()).toBeUndefined();
  });

  it("can be stayed with", async () => {
    const house = await watched();
    const { generations } = house.host;
    expect(await house.greet()).toBe("hello");
    generations.pin();
    house.write({ [TOOL]: toolSource("two") });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await house.greet()).toBe("hello");
    await generations.release();
    expect(await house.greet()).toBe("two");
  });

  it("serve again what was deleted since, helpers included, and twenty are remembered", async () => {
    const house = await watched({
      ...FILES,
      [TOOL]: `import { Tool } from "toolroom";
        import { word } from "../lib/word.ts";
        export default class extends Tool {
          static readonly risk = "low";
          async execute() { return this.success(word); }
        }`,
      "usr/plugins/greeter/lib/word.ts": 'export const word = "first";',
    });
    const { host } = house;
    expect(await house.greet()).toBe("first");
    rmSync(join(house.root, "usr/plugins/greeter"), { recursive: true });
    await house.greets("UNKNOWN_TOOL");
    await host.generations.rollback(1);
    expect(await house.greet()).toBe("first");
    await host.generations.release();
    expect(await house.greet()).toBe("UNKNOWN_TOOL");
    for (let n = 0; n < 25; n++) await host.reload();
    expect(host.generations.list()).toHaveLength(20);
  });
});
