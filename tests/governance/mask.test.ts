import { describe, expect, it } from "vitest";
import { createMasker } from "../../core/governance/mask.ts";

describe("masking", () => {
  const { mask, maskJson } = createMasker([
    { name: "SHORT", value: "abc" },
    { name: "A", value: "sk-proj-1234" },
    { name: "LONGER", value: "sk-proj-1234-5678" },
    { name: "ODD", value: "a.b*c(d)[e]{f}^$|\\-/?+" },
    { name: "AGAIN", value: "sk-proj-1234" },
  ]);

  it("takes every occurrence, the longest value first", () => {
    expect(mask("x sk-proj-1234-5678 y sk-proj-1234 z sk-proj-1234")).toBe(
      "x §§secret(LONGER) y §§secret(A) z §§secret(A)",
    );
  });

  it("takes values literally and ignores those that are words", () => {
    expect(mask("abc a.b*c(d)[e]{f}^$|\\-/?+")).toBe("abc §§secret(ODD)");
    expect(mask("aXb*c")).toBe("aXb*c");
  });

  it("never looks again at what it put in", () => {
    const own = createMasker([
      { name: "secret", value: "token" },
      { name: "B", value: "secret" },
    ]);
    expect(own.mask("token secret")).toBe("§§secret(secret) §§secret(B)");
    expect(own.mask(own.mask("token secret"))).toBe("§§secret(secret) §§secret(B)");
  });

  it("looks into what only looks like a placeholder", () => {
    expect(mask("§§secret(sk-proj-1234) §§secret(NONE)")).toBe("§§secret(§§secret(A)) §§secret(NONE)");
  });

  it("is the same again on what it has masked", () => {
    const once = mask("x sk-proj-1234-5678sk-proj-1234 a.b*c(d)[e]{f}^$|\\-/?+");
    expect(mask(once)).toBe(once);
  });

  it("reaches strings and keys of JSON, and copies only what it changes", () => {
    const untouched = { deep: ["x"] };
    const value = { "sk-proj-1234": [{ a: "is sk-proj-1234" }, 1, null, true], untouched };
    const masked = maskJson(value);
    expect(masked).toEqual({ "§§secret(A)": [{ a: "is §§secret(A)" }, 1, null, true], untouched });
    expect(masked.untouched).toBe(untouched);
    expect(value).toHaveProperty("sk-proj-1234");
  });

  it("keeps a key __proto__ what it is", () => {
    const masked = maskJson(JSON.parse('{"__proto__": {"a": "sk-proj-1234"}}'));
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"a":"§§secret(A)"}}');
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });

  it("gives back the very same thing where there is nothing to mask", () => {
    const value = { a: ["b", { long: "a text that is longer than any of the secrets above" }] };
    expect(maskJson(value)).toBe(value);
    expect(createMasker([]).maskJson(value)).toBe(value);
    expect(createMasker([{ name: "S", value: "abc" }]).mask("abc")).toBe("abc");
  });

  it("works on texts of any size", () => {
    const filler = "no secret here. ".repeat(60_000);
    expect(mask(`${filler}sk-proj-1234${filler}`)).toBe(`${filler}§§secret(A)${filler}`);
  });

  it("is exact in every script", () => {
    const wide = createMasker([{ name: "W", value: "密码是芝麻" }]);
    expect(wide.mask("他的密码是芝麻开门")).toBe("他的§§secret(W)开门");
    // The same low bytes.
    expect(wide.mask("他的\u01c6密码是芝\u01bb")).toBe("他的\u01c6密码是芝\u01bb");
  });
});

describe("overlapping secrets", () => {
  const { mask } = createMasker([
    { name: "A", value: "abcdef" },
    { name: "B", value: "efgh" },
    { name: "C", value: "cdefghij" },
    { name: "R", value: "xyxy" },
  ]);

  it("leave no remainder", () => {
    expect(mask("abcdefgh")).toBe("§§secret(A)§§secret(B)");
    expect(mask("-abcdefghij-")).toBe("-§§secret(A)§§secret(C)-");
    expect(mask("abcdefghiX")).toBe("§§secret(A)§§secret(B)iX");
  });

  it("are named once where one overlaps with itself, and as often as they stand side by side", () => {
    expect(mask("xyxyxy")).toBe("§§secret(R)");
    expect(mask("xyxy")).toBe("§§secret(R)");
    expect(mask("abcdefabcdef")).toBe("§§secret(A)§§secret(A)");
  });

  it("are gone also where one reaches out of a placeholder", () => {
    const odd = createMasker([
      { name: "A", value: "first" },
      { name: "B", value: "(A)rest" },
    ]);
    expect(odd.mask("§§secret(A)rest!")).toBe("§§secret(A)§§secret(B)!");
    expect(odd.mask("x(A)rest!")).toBe("x§§secret(B)!");
  });
});
