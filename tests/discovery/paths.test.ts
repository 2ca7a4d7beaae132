import { win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { contains, displayPath, joinDisplay, toPosix } from "../../core/discovery/paths.ts";
import { nearest } from "../../core/sdk/nearest.ts";

describe("paths", () => {
  it("turns the parts of a Windows path, and leaves a backslash in a POSIX name alone", () => {
    expect(toPosix(win32.join("usr", "plugins", "x"), win32.sep)).toBe("usr/plugins/x");
    expect(toPosix("usr/a\\b", "/")).toBe("usr/a\\b");
  });

  it("tells below from beside", () => {
    expect(contains("/a/b", "/a/b")).toBe(true);
    expect(contains("/a/b", "/a/b/c")).toBe(true);
    expect(contains("/a/b", "/a/bc")).toBe(false);
    expect(contains("/a/b", "/a")).toBe(false);
    expect(contains("/a/b", "/a/b/..c")).toBe(true);
  });

  it("shows a path from the root, and absolute where it lies outside", () => {
    expect(displayPath("/a/b", "/a/b/c/d.ts")).toBe("c/d.ts");
    expect(displayPath("/a/b", "/a/b")).toBe(".");
    expect(displayPath("/a/b", "/a/c.ts")).toBe("/a/c.ts");
    expect(joinDisplay(".", "tools")).toBe("tools");
    expect(joinDisplay("/home", "tools")).toBe("/home/tools");
  });
});

describe("the nearest name", () => {
  it("is the one a person meant, or none", () => {
    expect(nearest("descripton", ["description", "summary"])).toBe("description");
    expect(nearest("Title", ["title", "tools"])).toBe("title");
    expect(nearest("colour", ["title", "tools"])).toBeUndefined();
  });
});
