import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "toolroom";
import { type ToolCase, testTool } from "toolroom/testing";
import { expect, test } from "vitest";
import { openHouse } from "../../host/house.ts";

const FOUR = "one\ntwo\nthree\nfour\n";

/** Lines that are patched, and what stands in the file afterwards. */
const patches = (what: string, before: string, edits: readonly JsonObject[], after: string): ToolCase => ({
  name: `patches ${what}`,
  method: "patch",
  args: { path: "a.txt", edits },
  files: { "a.txt": before },
  expect: { status: "success" },
  check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(after),
});

const refused = (method: string, args: JsonObject, pointer: string): ToolCase => ({
  name: `refuses ${method} ${JSON.stringify(args)}`,
  method,
  args: { path: "a.txt", ...args },
  files: { "a.txt": FOUR },
  expect: { code: "INVALID_PARAM", pointer },
  check: async (_, { workspace }) => expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(FOUR),
});

testTool("../../../plugins/_files/tools/text_editor.ts", {
  cases: [
    {
      name: "reads lines by their numbers",
      method: "read",
      args: { path: "a.txt", line_from: 2, line_to: 3 },
      files: { "a.txt": FOUR },
      expect: { message: "2: two\n3: three\n\n[Lines 2 to 3 of 4.]", data: { from: 2, to: 3, lines: 4 } },
    },
    {
      name: "writes a whole file",
      method: "write",
      args: { path: "new/a.txt", content: "x\n" },
      expect: { message: "Created new/a.txt: 1 line, 2 bytes." },
    },
    {
      name: "patches lines of the file as it was, and tells which",
      method: "patch",
      args: {
        path: "a.txt",
        edits: [
          { from: 4, to: 4 },
          { from: 1, to: 2, content: "1 and 2" },
          { from: 3, content: "before three" },
        ],
      },
      files: { "a.txt": FOUR },
      expect: {
        message: "a.txt: changed 3 places (line 4, lines 1 to 2, line 3), +2 −3 lines. Lines below have new numbers.",
        data: { replacements: 3 },
      },
      check: async (_, { workspace }) =>
        expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("1 and 2\nbefore three\nthree\n"),
    },
    patches("behind the last line", "a\n", [{ from: 2, content: "b" }], "a\nb\n"),
    patches("behind a last line without an end", "a", [{ from: 2, content: "b" }], "a\nb"),
    patches("a last line without an end", "a\nb", [{ from: 2, to: 2, content: "c" }], "a\nc"),
    patches("an empty file", "", [{ from: 1, content: "a" }], "a\n"),
    patches("CRLF", "a\r\nb\r\n", [{ from: 2, to: 2, content: "1\n2\n" }], "a\r\n1\r\n2\r\n"),
    patches(
      "the beginning, several times in the order of the edits",
      "a\n",
      [
        { from: 1, content: "1" },
        { from: 1, content: "2" },
        { from: 1, to: 1, content: "b" },
      ],
      "1\n2\nb\n",
    ),
    refused("patch", {}, "/edits"),
    refused("write", {}, "/content"),
    refused("read", { line_from: 3, line_to: 2 }, "/line_to"),
    refused("patch", { edits: [{ from: 1 }] }, "/edits/0/content"),
    refused("patch", { edits: [{ from: 2, to: 1 }] }, "/edits/0/to"),
    refused("patch", { edits: [{ from: 4, to: 5 }] }, "/edits/0/to"),
    refused("patch", { edits: [{ from: 6, content: "x" }] }, "/edits/0/from"),
    refused(
      "patch",
      {
        edits: [
          { from: 1, to: 3 },
          { from: 3, to: 4 },
        ],
      },
      "/edits/1/from",
    ),
  ],
});

test("text_editor is there for the developer and not by default; its risk is that of the action", async () => {
  const { host } = await openHouse({}, { workspaceFiles: { "a.txt": "a\n", ".env": "A=1\n" } });
  const offers = async (profile: string) =>
    (await host.list({ profile })).tools.some(({ name }) => name === "text_editor");
  expect([await offers("default"), await offers("developer")]).toEqual([false, true]);
  const risk = async (args: JsonObject) =>
    (await host.policy.why("text_editor", args, { profile: "developer" })).risk.level;
  expect(await risk({ path: "a.txt" })).toBe("low");
  expect(await risk({ path: ".env" })).toBe("medium");
  expect(await risk({ path: "a.txt", action: "write", content: "" })).toBe("medium");
  expect(await risk({ path: "a.txt", action: "patch", edits: [{ from: 1, to: 1 }] })).toBe("medium");
  expect(await risk({ path: ".git/config", action: "write", content: "" })).toBe("high");
});
