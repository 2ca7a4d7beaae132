import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testTool } from "toolroom/testing";
import { expect } from "vitest";

const FILES = { "a.ts": "one\ntwo foo\nthree\nfour\nfive foo\n", "src/b.ts": "foo\r\nbar\r\n", "c.md": "nothing" };

testTool("../../../plugins/_files/tools/content_search.ts", {
  cases: [
    {
      name: "tells the lines that match, and where",
      args: { pattern: "foo" },
      files: FILES,
      expect: {
        status: "success",
        message: "a.ts\n2: two foo\n5: five foo\n\nsrc/b.ts\n1: foo\n\n[3 matching lines in 2 files.]",
        data: {
          mode: "content",
          matches: [
            { file: "a.ts", line: 2, text: "two foo" },
            { file: "a.ts", line: 5, text: "five foo" },
            { file: "src/b.ts", line: 1, text: "foo" },
          ],
          totals: { matches: 3, files: 2 },
          cut: [],
          engine: "ripgrep",
        },
      },
      check: ({ data }) => expect(data).not.toHaveProperty("reason"),
    },
    {
      name: "shows lines beside, each once",
      args: { pattern: "foo", path: "a.ts", context_before: 1, context_after: 1 },
      files: FILES,
      expect: {
        message: "a.ts\n1- one\n2: two foo\n3- three\n4- four\n5: five foo\n\n[2 matching lines in 1 file.]",
        data: { engine: "built-in", reason: "a single file" },
      },
    },
    {
      name: "tells which files match",
      args: { pattern: "FOO", case_sensitive: false, output_mode: "files_with_matches" },
      files: FILES,
      expect: { message: "a.ts\nsrc/b.ts\n\n[3 matching lines in 2 files.]", data: { matches: [] } },
    },
    {
      name: "counts",
      args: { pattern: "foo$", output_mode: "count", include: "*.ts" },
      files: FILES,
      expect: { message: "a.ts: 2\nsrc/b.ts: 1\n\n[3 matching lines in 2 files.]" },
    },
    {
      name: "matches across lines",
      args: { pattern: "two.*\\n.*ee", multiline: true },
      files: FILES,
      expect: { message: "a.ts\n2: two foo\n3: three\n\n[1 match in 1 file.]" },
    },
    {
      name: "says that nothing matches, and what was left out",
      args: { pattern: "absent" },
      files: FILES,
      expect: { status: "success", message: "[Nothing matches. Hidden, ignored and binary files are left out.]" },
    },
    {
      name: "says how many there are when it tells not all",
      args: { pattern: "foo", max_results: 1 },
      files: FILES,
      expect: {
        status: "partial",
        message: /\n2: two foo\n\n\[Cut; there are 3 matching lines in 2 files in all\./,
        data: { cut: ["results"], totals: { matches: 3, files: 2 } },
      },
    },
    {
      name: "ends at a megabyte",
      args: { pattern: "x", max_results: 1000, context_after: 50 },
      files: Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`f${index}`, `x\n${`${"y".repeat(990)}\n`.repeat(50)}`]),
      ),
      expect: { status: "partial", data: { cut: ["output"], totals: { matches: 30, files: 30 } } },
    },
    {
      name: "shows a long line around its match",
      args: { pattern: "needle" },
      files: { a: `${"é".repeat(3_000)}needle${"x".repeat(3_000)}` },
      expect: { message: /^a\n1: …é+needlex+…\n/ },
      check: ({ message }) => expect(message.length).toBeLessThan(1_100),
    },
    {
      name: "leads nowhere through a link",
      args: { pattern: "root|foo" },
      files: FILES,
      setup: async ({ workspace }) => {
        await symlink("/etc/passwd", join(workspace, "passwd"));
        await symlink("/etc", join(workspace, "etc"));
        await symlink("a.ts", join(workspace, "again.ts"));
      },
      expect: { data: { totals: { matches: 3, files: 2 } } },
    },
    {
      name: "leaves out what is binary",
      args: { pattern: "foo" },
      setup: async ({ workspace }) => await writeFile(join(workspace, "a"), "foo\0"),
      expect: { data: { totals: { matches: 0, files: 0 } } },
    },
    {
      name: "names the construct that it does not understand",
      args: { pattern: "foo(?=bar)" },
      expect: { code: "INVALID_PARAM", pointer: "/pattern", message: /\(\?=…\): look-around is not understood/ },
    },
    { name: "refuses a path outside", args: { pattern: "a", path: "../x" }, expect: { code: "ACCESS_DENIED" } },
    {
      name: "refuses a glob that leads upwards",
      args: { pattern: "a", include: "../*" },
      expect: { code: "ACCESS_DENIED", pointer: "/include" },
    },
    {
      name: "tells of a path that is not there",
      args: { pattern: "a", path: "none" },
      expect: { code: "NOT_FOUND", pointer: "/path" },
    },
  ],
});
