import { describe, expect, it } from "vitest";
import { isEditorFile } from "../../core/watching/editor-files.ts";

describe("editor files", () => {
  it.each([
    ".#a.ts",
    "#a.ts#",
    "4913",
    "a.ts~",
    "a.ts.tmp",
    "a.ts.1234.tmp",
    "a.ts.4242.k3j9x.tmp",
    "a.ts.tmp.4242.17170",
    "a.ts.4039218837",
    "agent.system.tool.a.md.90210",
    ".a.ts.swp",
    ".a.ts.swo",
    ".a.ts.swx",
    ".a.ts.kate-swp",
    ".goutputstream-5K2J41",
    "a.ts___jb_tmp___",
    "a.ts___jb_old___",
    ".~lock.a.md#",
    "~$notes.md",
    ".DS_Store",
    "._a.ts",
    "Thumbs.db",
    ".nfs000000000a1b2c3d00000001",
    ".fuse_hidden0000000100000002",
  ])("passes over %s", (name) => {
    expect(isEditorFile(name)).toBe(true);
  });

  it.each([
    "a.ts",
    "a.mts",
    "_10_log.ts",
    "plugin.yaml",
    "agent.yaml",
    "settings.yaml",
    "secrets.env",
    ".toggle-0",
    ".toggle-1",
    "agent.system.tool.word_count.md",
    "a.tmp.ts",
    "tmp",
    "swap.ts",
    ".swpx",
    "a#b.ts",
    "#tools",
    "sediments",
    "4914",
    "1234",
    "v1.2.2024",
    "data.20240101.json",
    "_base",
    ".env",
    "lib",
  ])("takes %s for what it is", (name) => {
    expect(isEditorFile(name)).toBe(false);
  });
});
