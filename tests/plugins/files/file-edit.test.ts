import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "toolroom";
import { type ToolCase, testTool } from "toolroom/testing";
import { expect } from "vitest";

const CODE = "function add(a, b) {\n  return a + b;\n}\n";

/** A file that is edited, and what stands in it afterwards. */
const edits = (what: string, before: string, args: JsonObject, after: string): ToolCase => ({
  name: `edits ${what}`,
  args: { path: "a.txt", ...args },
  files: { "a.txt": before },
  expect: { status: "success" },
  check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(after),
});

/** An edit that finds nothing, and what it is told. */
const misses = (what: string, before: string, old_string: string, message: RegExp): ToolCase => ({
  name: `tells that ${what}`,
  args: { path: "a.txt", old_string, new_string: "x" },
  files: { "a.txt": before },
  expect: { code: "INVALID_PARAM", pointer: "/old_string", message },
  check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(before),
});

const refused = (args: JsonObject, pointer: string, message: RegExp, before = CODE): ToolCase => ({
  name: `refuses ${JSON.stringify(args).slice(0, 100)}`,
  args: { path: "a.txt", ...args },
  files: { "a.txt": before },
  expect: { code: "INVALID_PARAM", pointer, message },
  check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(before),
});

const DIFF = "--- a/a.js\n+++ b/a.js\n@@ -1,3 +1,3 @@\n function add(a, b) {\n-  return a + b;\n+  return a - b;\n }\n";

testTool("../../../plugins/_files/tools/file_edit.ts", {
  args: { path: "sample.txt", old_string: "before", new_string: "after" },
  files: { "sample.txt": "before\n" },
  cases: [
    {
      name: "replaces one place, and tells which lines",
      args: { path: "a.js", old_string: "a + b", new_string: "a - b" },
      files: { "a.js": CODE },
      expect: {
        status: "success",
        message: "a.js: replaced 1 place (line 2), +1 −1 lines.",
        data: { path: "a.js", replacements: 1, lines: [{ from: 2, to: 2 }], added: 1, removed: 1, diff: DIFF },
      },
      check: ({ context }) => expect(context.pathResolved).toBe("a.js"),
    },
    {
      name: "a dry run shows the change and writes nothing",
      args: { path: "a.js", old_string: "a + b", new_string: "a - b", dry_run: true },
      files: { "a.js": CODE },
      expect: {
        status: "success",
        message: `a.js: nothing was written. This would replace 1 place (line 2), +1 −1 lines:\n${DIFF}`,
      },
      check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.js"), "utf8")).toBe(CODE),
    },
    edits("nothing away", "abc", { old_string: "b", new_string: "" }, "ac"),
    edits(
      "several places at once, each of the file as it was",
      "one two three",
      {
        edits: [
          { old_string: "three", new_string: "one" },
          { old_string: "one", new_string: "two" },
          { old_string: "two", new_string: "three" },
        ],
      },
      "two three one",
    ),
    edits(
      "neighbours",
      "abcd",
      {
        edits: [
          { old_string: "ab", new_string: "1" },
          { old_string: "cd", new_string: "2" },
        ],
      },
      "12",
    ),
    edits(
      "CRLF by text with line feeds",
      "a\r\nb\r\nc\r\n",
      { old_string: "a\nb", new_string: "1\n2\n3" },
      "1\r\n2\r\n3\r\nc\r\n",
    ),
    edits("one line of CRLF into several", "a\r\nb\r\n", { old_string: "b", new_string: "1\n2" }, "a\r\n1\r\n2\r\n"),
    edits("line feeds by text with CRLF", "a\nb\n", { old_string: "a\r\nb", new_string: "1\r\n2" }, "1\n2\n"),
    edits(
      "both kinds of line ends, each as it is there",
      "a\r\nb\nc\n",
      {
        edits: [
          { old_string: "a\nb", new_string: "1\n2" },
          { old_string: "c\n", new_string: "3\n4\n" },
        ],
      },
      "1\r\n2\n3\n4\n",
    ),
    edits("a file with a byte-order mark", "\ufeffa\r\nb", { old_string: "a", new_string: "1" }, "\ufeff1\r\nb"),
    edits("what $ and & stand in", "a$b", { old_string: "$b", new_string: "$&$1$$" }, "a$&$1$$"),
    misses(
      "indentation differs",
      "if x:\n\treturn 1\n",
      "if x:\n    return 1",
      /indentation from lines 1 to 2, which are "if x:\\n\\treturn 1"/u,
    ),
    misses("white space differs", "a  =  1\n", "a = 1", /white space from line 1, which is "a {2}= {2}1"/u),
    misses("white space is missing", "f(a, b)\n", "f(a,b)", /white space from line 1, which is "f\(a, b\)"/u),
    misses("a space is none", "x\na\u00a0b\n", "a b", /white space from line 2, which is "a\\u00a0b"/u),
    misses(
      "the case differs",
      "Hello World\n",
      "hello world",
      /upper and lower case from line 1, which is "Hello World"/u,
    ),
    misses("quotation marks differ", "say \u201chi\u201d\n", 'say "hi"', /quotation marks or dashes from line 1/u),
    misses("line ends differ", "a\rb\n", "a\nb", /line ends from line 1/u),
    misses("line numbers were copied", "one\ntwo\n", "1: one\n2: two", /line numbers in front/u),
    misses("it is escaped once too often", "a\nb\n", "a\\nb", /escaped once too often/u),
    misses(
      "a line resembles it",
      "the quick brown fox jumps\n",
      "the quick brown dog jumps",
      /nearest is line 1, which is "the quick/u,
    ),
    misses("nothing resembles it", "abc\n", "something else", /the text is not in the file\. Nothing/u),
    refused({ old_string: "a", new_string: "x" }, "/old_string", /found it 3 times \(lines 1, 2\)/u, "a a\na\n"),
    refused({ old_string: "", new_string: "x" }, "/old_string", /empty/u),
    refused({ old_string: "add", new_string: "add" }, "/old_string", /same/u),
    refused({ old_string: "add" }, "/new_string", /new_string/u),
    refused({}, "/old_string", /found none/u),
    refused({ old_string: "a", new_string: "b", edits: [{ old_string: "a", new_string: "b" }] }, "/edits", /both/u),
    refused(
      {
        edits: [
          { old_string: "add", new_string: "x" },
          { old_string: "none of it", new_string: "x" },
        ],
      },
      "/edits/1/old_string",
      /not in the file/u,
    ),
    refused(
      {
        edits: [
          { old_string: "a + b", new_string: "x" },
          { old_string: "+ b;", new_string: "x" },
        ],
      },
      "/edits/1/old_string",
      /overlap in line 2/u,
    ),
    {
      name: "refuses binary content",
      args: { path: "bin", old_string: "a", new_string: "b" },
      setup: async ({ workspace }) => await writeFile(join(workspace, "bin"), Buffer.from([97, 0])),
      expect: { code: "BINARY_FILE" },
    },
    {
      name: "refuses what is not UTF-8",
      args: { path: "latin", old_string: "a", new_string: "b" },
      setup: async ({ workspace }) => await writeFile(join(workspace, "latin"), Buffer.from([97, 0xe9])),
      expect: { code: "BINARY_FILE" },
    },
    {
      name: "refuses UTF-16, as what it is",
      args: { path: "wide", old_string: "a", new_string: "b" },
      setup: async ({ workspace }) => await writeFile(join(workspace, "wide"), Buffer.from([0xff, 0xfe, 97, 0])),
      expect: { code: "BINARY_FILE", message: /found text in UTF-16 in wide/u },
    },
    {
      name: "tells of a file on one line, whatever its name",
      args: { path: "a\nb", old_string: "a", new_string: "b" },
      files: { "a\nb": "a" },
      expect: { status: "success", message: '"a\\nb": replaced 1 place (line 1), +1 −1 lines.' },
      check: ({ data }) => expect(data.diff).toMatch(/^--- "a\/a\\nb"\n\+\+\+ "b\/a\\nb"\n@@/u),
    },
    {
      name: "a file that is not there",
      args: { path: "Main.js", old_string: "a", new_string: "b" },
      files: { "main.js": "a" },
      expect: { code: "NOT_FOUND", pointer: "/path", message: /Did you mean main\.js/u },
    },
    {
      name: "a directory is no file",
      args: { path: "dir", old_string: "a", new_string: "b" },
      setup: async ({ workspace }) => await mkdir(join(workspace, "dir")),
      expect: { code: "IS_DIRECTORY" },
    },
    {
      name: "keeps the mode of the file",
      args: { path: "a.txt", old_string: "a", new_string: "b" },
      files: { "a.txt": "a" },
      setup: async ({ workspace }) => await chmod(join(workspace, "a.txt"), 0o755),
      check: async (_, { workspace }) => expect((await stat(join(workspace, "a.txt"))).mode & 0o777).toBe(0o755),
    },
  ],
});
