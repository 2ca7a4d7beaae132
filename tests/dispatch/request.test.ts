import { describe, expect, it } from "vitest";
import { parseToolName, shownName } from "../../core/dispatch/request.ts";
import { nearest, nearestAll } from "../../core/sdk/nearest.ts";

describe("a tool's name", () => {
  it.each([
    ["word_count", "word_count", undefined],
    ["WordCount", "WordCount", undefined],
    ["skills_tool:load", "skills_tool", "load"],
    ["a:b:c", "a", "b:c"],
    ["Linear__resolve-library-id", "Linear__resolve-library-id", undefined],
    ["t:method with words", "t", "method with words"],
    ["x".repeat(64), "x".repeat(64), undefined],
  ])("%s is split at its first colon", (text, name, method) => {
    expect(parseToolName(text)).toEqual({ name, method });
  });

  it.each([
    "",
    ":",
    ":x",
    "x:",
    "../usr/evil",
    "a/b",
    "a\\b",
    ".hidden",
    "a.b",
    "a b",
    " a",
    "a\n",
    "1a",
    "_a",
    "-rf",
    "__proto__",
    "x".repeat(65),
    "工具",
    "a\0",
    "a:b\nc",
    `a:${"m".repeat(201)}`,
    "a:\u2028",
  ])("%j is refused", (text) => {
    expect(parseToolName(text)).toBeUndefined();
  });

  it("is refused when it is no text", () => {
    for (const text of [undefined, null, 1, {}, []]) expect(parseToolName(text)).toBeUndefined();
  });

  it("is shown quoted, on one line, and shortly", () => {
    expect(shownName('a\n"b"')).toBe('"a\\n\\"b\\""');
    expect(shownName("x".repeat(1000)).length).toBeLessThan(90);
  });
});

describe("the nearest name", () => {
  it.each([
    ["pathh", ["path", "limit"], "path"],
    ["pth", ["path", "limit"], "path"],
    ["aptH", ["path"], "path"],
    ["wordCount", ["word_count", "word_counts"], "word_count"],
    ["word-count", ["word_count"], "word_count"],
    ["file_raed", ["file_read", "file_write"], "file_read"],
    ["zzz", ["path"], undefined],
    ["a", ["path"], undefined],
    ["", ["path"], undefined],
    ["path", [], undefined],
  ])("of %s", (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  it("is ordered by distance, then by name, each once", () => {
    expect(nearestAll("read_fil", ["read_file", "read_film", "read_fil2", "read_file", "write"], 2)).toEqual([
      "read_fil2",
      "read_file",
    ]);
    expect(nearestAll("x".repeat(5000), ["x".repeat(4999)], 3)).toEqual([]);
  });
});
