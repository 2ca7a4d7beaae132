import { appendFileSync, existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolSource } from "../helpers/tree.ts";
import { pluginFiles } from "./house.ts";
import { FILES, statusOf, TOOL, watched } from "./watched.ts";

const HELPER = "usr/plugins/greeter/lib/word.ts";
const word = (text: string): string => `export const word = ${JSON.stringify(text)};\n`;
const WITH_HELPER = {
  ...FILES,
  [TOOL]: `import { Tool } from "toolroom";
    import { word } from "../lib/word.ts";
    export default class extends Tool {
      static readonly risk = "low";
      async execute() { return this.success(word); }
    }`,
  [HELPER]: word("one"),
};

describe("the version before", () => {
  it("goes on through reloads that come before anybody calls", async () => {
    const house = await watched();
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: "export default" });
    await house.until(() => house.receipts.length === 1);
    for (let n = 0; n < 3; n++) await house.caughtUp();
    expect(await house.greet()).toBe("hello");
  });

  it("is known of a tool that was called before a reload and not since", async () => {
    const house = await watched(WITH_HELPER);
    expect(await house.greet()).toBe("one");
    await house.caughtUp();
    house.write({ [HELPER]: "export const word =" });
    await house.until(() => house.receipts.some(({ files }) => files.includes(HELPER)));
    expect(await house.greet()).toBe("one");
    expect(await statusOf(house, "greet")).toMatchObject({ status: "degraded" });
  });

  it("of an extension goes on in the same way", async () => {
    const extension = "usr/plugins/greeter/extensions/tool_execute_before/_10_say.ts";
    const says = (text: string): string => `import { Extension } from "toolroom";
      export default class extends Extension<"tool_execute_before"> {
        execute() { globalThis.said = [...(globalThis.said ?? []), ${JSON.stringify(text)}]; }
      }`;
    const house = await watched({ ...FILES, [extension]: says("one") });
    const said = () => (globalThis as { said?: string[] }).said?.splice(0) ?? [];
    await house.greet();
    expect(said()).toEqual(["one"]);
    house.write({ [extension]: "export default" });
    await house.until(() => house.receipts.some(({ files }) => files.includes(extension)));
    for (let n = 0; n < 2; n++) await house.caughtUp();
    await house.greet();
    expect(said()).toEqual(["one"]);
    house.write({ [extension]: says("two") });
    await house.until(async () => {
      await house.greet();
      return said().at(-1) === "two";
    });
  });
});

describe("a helper that could not be used", () => {
  it("is taken at its first good save, with nothing else happening", async () => {
    const house = await watched(WITH_HELPER);
    expect(await house.greet()).toBe("one");
    for (const text of ["two", "three"]) {
      house.write({ [HELPER]: "export const word =" });
      await house.until(async () => (await statusOf(house, "greet"))?.status === "degraded");
      house.write({ [HELPER]: word(text) });
      await house.greets(text);
    }
  });

  it("is not tried again for a touch", async () => {
    const house = await watched(WITH_HELPER);
    await house.greet();
    house.write({ [HELPER]: "export const word =" });
    await house.until(() => house.receipts.length === 1);
    for (let time = 0; time < 20; time++) utimesSync(join(house.root, HELPER), time, time);
    await house.caughtUp();
    expect(house.receipts).toHaveLength(2);
  });

  it("is found by an explicit reload of a host that does not watch, also with the size and times of before", async () => {
    const house = await watched(WITH_HELPER, { watch: false });
    expect(await house.greet()).toBe("one");
    const file = join(house.root, HELPER);
    const at = new Date(1_700_000_000_000);
    const put = (text: string): void => {
      house.write({ [HELPER]: text });
      utimesSync(file, at, at);
    };
    put("export const word = 1 +;\n");
    expect(await house.host.reload()).toMatchObject({ status: "failed", diagnostics: [{ code: "LOAD_SYNTAX" }] });
    expect(await house.greet()).toBe("one");
    put('export const word = "22";\n');
    expect(await house.host.reload()).toMatchObject({ status: "ok" });
    expect(await house.greet()).toBe("22");
  });
});

/** A loop is given up sooner. */
const IMPATIENT = { "usr/settings.yaml": "tools:\n  loadTimeoutMs: 1000\n" };

describe("a module that a probe refused", { timeout: 60_000 }, () => {
  const runs = (root: string): number =>
    existsSync(join(root, "runs")) ? readFileSync(join(root, "runs"), "utf8").length : 0;
  const loops = (root: string): string =>
    `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(join(root, "runs"))}, "x");\nfor (;;) {}\n${toolSource("never")}`;

  it("is not tried again, and not run by the host, for a change elsewhere; it is after one in its plugin", async () => {
    const house = await watched({ ...FILES, ...pluginFiles("other", "fine", "fine"), ...IMPATIENT }, { probe: true });
    const { root } = house;
    await house.answers("fine", "fine");
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: loops(root) });
    await house.until(() => house.receipts.length === 1);
    expect(house.receipts[0]).toMatchObject({ status: "failed", diagnostics: [{ code: "PROBE_TIMEOUT", file: TOOL }] });
    const before = runs(root);
    for (const text of ["two", "three"]) {
      house.write({ "usr/plugins/other/tools/fine.ts": toolSource(text) });
      await house.answers("fine", text);
      expect(await house.greet()).toBe("hello");
    }
    expect(runs(root)).toBe(before);
    house.write({ [TOOL]: toolSource("mended") });
    await house.greets("mended");
  });

  it("stays refused where no version before serves", async () => {
    const house = await watched({ ...FILES, ...pluginFiles("other", "fine", "fine"), ...IMPATIENT }, { probe: true });
    await house.greet();
    await house.answers("fine", "fine");
    house.write({ "usr/plugins/greeter/tools/late.ts": loops(house.root) });
    await house.until(() => house.receipts.some(({ diagnostics }) => diagnostics[0]?.code === "PROBE_TIMEOUT"));
    house.write({ "usr/plugins/other/tools/fine.ts": toolSource("two") });
    await house.answers("fine", "two");
    expect(await house.answer("late")).toBe("TOOL_LOAD_FAILED");
  });
});

it("a text that is appended while it is looked at is taken to its end", async () => {
  const house = await watched();
  await house.greet();
  const file = join(house.root, TOOL);
  for (const text of ["one", "two", "three"]) {
    rmSync(file);
    for (const part of toolSource(text).split(/(?<=\n)/u)) {
      appendFileSync(file, part);
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
    await house.greets(text);
  }
});
