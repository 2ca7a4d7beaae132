import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ToolCase, testTool } from "toolroom/testing";
import { expect } from "vitest";

/** A file that is replaced by text, and what stands in it afterwards. */
const replaces = (what: string, before: string, content: string, after: string): ToolCase => ({
  name: `replaces ${what}`,
  args: { path: "a.txt", content },
  files: { "a.txt": before },
  expect: { status: "success" },
  check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(after),
});

testTool("../../../plugins/_files/tools/file_write.ts", {
  cases: [
    {
      name: "makes a file and the directories that are missing",
      args: { path: "new/deep/a.txt", content: "one\ntwo\n" },
      expect: {
        status: "success",
        message: "Created new/deep/a.txt: 2 lines, 8 bytes.",
        data: { path: "new/deep/a.txt", bytes: 8, created: true, written: true, added: 2, removed: 0 },
      },
      check: async ({ context }, { workspace }) => {
        expect(context.pathResolved).toBe("new/deep/a.txt");
        expect(await readFile(join(workspace, "new/deep/a.txt"), "utf8")).toBe("one\ntwo\n");
      },
    },
    {
      name: "replaces a file, keeps its mode and tells what changed",
      args: { path: "run.sh", content: "one\n2\nthree\n" },
      files: { "run.sh": "one\ntwo\nthree\n" },
      setup: async ({ workspace }) => await chmod(join(workspace, "run.sh"), 0o751),
      expect: {
        message: "Replaced run.sh: 3 lines, 12 bytes (+1 −1 lines).",
        data: {
          created: false,
          added: 1,
          removed: 1,
          diff: "--- a/run.sh\n+++ b/run.sh\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        },
      },
      check: async (_, { workspace }) => {
        expect((await stat(join(workspace, "run.sh"))).mode & 0o777).toBe(0o751);
      },
    },
    replaces("CRLF by CRLF, where the new text has line feeds only", "a\r\nb\r\n", "c\nd\n", "c\r\nd\r\n"),
    replaces("what has both kinds as it is given", "a\r\nb\n", "c\nd\n", "c\nd\n"),
    replaces("line feeds as it is given", "a\nb\n", "c\r\nd\r\n", "c\r\nd\r\n"),
    replaces("text with a byte-order mark by text with one", "\ufeffa\r\n", "b\n", "\ufeffb\r\n"),
    replaces("text by nothing", "a\n", "", ""),
    {
      name: "writes the bytes of base64 as they are, also where the file has CRLF",
      args: { path: "a.txt", content: Buffer.from("c\nd\n").toString("base64"), encoding: "base64" },
      files: { "a.txt": "a\r\n" },
      expect: { message: "Replaced a.txt: 4 bytes.", data: { bytes: 4, encoding: "base64" } },
      check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("c\nd\n"),
    },
    {
      name: "leaves a file alone that holds the content already",
      args: { path: "a.txt", content: "same\n" },
      files: { "a.txt": "same\n" },
      expect: { message: /holds this already/u, data: { written: false } },
    },
    {
      name: "replaces what is no text",
      args: { path: "bin", content: "text" },
      setup: async ({ workspace }) => await writeFile(join(workspace, "bin"), Buffer.from([1, 0, 2])),
      expect: { message: "Replaced bin: 1 line, 4 bytes.", data: { bytes: 4 } },
    },
    {
      name: "writes through no link, and names the file that it leads to",
      args: { path: "link.txt", content: "x" },
      files: { "real.txt": "r" },
      setup: async ({ workspace }) => await symlink("real.txt", join(workspace, "link.txt")),
      expect: { code: "INVALID_PARAM", pointer: "/path", message: /Name the file itself: real\.txt/u },
      check: async (_, { workspace }) => expect(await readFile(join(workspace, "real.txt"), "utf8")).toBe("r"),
    },
    {
      name: "tells that a directory on the way is a file",
      args: { path: "a.txt/b.txt", content: "x" },
      files: { "a.txt": "" },
      expect: { code: "NOT_FOUND", message: /one of the directories in it is a file/u },
    },
    {
      name: "tells of a file on one line, whatever its name",
      args: { path: "a\nb", content: "x" },
      expect: { status: "success", message: 'Created "a\\nb": 1 line, 1 byte.' },
    },
    {
      name: "a directory is no file",
      args: { path: "dir", content: "x" },
      setup: async ({ workspace }) => await mkdir(join(workspace, "dir")),
      expect: { code: "IS_DIRECTORY" },
    },
    {
      name: "the name of a directory is none of a file",
      args: { path: "new/", content: "x" },
      expect: { code: "INVALID_PARAM", pointer: "/path" },
    },
    {
      name: "what is no base64 is told",
      args: { path: "a.bin", content: "a_b", encoding: "base64" },
      expect: { code: "INVALID_PARAM", pointer: "/content" },
    },
    {
      name: "content over the limit is refused",
      args: { path: "a.txt", content: "x".repeat(10 * 1024 * 1024 + 1) },
      expect: { code: "TOO_LARGE", pointer: "/content" },
    },
  ],
});
