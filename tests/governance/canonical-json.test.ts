import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../core/governance/canonical-json.ts";
import type { Json } from "../../core/sdk/json.ts";

/** Keys in another order, at every level. */
function shuffled(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled);
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item)] as const);
  return Object.fromEntries(entries.reverse());
}

const wellFormed = fc.jsonValue({ stringUnit: "grapheme" }) as fc.Arbitrary<Json>;

describe("the canonical form", () => {
  it("is that of RFC 8785, 3.2.2 and 3.2.3", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("sorts keys by their UTF-16 units, as the RFC's example does", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect([...canonicalJson(value).matchAll(/:(\d)/gu)].map(([, digit]) => digit).join("")).toBe("2467153");
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [5e-324, "5e-324"],
    [-5e-324, "-5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [1e21, "1e+21"],
    [9.999999999999997e22, "9.999999999999997e+22"],
    [333333333.3333332, "333333333.3333332"],
    [1424953923781206.2, "1424953923781206.2"],
  ])("writes the number %d of the RFC's appendix B as %s", (number, text) => {
    expect(canonicalJson(number)).toBe(text);
  });

  it("does not depend on the order of keys, and is read as the same value", () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.stringify(JSON.parse(text))).toHaveLength(text.length);
      }),
    );
  });

  it("is not given to what has none", () => {
    for (const value of ["\ud800", { "\udc00": 1 }, [Number.NaN], Number.POSITIVE_INFINITY]) {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    }
    expect(() => canonicalJson({ a: undefined } as unknown as Json)).toThrow("expected JSON, found a undefined");
  });

  it("maps texts before it sorts, and refuses two keys that become one", () => {
    const text = (from: string) => from.replace("secret", "z");
    expect(canonicalJson({ secret: "secret", y: 1 }, text)).toBe('{"y":1,"z":"z"}');
    expect(() => canonicalJson({ secret: 1, z: 2 }, text)).toThrow('found "z" twice');
  });
});
