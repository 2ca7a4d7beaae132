import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFile } from "../../core/governance/open-file.ts";
import { writeFileAtomically } from "../../core/governance/write-file.ts";

// Between the moment a path is resolved and the moment it is used, somebody may put a link in its place. What the
// second half is given here is such a path: it was real once, and is none any more.

let base: string;
let root: string;
let outside: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "swapped-")));
  root = join(base, "ws");
  outside = join(base, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.txt"), "secret");
  symlinkSync(outside, join(root, "directory"));
  symlinkSync(join(outside, "secret.txt"), join(root, "file"));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("a path that has become a link", () => {
  it.each(["file", "directory/secret.txt"])("is not read through: %s", async (path) => {
    await expect(openFile(join(root, path), path)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it.each(["directory/secret.txt", "directory/new.txt", "directory/new/deep/x.txt"])(
    "is not written through, and nothing is made: %s",
    async (path) => {
      const write = writeFileAtomically({ real: join(root, path), shown: path, content: "x" });
      await expect(write).rejects.toMatchObject({ code: "CONFLICT" });
      expect(readdirSync(outside)).toEqual(["secret.txt"]);
    },
  );

  it("is not written through where it is the file itself", async () => {
    const write = writeFileAtomically({ real: join(root, "file"), shown: "file", content: "x" });
    await expect(write).rejects.toMatchObject({ code: "INVALID_PARAM" });
  });
});
