import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import WordCount from "../../../plugins/_files/tools/word_count.ts";
import { type RunOptions, runTool, tempDir } from "../../helpers/run-tool.ts";

let workspace: string;

beforeAll(async () => {
  const outer = await tempDir();
  workspace = join(outer, "work");
  await mkdir(join(workspace, "dir"), { recursive: true });
  await writeFile(join(outer, "x"), "outside");
  await symlink("/etc", join(workspace, "l"));
  await writeFile(join(workspace, "bin"), Buffer.from([104, 0, 105]));
});

async function count(path: string, more: Partial<RunOptions> = {}) {
  return (await runTool(WordCount, { path }, { id: "word_count", workspace, ...more })).result;
}

async function countText(content: string | Uint8Array) {
  await writeFile(join(workspace, "a.txt"), content);
  return count("a.txt");
}

describe("word_count", () => {
  test("counts, and tells where", async () => {
    const result = await countText("one two\nthree");
    expect(result).toMatchObject({
      status: "success",
      message: "a.txt: 2 lines, 3 words, 13 characters.",
      data: { lines: 2, words: 3, characters: 13, bytes: 13 },
      context: { cwd: ".", args: { path: "a.txt" }, pathResolved: "a.txt" },
    });
    expect(result.stats.durationMs).toBeGreaterThanOrEqual(0);
    expect(WordCount.output.parse(result.data)).toEqual(result.data);
  });

  test.each([
    ["two lines and five words", "hello big world\nsecond line\n", [2, 5, 28, 28]],
    ["nothing", "", [0, 0, 0, 0]],
    ["a line feed", "\n", [1, 0, 1, 1]],
    ["a blank line at the end", "a\n\n", [2, 1, 3, 3]],
    ["one character", "a", [1, 1, 1, 1]],
    ["carriage returns", "a b\r\nc\r\n", [2, 3, 8, 8]],
    ["code points beyond 16 bits", "naïve 日本 👍🏽", [1, 3, 11, 22]],
    ["white space of every kind", "a\u00a0b\u3000c\u2003d\te\u200bf", [1, 5, 11, 18]],
    ["a byte-order mark", "\ufeffa", [1, 1, 1, 4]],
  ])("%s", async (_, content, [lines, words, characters, bytes]) => {
    expect((await countText(content as string)).data).toEqual({ lines, words, characters, bytes });
  });

  test("a sequence cut by the end of the file counts as one replacement", async () => {
    expect((await countText(Buffer.from([0x61, 0xe6, 0x97]))).data).toMatchObject({ characters: 2, bytes: 3 });
  });

  test("characters split between two chunks are counted once", async () => {
    const text = `a${"日本 ".repeat(50_000)}`;
    expect((await countText(text)).data).toEqual({
      lines: 1,
      words: 50_000,
      characters: 150_001,
      bytes: Buffer.byteLength(text),
    });
  });

  test("singular where it is one", async () => {
    expect((await countText("a")).message).toBe("a.txt: 1 line, 1 word, 1 character.");
  });

  test("a missing file is named, with the next step", async () => {
    const result = await count("no.txt");
    expect(result).toMatchObject({ status: "error", data: {}, error: { code: "NOT_FOUND", pointer: "/path" } });
    expect(result.message).toMatch(/no\.txt[\s\S]*relative to the workspace/);
  });

  test("a missing file with a neighbour of nearly the same name", async () => {
    await writeFile(join(workspace, "dir", "Read-Me.md"), "x");
    expect((await count("dir/readme.txt")).error?.hint).toContain("Did you mean dir/Read-Me.md?");
  });

  test.each(["../x", "../nothing", "/etc/passwd", "/etc/nothing", "l/passwd", "l/nothing"])(
    "%s is denied",
    async (path) => {
      const result = await count(path);
      expect(result).toMatchObject({ status: "error", data: {}, error: { code: "ACCESS_DENIED", class: "policy" } });
      expect(result.message).not.toMatch(/root:|exist|found/i);
    },
  );

  test.each([
    ["dir", "IS_DIRECTORY"],
    ["bin", "BINARY_FILE"],
    ["", "INVALID_PARAM"],
  ])("%j is %s", async (path, code) => {
    expect(await count(path)).toMatchObject({ status: "error", error: { code } });
  });

  test("an aborted call reads nothing", async () => {
    const result = await count("a.txt", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: "error", error: { code: "ABORTED" } });
  });

  test("a huge file is streamed", { timeout: 60_000 }, async () => {
    const block = Buffer.from("word ".repeat(13_107));
    const file = join(workspace, "huge.txt");
    await writeFile(file, block);
    const blocks = 1600;
    const { open } = await import("node:fs/promises");
    const handle = await open(file, "a");
    for (let index = 1; index < blocks; index++) await handle.write(block);
    await handle.close();
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    let checkpoints = 0;
    const handleIntervention = async () => {
      checkpoints++;
    };
    const result = await count("huge.txt", { agent: { handleIntervention } });
    clearInterval(timer);
    await truncate(file, 0);
    expect(result.data).toMatchObject({ lines: 1, words: 13_107 * blocks, bytes: block.length * blocks });
    expect(peak - before).toBeLessThan(64 * 1024 * 1024);
    expect(checkpoints).toBeGreaterThan(4);
  });
});
