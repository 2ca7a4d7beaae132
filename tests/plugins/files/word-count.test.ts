import { execFile } from "node:child_process";
import { mkdir, open, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type ToolCase, testTool } from "toolroom/testing";
import { expect, test } from "vitest";
import WordCount from "../../../plugins/_files/tools/word_count.ts";
import { runTool } from "../../helpers/run-tool.ts";
import { makeTree } from "../../helpers/tree.ts";

type Counts = readonly [lines: number, words: number, characters: number, bytes: number];

const counts = (what: string, content: string, [lines, words, characters, bytes]: Counts): ToolCase => ({
  name: `counts ${what}`,
  args: { path: "a.txt" },
  files: { "a.txt": content },
  expect: { status: "success", data: { lines, words, characters, bytes } },
});

const bytes = (path: string, content: readonly number[]): Pick<ToolCase, "setup"> => ({
  setup: async ({ workspace }) => await writeFile(join(workspace, path), Buffer.from(content)),
});

const LONG = `a${"日本 ".repeat(50_000)}`;

testTool("../../../plugins/_files/tools/word_count.ts", {
  cases: [
    {
      name: "counts, and tells where",
      args: { path: "a.txt" },
      files: { "a.txt": "one two\nthree" },
      expect: {
        status: "success",
        message: "a.txt: 2 lines, 3 words, 13 characters.",
        data: { lines: 2, words: 3, characters: 13, bytes: 13 },
      },
      check: ({ context }) =>
        expect(context).toMatchObject({ cwd: ".", args: { path: "a.txt" }, pathResolved: "a.txt" }),
    },
    counts("two lines and five words", "hello big world\nsecond line\n", [2, 5, 28, 28]),
    counts("nothing", "", [0, 0, 0, 0]),
    counts("a line feed", "\n", [1, 0, 1, 1]),
    counts("a blank line at the end", "a\n\n", [2, 1, 3, 3]),
    counts("one character", "a", [1, 1, 1, 1]),
    counts("carriage returns", "a b\r\nc\r\n", [2, 3, 8, 8]),
    counts("code points beyond 16 bits", "naïve 日本 👍🏽", [1, 3, 11, 22]),
    counts("white space of every kind", "a\u00a0b\u3000c\u2003d\te\u200bf", [1, 5, 11, 18]),
    counts("a byte-order mark", "\ufeffa", [1, 1, 1, 4]),
    counts("characters split between two chunks once", LONG, [1, 50_000, 150_001, Buffer.byteLength(LONG)]),
    {
      name: "a sequence cut by the end of the file counts as one replacement",
      args: { path: "cut.txt" },
      ...bytes("cut.txt", [0x61, 0xe6, 0x97]),
      expect: { data: { characters: 2, bytes: 3 } },
    },
    {
      name: "says one line, one word, one character",
      args: { path: "a.txt" },
      files: { "a.txt": "a" },
      expect: { message: "a.txt: 1 line, 1 word, 1 character." },
    },
    {
      name: "a missing file is named, with the next step",
      args: { path: "no.txt" },
      expect: { code: "NOT_FOUND", pointer: "/path", message: /no\.txt[\s\S]*relative to the workspace/u },
    },
    {
      name: "a missing file with a neighbour of nearly the same name",
      args: { path: "dir/readme.txt" },
      files: { "dir/Read-Me.md": "x" },
      expect: { code: "NOT_FOUND", message: /Did you mean dir\/Read-Me\.md\?/u },
    },
    {
      name: "a directory is no file",
      args: { path: "dir" },
      setup: async ({ workspace }) => await mkdir(join(workspace, "dir")),
      expect: { code: "IS_DIRECTORY" },
    },
    {
      name: "a binary file is no text",
      args: { path: "bin" },
      ...bytes("bin", [104, 0, 105]),
      expect: { code: "BINARY_FILE" },
    },
    {
      name: "UTF-16 is refused as what it is",
      args: { path: "wide" },
      ...bytes("wide", [0xff, 0xfe, 104, 0]),
      expect: { code: "BINARY_FILE", message: /found text in UTF-16 in "wide"\nHave it converted to UTF-8/u },
    },
    { name: "an empty path is none", args: { path: "" }, expect: { code: "INVALID_PARAM", pointer: "/path" } },
  ],
});

/** Counts a file of a workspace in a process of its own, and tells by how much that grew. */
const COUNT = `
const [, home, workspace, root] = process.argv;
const { createHost } = await import(home + "/dist/bundle/index.js");
const host = await createHost({ root, workspace, trust: true, env: {} });
await host.call("word_count", { path: "small.txt" });
globalThis.gc();
const before = process.memoryUsage.rss();
let peak = before;
const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 5);
const { data, status } = await host.call("word_count", { path: "huge.txt" });
clearInterval(timer);
await host.close();
console.log(JSON.stringify({ status, data, grown: Math.max(peak, process.memoryUsage.rss()) - before }));
`;

test("a huge file is streamed: 200 MiB in a process that grows by less than 64 MiB", { timeout: 60_000 }, async () => {
  const workspace = makeTree({ "small.txt": "one two\n" });
  const root = makeTree({ "usr/plugins/.gitkeep": "" });
  const text = Buffer.from("word \n");
  const handle = await open(join(workspace, "huge.txt"), "w");
  const size = 200 * 1024 * 1024;
  // What lies between is a hole on the disk, and one word of NULs to whoever reads it.
  await handle.write(Buffer.alloc(16 * 1024, text));
  await handle.write(text, 0, text.length, size - text.length);
  await handle.close();
  const args = ["--expose-gc", "--input-type=module", "-e", COUNT, resolve("."), workspace, root];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { status, data, grown } = JSON.parse(stdout);
  expect({ status, bytes: data.bytes, characters: data.characters }).toEqual({
    status: "success",
    bytes: size,
    characters: size,
  });
  expect(grown).toBeLessThan(64 * 1024 * 1024);
});

test("a long count stops for whoever wants to interrupt it", async () => {
  const workspace = makeTree({ "long.txt": "word ".repeat(7 * 1024 * 1024) });
  let checkpoints = 0;
  const handleIntervention = async () => {
    checkpoints++;
  };
  const options = { id: "word_count", workspace, agent: { handleIntervention } };
  const { result } = await runTool(WordCount, { path: "long.txt" }, options);
  expect(result.data).toMatchObject({ lines: 1, words: 7 * 1024 * 1024 });
  expect(checkpoints).toBe(2);
});
