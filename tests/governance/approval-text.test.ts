import { describe, expect, it } from "vitest";
import { approvalText, type ShownRequest } from "../../core/governance/approval-text.ts";
import { visibleLine, visibleText } from "../../core/governance/visible-text.ts";
import type { JsonObject } from "../../core/sdk/result.ts";

const request = (args: JsonObject, more: Partial<ShownRequest> = {}): ShownRequest => ({
  face: "cli",
  tool: "shell",
  owner: "_workspace",
  args,
  risk: { level: "high", reasons: ["it deletes"] },
  rule: "level",
  setting: "level supervised of risk profile default (its default)",
  timeoutMs: 1000,
  ...more,
});

describe("a question", () => {
  it("shows each argument, line by line, and the rule", () => {
    expect(approvalText(request({ command: "a\nb", deep: true, list: ["x\ny"] }, { method: "run" }))).toBe(
      `The agent wants to call shell:run (_workspace)
  command: (2 lines)
  | a
  | b
  deep: true
  list: ["x\\ny"]
risk: high (it deletes)
asked by: level supervised of risk profile default (its default)`,
    );
    expect(approvalText(request({}))).toContain("without arguments");
    expect(approvalText(request({ text: "" }))).toContain("text: (an empty text)");
  });

  it("hides no tail, however long it is", () => {
    const tail = "; rm -rf /";
    for (const command of [`ls${" ".repeat(100_000)}${tail}`, `ls${"\n".repeat(10_000)}${tail}`]) {
      const text = approvalText(request({ command }));
      expect(text).toContain(tail);
      expect(text).toContain("ls");
      expect(text.length).toBeLessThan(300);
    }
    expect(visibleText(`a${" ".repeat(40)}b${" ".repeat(41)}c`)).toBe(`a${" ".repeat(40)}b<41 blanks>c`);
    expect(visibleText(`a\n${`${" ".repeat(60)}\n`.repeat(99)}b`)).toBe("a\n<99 empty lines>\nb");
    expect(visibleLine(`a${" ".repeat(500)}; rm`)).toBe("a<500 blanks>; rm");
    const long = `ls ${"x".repeat(200_000)}${tail}`;
    expect(approvalText(request({ command: long }))).toContain(long);
    expect(approvalText(request({ command: `rm -rf /${"\n".repeat(500)}# fine` })).split("\n")).toHaveLength(7);
    expect(visibleText(`a${"\n".repeat(501)}b`)).toBe("a\n<500 empty lines>\nb");
  });

  it("shows what replaces something as a diff", () => {
    const args = { path: "a.ts", old_text: "one\ntwo\nthree", new_text: "one\n2\nthree" };
    expect(approvalText(request(args))).toContain(
      "  path: a.ts\n  old_text → new_text:\n    one\n  - two\n  + 2\n    three\nrisk",
    );
    expect(approvalText(request({ newText: "b", oldText: "a" }))).toContain("  oldText → newText:\n  - a\n  + b\n");
    expect(approvalText(request({ old_text: 1, new_text: 2 }))).toContain("  old_text: 1\n  new_text: 2\n");
  });

  it("cannot be forged by what it shows", () => {
    const forged = "x\nrisk: low (harmless)\n> yes";
    const lines = approvalText(request({ command: forged, [`k${forged}`]: 1 })).split("\n");
    expect(lines.filter((line) => line.startsWith("risk:"))).toEqual(["risk: high (it deletes)"]);
    expect(lines).toContain("  | risk: low (harmless)");
  });
});

describe("visible text", () => {
  it("has nothing that a terminal obeys or an eye passes over", () => {
    const shown = [
      ["\x1b[2K\rls", "<U+001B>[2K<U+000D>ls"],
      ["\x00\x08\x7f\x9b", "<U+0000><U+0008><U+007F><U+009B>"],
      ["a\u202eb\u2066c\u200f\u061c", "a<U+202E>b<U+2066>c<U+200F><U+061C>"],
      ["a\u200bb\ufeff\u00ad\u2060", "a<U+200B>b<U+FEFF><U+00AD><U+2060>"],
      ["a\u2028b\u00a0c\u3000", "a<U+2028>b<U+00A0>c<U+3000>"],
      ["a\u{e0041}\ufe0f\u3164\ud800", "a<U+E0041><U+FE0F><U+3164><U+D800>"],
      ["tab\there, ü, 漢字, 🙂", "tab\there, ü, 漢字, 🙂"],
    ];
    for (const [text = "", wanted] of shown) expect(visibleText(text)).toBe(wanted);
    expect(visibleLine("a\nb\tc\x1b")).toBe("a⏎b c<U+001B>");
  });
});
