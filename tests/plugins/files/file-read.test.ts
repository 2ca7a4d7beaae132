import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ToolCase, testTool } from "toolroom/testing";
import { expect, test } from "vitest";
import { toolSource } from "../../helpers/tree.ts";
import { openHouse } from "../../host/house.ts";

const FIVE = { "five.txt": "one\ntwo\nthree\nfour\nfive\n" };

/** Part of a file of five lines. */
const part = (args: Record<string, number>, message: string): ToolCase => ({
  name: `reads the part ${JSON.stringify(args)}`,
  args: { path: "five.txt", ...args },
  files: FIVE,
  expect: { status: "success", message },
});

/** What images begin with. */
const IMAGES: readonly (readonly [kind: string, head: string])[] = [
  ["PNG", "\x89PNG\r\n\x1a\n"],
  ["JPEG", "\xff\xd8\xff\xe0"],
  ["GIF", "GIF89a"],
  ["WebP", "RIFF\x24\0\0\0WEBPVP8 "],
  ["BMP", "BM"],
  ["TIFF", "II*\0"],
  ["AVIF", "\0\0\0\x1cftypavif"],
];

const bytes = (path: string, content: readonly number[]): Pick<ToolCase, "setup"> => ({
  setup: async ({ workspace }) => await writeFile(join(workspace, path), Buffer.from(content)),
});

const refused = (args: Record<string, string | number>, pointer: string): ToolCase => ({
  name: `refuses ${JSON.stringify(args)}`,
  args: { path: "five.txt", ...args },
  files: FIVE,
  expect: { code: "INVALID_PARAM", pointer },
});

testTool("../../../plugins/_files/tools/file_read.ts", {
  cases: [
    {
      name: "numbers the lines and says how many there are",
      args: { path: "five.txt" },
      files: FIVE,
      expect: {
        status: "success",
        message: "1: one\n2: two\n3: three\n4: four\n5: five\n\n[5 lines, all of the file.]",
        data: { path: "five.txt", encoding: "utf8", bytes: 24, lines: 5, from: 1, to: 5 },
      },
      check: ({ context }) => expect(context.pathResolved).toBe("five.txt"),
    },
    part({ offset: 2, limit: 2 }, "2: two\n3: three\n\n[Lines 2 to 3 of 5.]"),
    part({ offset: 4 }, "4: four\n5: five\n\n[Lines 4 to 5 of 5.]"),
    part({ limit: 1 }, "1: one\n\n[Lines 1 to 1 of 5.]"),
    part({ limit: 99 }, "1: one\n2: two\n3: three\n4: four\n5: five\n\n[5 lines, all of the file.]"),
    part({ offset: 6 }, "\n[No lines in this range: the file has 5 lines.]"),
    {
      name: "an empty file is an empty message",
      args: { path: "empty.txt" },
      files: { "empty.txt": "" },
      expect: { status: "success", message: "", data: { lines: 0, bytes: 0 } },
    },
    {
      name: "drops a byte-order mark and carriage returns",
      args: { path: "crlf.txt" },
      files: { "crlf.txt": "\ufeffone\r\n\r\ntwo" },
      expect: { message: "1: one\n2: \n3: two\n\n[3 lines, all of the file.]" },
    },
    {
      name: "text that is not UTF-8 comes without numbers, marked as incomplete",
      args: { path: "latin.txt" },
      ...bytes("latin.txt", [0x63, 0x61, 0x66, 0xe9, 0x0a, 0x62]),
      expect: { status: "partial", message: /^caf\ufffd\nb\n\n\[2 lines, all of the file\.\]\n\[Not valid UTF-8/u },
    },
    {
      name: "base64 gives the bytes of any file",
      args: { path: "bin", encoding: "base64" },
      ...bytes("bin", [1, 0, 2]),
      expect: { message: "AQAC", data: { bytes: 3 } },
    },
    {
      name: "base64 of an empty file is an empty message",
      args: { path: "empty.txt", encoding: "base64" },
      files: { "empty.txt": "" },
      expect: { status: "success", message: "" },
    },
    {
      name: "a binary file is refused with the way out",
      args: { path: "bin" },
      ...bytes("bin", [1, 0, 2]),
      expect: { code: "BINARY_FILE", message: /base64/u },
    },
    ...IMAGES.map(
      ([kind, head]): ToolCase => ({
        name: `an image is refused as one: ${kind}`,
        args: { path: "image" },
        ...bytes("image", [...Buffer.from(head, "latin1"), 0, 1, 2, 0xff]),
        expect: {
          code: "BINARY_FILE",
          message: new RegExp(`an image \\(${kind}\\) in image[\\s\\S]*looks at images`, "u"),
        },
      }),
    ),
    {
      name: "so is text of another encoding",
      args: { path: "latin.txt" },
      ...bytes("latin.txt", [...Buffer.from("BMW ist sch\u00f6n", "latin1")]),
      expect: { status: "partial", message: /^BMW ist sch\ufffdn/u },
    },
    ...[
      [0xff, 0xfe, 97, 0],
      [0xfe, 0xff, 0, 97],
      // Without a NUL.
      [0xff, 0xfe, 0x2d, 0x4e],
    ].map(
      (content, index): ToolCase => ({
        name: `UTF-16 is refused as what it is (${index})`,
        args: { path: "wide.txt" },
        ...bytes("wide.txt", content),
        expect: {
          code: "BINARY_FILE",
          message: /found text in UTF-16 in wide\.txt\nHave it converted to UTF-8; "encod/u,
        },
      }),
    ),
    {
      name: "text that begins like an image is text",
      args: { path: "a.txt" },
      files: { "a.txt": "BM and GIF89a" },
      expect: { message: /^1: BM and GIF89a/u },
    },
    {
      name: "of a long file as much as can be shown, and where to go on",
      args: { path: "long.txt", offset: 3 },
      files: { "long.txt": `${"x".repeat(1000)}\n`.repeat(200) },
      expect: {
        status: "partial",
        message: /\n\[Lines 3 to 50 of 200; go on with line 51\.\]$/u,
        data: { lines: 200, from: 3, to: 50 },
      },
    },
    {
      name: "of a line that is too long its beginning, in whole characters",
      args: { path: "long.txt" },
      files: { "long.txt": `${"\u65e5".repeat(40_000)}\nend\n` },
      expect: {
        status: "partial",
        message: /^1: \u65e5+\u2026\n\n\[Lines 1 to 1 of 2; go on with line 2\.\]\n\[Line 1 is too long/u,
      },
    },
    {
      name: "a file over the limit is refused with its size",
      args: { path: "big.txt" },
      files: { "big.txt": "" },
      setup: async ({ workspace }) => await truncate(join(workspace, "big.txt"), 10 * 1024 * 1024 + 1),
      expect: { code: "TOO_LARGE", message: /10485761|10\.0 MiB|10 MiB/u },
    },
    { name: "a file that is not there", args: { path: "none.txt" }, expect: { code: "NOT_FOUND" } },
    {
      name: "a directory is no file",
      args: { path: "dir" },
      setup: async ({ workspace }) => await mkdir(join(workspace, "dir")),
      expect: { code: "IS_DIRECTORY" },
    },
    refused({ path: "" }, "/path"),
    refused({ offset: 0 }, "/offset"),
    refused({ offset: 1.5 }, "/offset"),
    refused({ limit: 0 }, "/limit"),
    refused({ encoding: "latin1" }, "/encoding"),
  ],
});

test("file_read is of low risk, except for what looks like a file with secrets, also behind a link", async () => {
  const { host, workspace } = await openHouse({}, { workspaceFiles: { "five.txt": "one\n", ".env": "A=1\n" } });
  await writeFile(join(workspace, "secrets.yaml"), "a: 1\n");
  await symlink(".env", join(workspace, "notes.txt"));
  const risk = async (path: string) => (await host.policy.why("file_read", { path })).risk.level;
  for (const path of ["five.txt", ".env.example", "none.txt", "environment.ts"]) {
    expect([path, await risk(path)]).toEqual([path, "low"]);
  }
  for (const path of [".env", "dir/.env.local", "notes.txt", "ca.PEM", "a/id_ed25519", ".ssh/config", "secrets.yaml"]) {
    expect([path, await risk(path)]).toEqual([path, "medium"]);
  }
  expect(await host.policy.why("file_read", { path: "../outside" })).toMatchObject({
    decision: "block",
    code: "ACCESS_DENIED",
    rule: "refusal",
  });
  expect(await host.call("file_read", { path: "../outside" })).toMatchObject({ error: { code: "ACCESS_DENIED" } });
  expect(await host.call("file_read", { path: ".env" })).toMatchObject({ error: { code: "NO_APPROVER" } });
});

test("file_read asks outside of the workspace, where the risk profile lets it read there, and not for what the host has kept", async () => {
  const { host, root } = await openHouse({
    "usr/settings.yaml": "risk_profiles: {default: {allowed_roots: [notes]}}\n",
    "notes/a.txt": "one\n",
    "usr/tools/long.ts": toolSource("long", 'static readonly risk = "low";').replace(
      '"long"',
      '"long ".repeat(20_000)',
    ),
  });
  const path = join(root, "notes/a.txt");
  expect((await host.policy.why("file_read", { path })).risk).toEqual({
    level: "medium",
    reasons: ["it lies outside of the workspace"],
  });
  expect(await host.call("file_read", { path })).toMatchObject({ error: { code: "NO_APPROVER" } });
  const { message, status } = await host.call("long", {});
  const [kept = ""] = /\/\S+\/spill\/[^\s,;)]+/u.exec(message) ?? [];
  expect([status, (await host.call("file_read", { path: kept })).status]).toEqual(["partial", "partial"]);
});
