import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import FileRead from "../../../plugins/_files/tools/file_read.ts";
import { runTool, tempDir } from "../../helpers/run-tool.ts";

let workspace: string;

beforeAll(async () => {
  workspace = join(await tempDir(), "work");
  await mkdir(join(workspace, "dir"), { recursive: true });
  await writeFile(join(workspace, "five.txt"), "one\ntwo\nthree\nfour\nfive\n");
  await writeFile(join(workspace, "crlf.txt"), "\ufeffone\r\n\r\ntwo");
  await writeFile(join(workspace, "empty.txt"), "");
  await writeFile(join(workspace, "latin.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x62]));
  await writeFile(join(workspace, "bin"), Buffer.from([1, 0, 2]));
  await symlink("/etc", join(workspace, "l"));
  const big = await open(join(workspace, "big.txt"), "w");
  await big.truncate(10 * 1024 * 1024 + 1);
  await big.close();
});

async function read(path: string, more: Record<string, string | number> = {}) {
  return (await runTool(FileRead, { path, ...more }, { id: "file_read", workspace })).result;
}

describe("file_read", () => {
  test("numbers the lines and says how many there are", async () => {
    expect(await read("five.txt")).toMatchObject({
      status: "success",
      message: "1: one\n2: two\n3: three\n4: four\n5: five\n\n[5 lines, all of the file.]",
      data: { path: "five.txt", encoding: "utf8", bytes: 24, lines: 5, from: 1, to: 5 },
      context: { pathResolved: "five.txt" },
    });
  });

  test.each([
    [{ offset: 2, limit: 2 }, "2: two\n3: three\n\n[Lines 2 to 3 of 5.]"],
    [{ offset: 4 }, "4: four\n5: five\n\n[Lines 4 to 5 of 5.]"],
    [{ limit: 1 }, "1: one\n\n[Lines 1 to 1 of 5.]"],
    [{ limit: 99 }, "1: one\n2: two\n3: three\n4: four\n5: five\n\n[5 lines, all of the file.]"],
    [{ offset: 6 }, "\n[No lines in this range: the file has 5 lines.]"],
  ])("reads the part %j", async (part, message) => {
    expect(await read("five.txt", part)).toMatchObject({ status: "success", message });
  });

  test("an empty file is an empty message", async () => {
    expect(await read("empty.txt")).toMatchObject({ status: "success", message: "", data: { lines: 0, bytes: 0 } });
  });

  test("drops a byte-order mark and carriage returns", async () => {
    expect((await read("crlf.txt")).message).toBe("1: one\n2: \n3: two\n\n[3 lines, all of the file.]");
  });

  test("text that is not UTF-8 comes without numbers, marked as incomplete", async () => {
    const result = await read("latin.txt");
    expect(result.status).toBe("partial");
    expect(result.message).toMatch(/^caf\ufffd\nb\n\n\[2 lines, all of the file\.\]\n\[Not valid UTF-8/);
  });

  test("base64 gives the bytes of any file", async () => {
    expect(await read("bin", { encoding: "base64" })).toMatchObject({ message: "AQAC", data: { bytes: 3 } });
    expect((await read("empty.txt", { encoding: "base64" })).message).toBe("");
  });

  test("a binary file is refused with the way out", async () => {
    const result = await read("bin");
    expect(result).toMatchObject({ status: "error", error: { code: "BINARY_FILE" } });
    expect(result.message).toContain("base64");
  });

  test("a file over the limit is refused with its size", async () => {
    const result = await read("big.txt");
    expect(result).toMatchObject({ status: "error", error: { code: "TOO_LARGE" } });
    expect(result.message).toMatch(/10485761|10\.0 MiB|10 MiB/);
  });

  test.each([
    ["none.txt", "NOT_FOUND"],
    ["dir", "IS_DIRECTORY"],
    ["../x", "ACCESS_DENIED"],
    ["l/passwd", "ACCESS_DENIED"],
    ["l/nothing", "ACCESS_DENIED"],
    ["", "INVALID_PARAM"],
  ])("%j is %s", async (path, code) => {
    expect(await read(path)).toMatchObject({ status: "error", data: {}, error: { code } });
  });

  test.each([
    [{ offset: 0 }, "/offset"],
    [{ offset: 1.5 }, "/offset"],
    [{ limit: 0 }, "/limit"],
    [{ encoding: "latin1" }, "/encoding"],
  ])("refuses %j", async (part, pointer) => {
    expect(await read("five.txt", part as Record<string, string>)).toMatchObject({
      error: { code: "INVALID_PARAM", pointer },
    });
  });

  test("its result is text from outside", () => {
    expect([FileRead.untrusted, FileRead.risk, FileRead.parallel]).toEqual([true, "low", "safe"]);
  });
});
