import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSecretsFile } from "../../core/governance/secrets-file.ts";

const FILE = "usr/secrets.env";
const parse = (text: string) => parseSecretsFile(text, FILE);
const values = (text: string) => Object.fromEntries(parse(text).entries.map(({ name, value }) => [name, value]));
const places = (text: string) => parse(text).diagnostics.map(({ code, line }) => `${line} ${code}`);

describe("a secrets file", () => {
  it.each([
    ["A=value", "value"],
    ["  A = some value  ", "some value"],
    ["export A=value", "value"],
    ["A=ab#cd ef", "ab#cd ef"],
    ["A=value # a comment", "value"],
    ["A=#value", "#value"],
    ["A=$HOME/x", "$HOME/x"],
    ["A=a=b==", "a=b=="],
    ['A=a"b"c', 'a"b"c'],
    ["A=back\\nslash", "back\\nslash"],
    ["A='a\\n \"b\" # c'", 'a\\n "b" # c'],
    ["A=`a'b\"c`", "a'b\"c"],
    ['A="a\\nb\\t\\"c\\"\\\\ \\$d \\x"', 'a\nb\t"c"\\ $d \\x'],
    ['A="value" # "comment"', "value"],
    ['A="  value  "', "  value  "],
    ['A="one\ntwo\n\\"three\\"\n"', 'one\ntwo\n"three"\n'],
    ["A='one\n# two\nthree'", "one\n# two\nthree"],
    ["\ufeffA=value", "value"],
    ["A=密码是芝麻", "密码是芝麻"],
  ])("%j has the value %j", (text, value) => {
    for (const written of [text, text.replaceAll("\n", "\r\n"), `# c\n\n${text}\nB=other`]) {
      expect(parse(written).diagnostics).toEqual([]);
      expect(values(written)).toMatchObject({ A: value });
    }
  });

  it("upper-cases names, and of one that comes twice takes the last value and says so", () => {
    const text = "api_Key=first\nOTHER=value\nAPI_KEY=second";
    expect(values(text)).toEqual({ API_KEY: "second", OTHER: "value" });
    expect(parse(text).diagnostics).toMatchObject([
      { code: "SECRET_REPEATED", severity: "warning", file: FILE, line: 3, message: expect.stringContaining("line 1") },
    ]);
  });

  it.each([
    "just words",
    "sk-live-0123456789",
    "1A=value",
    "A-B=value",
    "A B=value",
    "=some-value",
    "A: value",
    "export A",
  ])("refuses %j with its line, and never quotes it", (line) => {
    const { entries, diagnostics } = parse(`X=value\n\n${line}\nY=value`);
    expect(entries.map(({ name, line: at }) => [name, at])).toEqual([
      ["X", 1],
      ["Y", 4],
    ]);
    expect(diagnostics).toMatchObject([{ code: "SECRETS_INVALID", severity: "error", file: FILE, line: 3 }]);
    expect(JSON.stringify(diagnostics)).not.toContain(line);
  });

  it("refuses what stands behind a closing quote and a quote that is never closed, and reads on below", () => {
    expect(places('A="value" more\nB=value')).toEqual(["1 SECRETS_INVALID"]);
    expect(values('A="value" more\nB=value')).toEqual({ B: "value" });
    expect(places("A='value\nB=value\nC=value")).toEqual(["1 SECRETS_INVALID"]);
    expect(values("A='value\nB=value\nC=value")).toEqual({ B: "value", C: "value" });
    expect(places("A='it\\'s'")).toEqual(["1 SECRETS_INVALID"]);
  });

  it("counts the lines of a value of several lines", () => {
    expect(places('A="one\ntwo\nthree"\nB')).toEqual(["4 SECRETS_INVALID"]);
  });

  it.each(["", "abc", '"   abc   "', '"    "', "😀😀😀", "# comment"])("does not take the short value %j", (value) => {
    expect(values(`A= ${value}`)).toEqual({ A: undefined });
    expect(parse(`\nA= ${value}`).diagnostics).toMatchObject([
      { code: "SECRET_TOO_SHORT", severity: "warning", file: FILE, line: 2, message: expect.stringContaining("A ") },
    ]);
  });

  it("takes the comment lines directly above a name for its description", () => {
    const comments = Object.fromEntries(
      parse(
        [
          "# of nothing",
          "",
          "# Token for releases,",
          "#   read only.",
          "A=value # not this",
          "B=value",
          "# ------",
          "# OLD=sk-old-value",
          "#export OLDER=sk-older",
          "# for mail",
          "C=value",
          "# ==== #",
          "D=value",
          `# ${"long ".repeat(100)}`,
          "E=value",
        ].join("\n"),
      ).entries.map(({ name, comment }) => [name, comment]),
    );
    expect(comments).toEqual({
      A: "Token for releases, read only.",
      B: undefined,
      C: "for mail",
      D: undefined,
      E: expect.stringMatching(/^(?:long )+long$|^.{200}$/),
    });
  });

  it("gives back every value that is written in double quotes", () => {
    const value = fc.string({ unit: "grapheme", minLength: 4 }).filter((text) => text.trim().length >= 8);
    fc.assert(
      fc.property(value, value, (first, second) => {
        const quoted = (text: string) => `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll("\r", "\\r")}"`;
        expect(values(`A=${quoted(first)}\nexport B = ${quoted(second)} # c`)).toEqual({ A: first, B: second });
      }),
    );
  });

  it("is never thrown off by anything", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab=\"'`\\#\n\r $ "), maxLength: 60 });
    fc.assert(
      fc.property(text, (any) => {
        const { entries, diagnostics } = parse(any);
        for (const { name } of entries) expect(name).toMatch(/^[A-Z_][A-Z0-9_]*$/);
        for (const { line = 0 } of diagnostics) expect(line).toBeLessThanOrEqual(any.split(/\r\n?|\n/).length);
      }),
    );
  });
});
