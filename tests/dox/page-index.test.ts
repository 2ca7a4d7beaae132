import { describe, expect, it } from "vitest";
import { documentFindings } from "../../core/dox/dox.ts";
import { documentRepairs } from "../../core/dox/dox-repairs.ts";
import type { Tree } from "../helpers/tree.ts";
import { treeSubject } from "./subject.ts";

const page = (children: string, purpose = "Text.") =>
  `# x\n\n## Purpose\n\n${purpose}\n\n## Ownership\n\nText.\n\n## Local contracts\n\nText.\n\n## Verification\n\nText.\n\n## Children\n\n${children}`;

/** A plugin in each of these folders, with a page that has this purpose. */
const plugins = (purposes: Readonly<Record<string, string>>): Tree =>
  Object.fromEntries(
    Object.entries(purposes).flatMap(([name, purpose]) => [
      [`plugins/${name}/plugin.yaml`, ""],
      [`plugins/${name}/AGENTS.md`, page("None.", purpose)],
    ]),
  );

/** What is written below Children of the page of `plugins/`, and whether that is all that was wrong with it. */
async function repaired(children: string, below: Tree): Promise<string | undefined> {
  const tree: Tree = {
    "AGENTS.md": page("- [plugins](plugins/AGENTS.md)\n"),
    "plugins/AGENTS.md": page(children),
    ...below,
  };
  const edits = documentRepairs(treeSubject(tree));
  const after = { ...tree, ...Object.fromEntries(edits.map(({ file, text }) => [file, text])) };
  expect(await documentFindings(treeSubject(after))).toEqual([]);
  expect(documentRepairs(treeSubject(after))).toEqual([]);
  return edits.find(({ file }) => file === "plugins/AGENTS.md")?.text.split("## Children\n\n")[1];
}

describe("the rows of children", () => {
  const two = plugins({ _a: "Does a. And more.", _b: "Does | b: and so on." });

  it("are left alone where they match the disk, in whatever form", async () => {
    expect(await repaired("See [a](_a/) and [b](./_b/AGENTS.md).\n", two)).toBeUndefined();
    expect(await repaired("None.\n", {})).toBeUndefined();
  });

  it("come into a table with the first sentence of the purpose, sorted", async () => {
    const head = "| plugin | scope | more |\n|---|---|---|\n";
    expect(await repaired(`${head}| [_b](_b/AGENTS.md) | mine | x |\n\nText.\n`, two)).toBe(
      `${head}| [_a](_a/AGENTS.md) | Does a | |\n| [_b](_b/AGENTS.md) | mine | x |\n\nText.\n`,
    );
    expect(await repaired(head, two)).toBe(
      `${head}| [_a](_a/AGENTS.md) | Does a | |\n| [_b](_b/AGENTS.md) | Does \\| b | |\n`,
    );
  });

  it("come into a list, instead of the word that there are none, and behind other words", async () => {
    const list = "- [_a](_a/AGENTS.md)\n- [_b](_b/AGENTS.md)\n";
    expect(await repaired("- [_a](_a/AGENTS.md)\n", two)).toBe(list);
    expect(await repaired("None.\n", two)).toBe(list);
    expect(await repaired("To be written.\n", two)).toBe(list);
    expect(await repaired("These are they.\n", two)).toBe(`These are they.\n\n${list}`);
  });

  it("go with their pages, and those of other pages too", async () => {
    const one = plugins({ _a: "Does a." });
    expect(await repaired("- [_a](_a/AGENTS.md)\n- [_b](_b/AGENTS.md)\n- [root](../AGENTS.md)\n", one)).toBe(
      "- [_a](_a/AGENTS.md)\n",
    );
    expect(await repaired("- [_b](_b/AGENTS.md)\n", {})).toBe("None.\n");
  });

  it("may name pages further down, where no nearer one is above them", async () => {
    const deep = { "plugins/x/y/AGENTS.md": page("None.\n") };
    expect(await repaired("- [y](x/y/AGENTS.md)\n", deep)).toBeUndefined();
    expect(await repaired("None.\n", deep)).toBeUndefined();
  });
});
