import { describe, expect, test } from "vitest";
import { uniqueDiagnostics } from "../../core/diagnostics.ts";
import { documentFindings } from "../../core/dox/dox.ts";
import { documentRepairs } from "../../core/dox/dox-repairs.ts";
import { DOX_SECTIONS } from "../../core/dox/required-sections.ts";
import type { CheckedTool, CheckSubject } from "../../core/dox/subject.ts";
import type { Tree } from "../helpers/tree.ts";
import { checkedTool, treeFiles, treeSubject } from "./subject.ts";

const whole = DOX_SECTIONS.map((title) => `## ${title}\n\nText.\n`).join("\n");

const find = async (tree: Tree, more: Partial<CheckSubject> = {}) =>
  uniqueDiagnostics(await documentFindings(treeSubject(tree, more)));
const codes = async (tree: Tree, more: Partial<CheckSubject> = {}) => (await find(tree, more)).map(({ code }) => code);

describe("the check of documents", () => {
  test("needs no disk, and no order of the listing", async () => {
    const tree = { "tools/a.ts": "", "tools/b.ts": "", "tools/c.ts.dox.md": whole };
    const turned = Object.fromEntries(Object.entries(tree).reverse());
    expect(await find(tree)).toEqual(await find(turned));
    expect(await find(tree)).toHaveLength(3);
  });

  test("every finding names the file to edit, what was expected, and what to do", async () => {
    const tree = {
      "tools/a.ts": "",
      "tools/b.ts": "",
      "tools/b.dox.md": "",
      "tools/c.ts.dox.md": whole,
      "tools/in/d.ts.dox.md": "",
      "plugins/_p/plugin.yaml": "",
      "plugins/_p/tools/e.ts": "",
    };
    for (const item of await find(tree)) {
      expect(item.file).toMatch(/^(?:tools\/.*\.dox\.md|plugins\/_p\/AGENTS\.md)$/);
      expect(item.message).toMatch(/^expected /);
      expect(item.hint).toMatch(/\.$/);
      expect(item.severity).toBe("error");
    }
    expect(await find(tree)).toHaveLength(13);
  });

  test("a misnamed document is read all the same", async () => {
    const found = await codes({ "tools/a.ts": "", "tools/a.dox.md": "## Purpose\n" });
    expect(found).toContain("DOX_MISNAMED");
    expect(found).toContain("DOX_SECTION_EMPTY");
    expect(found).not.toContain("DOX_MISSING");
  });

  test("CRLF, closing marks and indentation are fine", async () => {
    const text = whole.replace("## Purpose", "  ## Purpose ##").replaceAll("\n", "\r\n");
    expect(await find({ "tools/a.ts": "", "tools/a.ts.dox.md": text })).toEqual([]);
  });

  test("a heading of another level or case is not the section", async () => {
    for (const heading of ["# Purpose", "### Purpose", "## purpose", "##Purpose", "    ## Purpose"]) {
      const text = whole.replace("## Purpose", heading);
      expect(await codes({ "tools/a.ts": "", "tools/a.ts.dox.md": text }), heading).toEqual(["DOX_SECTION_MISSING"]);
    }
  });

  test("what cannot be read is a finding, once", async () => {
    const tree = { "tools/a.ts": "", "tools/a.ts.dox.md": "", "plugins/_p/plugin.yaml": "" };
    const deny = (): never => {
      throw Object.assign(new Error("no"), { code: "EACCES" });
    };
    const files = treeFiles(tree);
    expect(
      await find(tree, { files: { ...files, read: (file) => (file in tree ? deny() : undefined) } }),
    ).toMatchObject([
      { code: "AGENTS_MISSING", file: "plugins/_p/AGENTS.md" },
      { code: "DOX_UNREADABLE", file: "tools/a.ts.dox.md", message: expect.stringContaining("EACCES") },
    ]);
    const list = (directory: string) => (directory === "tools" ? deny() : files.list(directory));
    expect(await find(tree, { files: { ...files, list } })).toMatchObject([
      { code: "AGENTS_MISSING" },
      { code: "DIRECTORY_UNREADABLE", file: "tools" },
    ]);
  });

  test("a person's own directories are looked at when they are asked for", async () => {
    const tree = {
      "usr/tools/own.ts.dox.md": whole,
      "usr/plugins/mine/plugin.yaml": "",
      "usr/plugins/mine/tools/greet.ts": "",
      "usr/plugins/mine/README.md": "[dead](none.md)",
    };
    expect(await find(tree)).toEqual([]);
    expect((await find(tree, { usr: true })).map(({ code, file }) => `${code} ${file}`)).toEqual([
      "DOX_TOOL_UNNAMED usr/plugins/mine/README.md",
      "DOX_LINK usr/plugins/mine/README.md",
      "DOX_ORPHAN usr/tools/own.ts.dox.md",
    ]);
  });

  test("a project that has an AGENTS.md of its own kind is not asked for pages", async () => {
    const tree = { "AGENTS.md": "# How to build\n\n## Build\n\nmake\n", "tests/a.ts": "", "usr/plugins/.gitkeep": "" };
    expect(await find(tree)).toEqual([]);
    expect(await codes({ ...tree, "AGENTS.md": "## Ownership\n" })).toContain("AGENTS_MISSING");
  });

  test("what a plugin does not use is not read", async () => {
    const read: string[] = [];
    const tree: Record<string, string> = {};
    for (let at = 0; at < 50; at++) {
      tree[`usr/plugins/p${at}/plugin.yaml`] = "";
      tree[`usr/plugins/p${at}/tools/t${at}.ts`] = "";
    }
    const files = treeFiles(tree);
    const note = <T>(name: string, value: T): T => {
      read.push(name);
      return value;
    };
    await find(tree, {
      tools: Object.keys(tree).map((file): CheckedTool => checkedTool(file)),
      files: { list: (name) => note(name, files.list(name)), read: (name) => note(name, files.read(name)) },
    });
    expect(read.filter((name) => name.startsWith("usr/"))).toEqual([]);
  });
});

describe("what is written for a person", () => {
  const parameters = {
    type: "object",
    properties: { path: { type: "string", description: "the | file" }, limit: { type: "integer", default: 3 } },
    required: ["path"],
  };
  const source = 'if (gone) return this.failure("NOT_FOUND", "gone");\nreturn this.response({ breakLoop: true });\n';
  const tree = { "tools/a.ts": source, "plugins/_p/plugin.yaml": "", "plugins/_p/tools/b.ts": "" };
  const tools = [
    checkedTool("tools/a.ts", { parameters, risk: "high" }),
    checkedTool("plugins/_p/tools/b.ts", { description: "Does b.", risk: "medium" }),
  ];

  test("what is missing is begun with what the code says, and is told as long as nobody has written the rest", async () => {
    const edits = documentRepairs(treeSubject(tree, { tools }));
    expect(edits.map(({ file }) => file)).toEqual(["tools/a.ts.dox.md", "plugins/_p/AGENTS.md"]);
    const [document, page] = edits.map(({ text }) => text);
    expect(document).toContain(
      [
        "<!-- arguments -->",
        "| name | type | required | default | meaning |",
        "|---|---|---|---|---|",
        "| `path` | string | yes | | the \\| file |",
        "| `limit` | integer | no | `3` | |",
        "<!-- /arguments -->",
      ].join("\n"),
    );
    expect(document).toContain("`breakLoop` is true. Errors: `NOT_FOUND`.");
    expect(document).toContain("Risk: high.");
    expect(page).toContain("| `b` | Does b. | medium |");
    const after = { ...tree, ...Object.fromEntries(edits.map(({ file, text }) => [file, text])) };
    expect(new Set(await codes(after, { tools }))).toEqual(new Set(["DOX_STUB"]));
    expect(documentRepairs(treeSubject(after, { tools }))).toEqual([]);
  });

  test("table and risk are written into one document together, and the words stay", async () => {
    const wrong = whole.replace("## Side effects\n\nText.", "## Side effects\n\n- Risk: `low`, it reads.");
    const files = { "tools/a.ts": "", "tools/a.ts.dox.md": wrong };
    const [edit] = documentRepairs(treeSubject(files, { tools }));
    expect(edit?.description).toBe("write the table of arguments and the risk");
    expect(edit?.text).toContain("\n- Risk: `high`, it reads.\n");
    const [other] = documentRepairs(treeSubject({ ...files, "tools/a.ts.dox.md": whole }, { tools }));
    expect(other?.text).toContain("## Side effects\n\nRisk: high.\n\nText.\n");
  });

  test("nothing is invented for a module that does not load", async () => {
    const [edit] = documentRepairs(treeSubject({ "tools/a.ts": source }));
    expect(edit?.text).toMatch(/^# a\n/);
    expect(edit?.text).not.toContain("arguments -->");
  });
});
