import { describe, expect, it } from "vitest";
import { parseDataFile } from "../../core/discovery/data-file.ts";
import { merge } from "../../core/discovery/merge.ts";
import { parseYaml, type YamlDocument } from "../../core/discovery/yaml.ts";

const value = (text: string) => (parseYaml(text) as YamlDocument).value;
const error = (text: string) => (parseYaml(text) as { error: { message: string; line: number } }).error;

describe("YAML", () => {
  it("reads values as their author wrote them", () => {
    expect(value("a: 010\nb: 12:30:45\nc: 2020-01-01\nd: 0.10")).toEqual({
      a: 10,
      b: "12:30:45",
      c: "2020-01-01",
      d: 0.1,
    });
    expect(value("")).toBeNull();
    expect(value("# only a comment")).toBeNull();
    expect((parseYaml("a:\n  b: 1.10") as YamlDocument).source(["a", "b"])).toBe("1.10");
  });

  it("freezes what it gives", () => {
    expect(Object.isFrozen(value("a: {b: [1]}"))).toBe(true);
  });

  it("knows where a value stands", () => {
    const document = parseYaml("a: 1\nb:\n  - x\n  - y: 2\n") as YamlDocument;
    expect(document.position(["b"])).toEqual({ line: 2, column: 1 });
    expect(document.position(["b", 1, "y"])).toEqual({ line: 4, column: 5 });
    expect(document.position(["b", 1, "nothing"]).line).toBe(4);
  });

  const refused: readonly (readonly [what: string, text: string, line: number])[] = [
    ["duplicate keys", "a: 1\na: 2", 2],
    ["two documents", "a: 1\n---\nb: 2", 2],
    ["open brackets", "a: [1,\n", 2],
    ["numbers without a JSON form", "x: 1\na: .nan", 2],
    ["a circle of aliases", "a: &a [*a]", 1],
    ["deep nesting", "[".repeat(10_000), 1],
  ];
  for (const [what, text, line] of refused) {
    it(`refuses ${what}`, () => {
      expect(error(text).line).toBe(line);
      expect(error(text).message).not.toMatch(/\n|at line/u);
    });
  }

  it("does not expand an alias bomb", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [name, below] of ["ba", "cb", "dc", "ed", "fe", "gf"].map((pair) => [...pair])) {
      bomb.push(`${name}: &${name} [${`*${below},`.repeat(9)}]`);
    }
    expect(error(bomb.join("\n")).message).toMatch(/alias/iu);
    expect(error(`${bomb.join("\n")}\n<<: [*g, *g]`).message).toMatch(/alias/iu);
  });

  it("keeps __proto__ and << as ordinary data", () => {
    const found = value("__proto__: {polluted: true}\n<<: {merged: true}\na: 1") as Record<string, unknown>;
    expect(Object.keys(found)).toEqual(["__proto__", "<<", "a"]);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(found.merged).toBeUndefined();
    const merged = merge({ a: {} }, found as never);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((merged as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  it("runs nothing for a tag", () => {
    expect(value("a: !!js/function 'function () { throw 1 }'")).toEqual({ a: "function () { throw 1 }" });
  });
});

describe("data files", () => {
  const place = (file: string) => ({ file, invalid: "SETTINGS_INVALID" }) as const;

  it("reads .json strictly and says in which line it breaks", () => {
    expect(parseDataFile('{"a": [1, 2]}', place("x.json"))).toMatchObject({ value: { a: [1, 2] } });
    expect(parseDataFile("", place("x.json"))).toMatchObject({ value: null });
    expect(parseDataFile("a: 1", place("x.json"))).toMatchObject({ code: "SETTINGS_INVALID" });
    expect(parseDataFile('{\n"a": [1\n', place("x.json"))).toMatchObject({
      code: "SETTINGS_INVALID",
      file: "x.json",
      line: 3,
    });
    const document = parseDataFile('{\n\t"a": 1,\n\t"b": 2\n}', place("x.json")) as YamlDocument;
    expect(document.position(["b"]).line).toBe(3);
  });

  it("names the file, the line and the language of a .yaml that does not parse", () => {
    expect(parseDataFile("a: b: c", place("x.yaml"))).toMatchObject({
      file: "x.yaml",
      line: 1,
      message: expect.stringMatching(/^expected YAML: /u),
    });
  });
});
