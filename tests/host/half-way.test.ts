import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { manifest, writeTree } from "../helpers/tree.ts";
import { fragment, pluginFiles } from "./house.ts";
import { FILES, TOOL, watched } from "./watched.ts";

const SETTINGS = "usr/settings.yaml";
const GATE = "usr/plugins/other/lib/gate.mjs";

const importing = (what: string, specifier: string): string => `import { Tool } from "toolroom";
import ${what} from ${JSON.stringify(specifier)};
export default class extends Tool {
  static readonly risk = "low";
  async execute() { return this.success(word); }
}
`;
const OPEN = 'export const word = "one";\n';

/** A module that says that it is being loaded, and waits to be let on. */
const gated = (root: string): string => `import { existsSync, writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(join(root, "begun"))}, "");
while (!existsSync(${JSON.stringify(join(root, "go"))})) await new Promise((resolve) => setTimeout(resolve, 1));
export const word = "two";
`;

const house = async (more: Parameters<typeof watched>[0] = {}) => {
  const made = await watched({
    ...FILES,
    [TOOL]: importing("{ word }", "../../other/lib/gate.mjs"),
    ...pluginFiles("other", "fine", "fine"),
    [GATE]: OPEN,
    ...more,
  });
  expect(await made.greet()).toBe("one");
  const isLoading = async () => await made.until(() => existsSync(join(made.root, "begun")));
  return { ...made, isLoading };
};

it("a file of settings that is emptied while its change waits for a reload before it is not taken for empty", async () => {
  const { host, root, write, until, receipts, isLoading } = await house({
    ...pluginFiles("asking", "ask", "asked"),
    "usr/plugins/asking/prompts/agent.system.tool.ask.md": fragment("Asks.", "when: flags.on\n"),
    [SETTINGS]: "flags: {on: true}\n",
  });
  const codes = new Set<string | undefined>();
  const ask = async () => codes.add((await host.call("ask", {})).error?.code);
  await ask();
  write({ [GATE]: gated(root) });
  await isLoading();
  write({ [SETTINGS]: "flags: {on: true}\nlocale: en\n" });
  // It is told, and not empty yet.
  await sleep(150);
  write({ [SETTINGS]: "" });
  host.on("reload", () => void ask());
  const before = receipts.length;
  write({ go: "" });
  await until(() => receipts.length > before);
  await sleep(20);
  write({ [SETTINGS]: "flags: {on: true}\nlocale: de\n" });
  await until(() => receipts.some(({ files }) => files.includes(SETTINGS)));
  await ask();
  expect([...codes]).toEqual([undefined]);
});

it("a tool that goes, and data of it that is broken, after they were found are served by what was found", async () => {
  const { host, root, write, until, isLoading } = await house();
  const [here, aside] = [join(root, "usr/plugins/other"), join(root, "aside")];
  writeTree(aside, {
    "plugin.yaml": manifest("other"),
    "tools/late.ts": importing("word", "../data.json"),
    "data.json": '"late"',
    "lib/gate.mjs": gated(root),
  });
  const answers: Promise<string>[] = [];
  host.on("reload", ({ files }) => {
    if (files.includes("usr/plugins/other/tools/late.ts"))
      answers.push(host.call("late", {}).then(({ message }) => message));
  });
  renameSync(here, join(root, "gone"));
  renameSync(aside, here);
  await isLoading();
  rmSync(join(here, "tools/late.ts"));
  write({ "usr/plugins/other/data.json": '"late' });
  write({ go: "" });
  await until(() => answers.length > 0);
  expect(await answers[0]).toBe("late");
});
