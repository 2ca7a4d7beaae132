import { describe, expect, test } from "vitest";
import { admitsString, parseArguments, splitWords } from "../../core/sdk/arguments.ts";

const schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    flag: { type: "boolean" },
    list: { type: "array", items: { type: "string" } },
    either: { anyOf: [{ type: "number" }, { type: "string" }] },
    nullable: { type: ["string", "null"] },
    choice: { enum: [1, 2] },
    word: { enum: ["1", "2"] },
    ref: { $ref: "#/$defs/name" },
    any: {},
  },
  $defs: { name: { type: "string" } },
};

describe("parseArguments", () => {
  test("no words are no arguments", () => {
    expect(parseArguments([], schema)).toEqual({ args: {} });
  });

  test("a single word that starts with { is the JSON object", () => {
    expect(parseArguments(['{"text": "a=b", "count": 2}'], schema)).toEqual({ args: { text: "a=b", count: 2 } });
  });

  test("JSON that does not parse is a fault of kind json", () => {
    for (const text of ['{"a":', "{a: 1}", '{"a": NaN}', '{"a": 1} x']) {
      expect(parseArguments([text], schema)).toMatchObject({ error: { kind: "json" } });
    }
  });

  test("among several words an object is wrong usage", () => {
    expect(parseArguments(['{"a":1}', "text=x"], schema)).toMatchObject({ error: { kind: "usage" } });
  });

  test("each word splits at its first =", () => {
    expect(parseArguments(["text=a=b", "count=3"], schema)).toEqual({ args: { text: "a=b", count: 3 } });
    expect(parseArguments(["text="], schema)).toEqual({ args: { text: "" } });
  });

  test("a word without = or with nothing before it, and a repeated key, are wrong usage", () => {
    expect(parseArguments(["README.md"], schema)).toEqual({
      error: { kind: "usage", message: expect.stringContaining('"README.md"') },
    });
    expect(parseArguments(["=1"], schema)).toMatchObject({ error: { kind: "usage" } });
    expect(parseArguments(["count=1", "count=2"], schema)).toEqual({
      error: { kind: "usage", message: expect.stringContaining("count twice") },
    });
  });

  test.each([
    ["text", "12", "12"],
    ["text", "true", "true"],
    ["text", '{"a":1}', '{"a":1}'],
    ["either", "12", "12"],
    ["nullable", "null", "null"],
    ["word", "1", "1"],
    ["ref", "1", "1"],
    ["any", "1", "1"],
  ])("%s admits a string, so %s stays text", (key, text, value) => {
    expect(parseArguments([`${key}=${text}`], schema)).toEqual({ args: { [key]: value } });
  });

  test.each([
    ["count", "12", 12],
    ["flag", "true", true],
    ["list", '["a","b"]', ["a", "b"]],
    ["choice", "1", 1],
    ["other", "1", 1],
    ["count", "many", "many"],
    ["list", "a,b", "a,b"],
  ])("%s=%s is parsed as JSON, and failing that kept as text", (key, text, value) => {
    expect(parseArguments([`${key}=${text}`], schema)).toEqual({ args: { [key]: value } });
  });

  test("alternatives and maps give schemas too", () => {
    const union = { anyOf: [{ properties: { id: { type: "string" } } }, { properties: { n: { type: "number" } } }] };
    expect(parseArguments(["id=1", "n=1"], union)).toEqual({ args: { id: "1", n: 1 } });
    expect(parseArguments(["x=1"], { additionalProperties: { type: "string" } })).toEqual({ args: { x: "1" } });
    expect(parseArguments(["x=1"], null)).toEqual({ args: { x: 1 } });
  });

  test("__proto__ is a key like any other", () => {
    const parsed = parseArguments(["__proto__=1", "constructor=2"], null) as { args: object };
    expect(Object.keys(parsed.args)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(parsed.args)).toBe(Object.prototype);
  });
});

describe("admitsString", () => {
  test("a circle of references ends", () => {
    const circle = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    expect(admitsString({ $ref: "#/$defs/a" }, circle)).toBe(false);
  });

  test.each([
    [true, true],
    [false, false],
    [{}, true],
    [{ type: ["number", "null"] }, false],
    [{ const: "a" }, true],
    [{ const: 1 }, false],
    [{ oneOf: [{ type: "number" }, { type: "object" }] }, false],
    [{ allOf: [{ type: "string" }, { minLength: 1 }] }, true],
    [{ allOf: [{ type: "string" }, { type: "number" }] }, false],
  ])("%j: %s", (part, expected) => {
    expect(admitsString(part, null)).toBe(expected);
  });
});

describe("splitWords", () => {
  test.each([
    ["a=1  b=2\tc=3", ["a=1", "b=2", "c=3"]],
    ['path="my file.txt"', ["path=my file.txt"]],
    ["path='a \"b\".txt' x=1", ['path=a "b".txt', "x=1"]],
    ['"a b"=c', ["a b=c"]],
    ['text="say \\"hi\\" \\\\ now"', ['text=say "hi" \\ now']],
    ["text=it's", ["text=it's"]],
    ['text=""', ["text="]],
    ["path=C:\\x\\y", ["path=C:\\x\\y"]],
    ["", []],
  ])("%s", (line, words) => {
    expect(splitWords(line)).toEqual({ words });
  });

  test("an open quote is wrong usage", () => {
    expect(splitWords('path="a b')).toMatchObject({ error: { kind: "usage" } });
  });
});
