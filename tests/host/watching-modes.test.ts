import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadShelves, type OpenShelf, type ShelfListeners } from "../../core/watching/chokidar.ts";
import { toolSource } from "../helpers/tree.ts";
import { fragment, pluginFiles } from "./house.ts";
import { FILES, FRAGMENT, statusOf, TOOL, type Watched, watched } from "./watched.ts";

/** Watches that never tell anything. */
const SILENT: OpenShelf = () => ({ ready: Promise.resolve(), remove: () => {}, close: async () => {} });

const HELPED = TOOL.replace("greet.ts", "helped.ts");
const HELPER = "usr/plugins/greeter/lib/word.mjs";
const HELPED_FILES = {
  ...FILES,
  [HELPED]: `import { Tool } from "toolroom";
    import { word } from "../lib/word.mjs";
    export default class extends Tool {
      static readonly risk = "low";
      async execute() { return this.success(word); }
    }`,
  [HELPER]: 'export const word = "one";',
};

/** The same edits for every way of finding them. */
async function findsEdits(house: Watched): Promise<void> {
  const prompt = async () => (await house.host.prompt()).text;
  expect(await house.greet()).toBe("hello");
  expect(await house.answer("helped")).toBe("one");
  expect(await prompt()).toContain("Says hello.");
  house.write({ [TOOL]: toolSource("two") });
  await house.greets("two");
  house.write({ [HELPER]: 'export const word = "two";' });
  await house.answers("helped", "two");
  house.write({ [FRAGMENT]: fragment("Says two.") });
  await house.until(async () => (await prompt()).includes("Says two."));
  house.write({ [TOOL]: "export default" });
  await house.until(async () => (await statusOf(house, "greet"))?.status === "degraded");
  expect(await house.greet()).toBe("two");
  house.write({ [TOOL]: toolSource("three") });
  await house.greets("three");
  house.write(pluginFiles("other", "more", "more"));
  await house.answers("more", "more");
  rmSync(join(house.root, "usr/plugins/greeter"), { recursive: true });
  await house.greets("UNKNOWN_TOOL");
}

describe("a host without events", () => {
  it("finds by polling what there is to find", async () => {
    const internals = { watcher: { mode: "polling", pollMs: 20 } as const };
    await findsEdits(await watched(HELPED_FILES, { internals }));
  });

  it("finds out that there are none, says so, and polls", async () => {
    const house = await watched(HELPED_FILES, { internals: { watcher: { create: SILENT, pollMs: 20 } } });
    expect(house.host.diagnostics().map(({ code }) => code)).toContain("WATCH_POLLING");
    await findsEdits(house);
  });

  it("that were promised finds by looking round", async () => {
    const watcher = { create: SILENT, mode: "events", reconcileMs: 20 } as const;
    const house = await watched(HELPED_FILES, { internals: { watcher } });
    await findsEdits(house);
    expect(new Set(house.receipts.map(({ cause }) => cause))).toEqual(new Set(["look"]));
  });

  it.each(["EMFILE", "ENOSPC"])("goes on by polling when the system has nothing left for them (%s)", async (code) => {
    const real = await loadShelves();
    const opened: ShelfListeners[] = [];
    const create: OpenShelf = (directories, listeners) => {
      opened.push(listeners);
      return real(directories, listeners);
    };
    const house = await watched(HELPED_FILES, { internals: { watcher: { create, pollMs: 20 } } });
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: toolSource("hello2") });
    await house.greets("hello2");
    expect(house.receipts[0]).toMatchObject({ cause: "watch" });
    opened.at(-1)?.error(Object.assign(new Error(`${code}: nothing left`), { code }));
    const [found] = house.host.diagnostics().filter((item) => item.code === "WATCH_POLLING");
    expect(found).toMatchObject({ severity: "warning", message: expect.stringContaining(code) });
    expect(found?.hint).toMatch(/raise/u);
    house.write({ [TOOL]: toolSource("hello") });
    await house.greets("hello");
    await findsEdits(house);
  });
});

describe("a plugin that nothing is in use of", () => {
  const quiet = pluginFiles("quiet", "still", "still");
  const added = { "usr/plugins/quiet/tools/added.ts": toolSource("added") };

  it("is seen by the look round", async () => {
    const house = await watched({ ...FILES, ...quiet }, { internals: { watcher: { reconcileMs: 30 } } });
    await house.greet();
    house.write(added);
    await house.until(async () => (await statusOf(house, "added")) !== undefined);
    expect(house.receipts).toMatchObject([{ cause: "look", files: Object.keys(added) }]);
  });

  it("is seen by an explicit reload, and watched from its first call on", async () => {
    const house = await watched({ ...FILES, ...quiet });
    await house.greet();
    house.write(added);
    await house.caughtUp();
    expect(await statusOf(house, "added")).toBeUndefined();
    expect(await house.host.reload()).toMatchObject({ cause: "request", files: Object.keys(added) });
    expect(await house.answer("added")).toBe("added");
    house.write({ "usr/plugins/quiet/tools/added.ts": toolSource("again") });
    await house.answers("added", "again");
  });
});
