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
  });

  it("reaches strings and keys of JSON", () => {
    const value = { "sk-proj-1234": [{ a: "is sk-proj-1234" }, 1, null, true] };
    expect(maskJson(value)).toEqual({ "§§secret(A)": [{ a: "is §§secret(A)" }, 1, null, true] });
    expect(value).toHaveProperty("sk-proj-1234");
  });

  it("costs nothing where there is nothing to mask", () => {
    const value = { a: ["b"] };
    expect(createMasker([]).maskJson(value)).toBe(value);
    expect(createMasker([{ name: "S", value: "abc" }]).mask("abc")).toBe("abc");
  });
});
