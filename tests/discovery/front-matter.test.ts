import { afterEach, describe, expect, it } from "vitest";
import { parseFragment } from "../../core/discovery/fragment.ts";
import { readFrontMatter, splitFrontMatter } from "../../core/discovery/front-matter.ts";
import { parseSkill } from "../../core/discovery/skill.ts";
import { codes } from "./trees.ts";

const holder = globalThis as { pwn?: number };
const read = (text: string) => {
  const { document, diagnostics } = readFrontMatter(text, "f.md");
  return { value: document?.value, codes: codes(diagnostics), diagnostics };
};

afterEach(() => {
  delete holder.pwn;
});

describe("front matter", () => {
  for (const language of ["js", "javascript", "coffee", "json5", "json", "toml", "yaml", " js", "JS", "c++"]) {
    it(`refuses the language ${language} and runs nothing`, () => {
      const text = `---${language}\n{x: (globalThis.pwn = 1)}\n---\nbody`;
      expect(read(text)).toMatchObject({ value: undefined, codes: ["FM_LANGUAGE"] });
      expect(splitFrontMatter(text, "f.md")).toMatchObject({ matter: undefined, body: "body", line: 4 });
      expect(holder.pwn).toBeUndefined();
    });
  }

  it("leaves a body alone that begins with a language tag", () => {
    const text = "---\na: 1\n---\n---js\n{x: (globalThis.pwn = 1)}\n---\n";
    expect(read(text)).toMatchObject({ value: { a: 1 }, codes: [] });
    expect(splitFrontMatter(text, "f.md").body).toBe("---js\n{x: (globalThis.pwn = 1)}\n---\n");
    expect(holder.pwn).toBeUndefined();
  });

  it("needs a first line --- and a closing one; else all is body", () => {
    expect(splitFrontMatter("---\n\nhello", "f.md")).toMatchObject({
      matter: undefined,
      body: "---\n\nhello",
      line: 1,
      problem: { code: "FM_UNCLOSED", severity: "warning" },
    });
    expect(splitFrontMatter("\n---\na: 1\n---\nx", "f.md")).toEqual({
      matter: undefined,
      body: "\n---\na: 1\n---\nx",
      line: 1,
    });
    expect(splitFrontMatter("-----\nx\n-----\n", "f.md")).toEqual({
      matter: undefined,
      body: "-----\nx\n-----\n",
      line: 1,
    });
    expect(splitFrontMatter("--- a title ---\nx", "f.md")).toEqual({
      matter: undefined,
      body: "--- a title ---\nx",
      line: 1,
    });
    expect(splitFrontMatter("", "f.md")).toEqual({ matter: undefined, body: "", line: 1 });
  });

  it("cuts where the body begins, with any ends of lines", () => {
    expect(splitFrontMatter("---\na: 1\n---\nx\ny", "f.md")).toEqual({ matter: "a: 1", body: "x\ny", line: 4 });
    expect(splitFrontMatter("---\r\na: 1\r\n---\r\nx\r\ny", "f.md")).toEqual({ matter: "a: 1", body: "x\ny", line: 4 });
    expect(splitFrontMatter("--- \na: 1\n---\t\nx", "f.md")).toEqual({ matter: "a: 1", body: "x", line: 4 });
    expect(splitFrontMatter("---\n---\nx", "f.md")).toEqual({ matter: "", body: "x", line: 3 });
    expect(splitFrontMatter("---\na: 1\n---", "f.md")).toEqual({ matter: "a: 1", body: "", line: 4 });
    expect(read("---\r\na: 1\r\nb: x\r\n---\r\n").value).toEqual({ a: 1, b: "x" });
  });

  it("gives an error every time, and data that nobody else holds", () => {
    const bad = "---\na: [1\n---\n";
    expect(read(bad).codes).toEqual(["FM_INVALID"]);
    expect(read(bad).codes).toEqual(["FM_INVALID"]);
    const good = "---\na: {b: 1}\n---\n";
    const first = read(good).value;
    expect(() => Object.assign(first as object, { a: 2 })).toThrow(TypeError);
    expect(read(good).value).toEqual({ a: { b: 1 } });
  });

  it("counts lines in the file, not in the block", () => {
    expect(read("---\na: 1\nb: [\n---\n").diagnostics[0]).toMatchObject({ line: expect.any(Number), file: "f.md" });
    expect(read("---\na: 1\na: 2\n---\n").diagnostics[0]?.line).toBe(3);
    const { document } = readFrontMatter("---\n\na: 1\nb: 2\n---\n", "f.md");
    expect(document?.position(["b"]).line).toBe(4);
  });

  it("wants keys with values", () => {
    for (const text of ["just text", "- a\n- b", "42"])
      expect(read(`---\n${text}\n---\n`).codes).toEqual(["FM_INVALID"]);
    expect(read("---\n# nothing\n---\n")).toMatchObject({ codes: [] });
    expect(read("---\na: 1\n----\nb: 2\n---\n").codes).toEqual(["FM_INVALID"]);
  });

  it("is not harmed by __proto__, << and bombs", () => {
    expect(read("---\n__proto__: {pwn: 1}\n<<: {pwn: 1}\n---\n").codes).toEqual([]);
    expect(({} as { pwn?: number }).pwn).toBeUndefined();
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(10)}]\nc: &c [${"*b,".repeat(10)}]\nd: [${"*c,".repeat(10)}]\n---\n`;
    expect(read(bomb).codes).toEqual(["FM_INVALID"]);
  });
});

describe("a fragment", () => {
  const file = "prompts/agent.system.tool.word_count.md";
  const parse = (yaml: string) => {
    const { value, diagnostics } = parseFragment(`---\n${yaml}\n---\nbody`, file);
    return { value, diagnostics, codes: codes(diagnostics) };
  };

  it("may say everything that it can say", () => {
    const yaml = [
      "description: Counts.",
      "summary: counts",
      "tools: [word_count]",
      "aliases: [WordCount, wc]",
      "examples:",
      "  - say: How long is a.md?",
      "    call: {path: a.md}",
      "returns: a line",
      "when: knowledge.enabled",
      "order: -1",
      "budget: 300",
    ].join("\n");
    expect(parse(yaml)).toMatchObject({
      codes: [],
      value: {
        description: "Counts.",
        summary: "counts",
        tools: ["word_count"],
        aliases: { word_count: ["WordCount", "wc"] },
        examples: [{ say: "How long is a.md?", call: { path: "a.md" } }],
        returns: "a line",
        when: "knowledge.enabled",
        order: -1,
        budget: 300,
      },
    });
  });

  it("may say nothing", () => {
    expect(parseFragment("only a body", file)).toEqual({ value: {}, diagnostics: [] });
    expect(parse("")).toMatchObject({ value: {}, codes: [] });
  });

  const wrong: readonly (readonly [yaml: string, line: number])[] = [
    ["description: [x]", 2],
    ["summary: x\norder: first", 3],
    ["budget: 0", 2],
    ["budget: 1.5", 2],
    ["tools: word_count", 2],
    ["tools: []", 2],
    ["tools: [a, a]", 2],
    ["tools: [Bad-Id]", 2],
    ["aliases: word", 2],
    ["aliases: [a-b]", 2],
    ["aliases: [a__b]", 2],
    ["aliases: {other: [x]}", 2],
    ["examples: {say: x}", 2],
    ["examples: [{say: x}]", 2],
    ["examples: [{say: x, call: text}]", 2],
    ["when: true", 2],
    ["when: 'not a key!'", 2],
    ["tools: [a, b]\naliases: [x]", 3],
    ["tools: [a, b]\nexamples: [{say: x, call: {path: y}}]", 3],
    ["tools: [a, b]\nexamples: [{say: x, call: {tool_name: c, tool_args: {}}}]", 3],
  ];
  for (const [yaml, line] of wrong) {
    it(`is told that this is wrong: ${yaml.replaceAll("\n", "; ")}`, () => {
      const { codes: found, diagnostics } = parse(yaml);
      expect(found).toEqual(["FM_INVALID"]);
      expect(diagnostics[0]).toMatchObject({ file, line, message: expect.stringMatching(/expected/u) });
    });
  }

  it("keeps the rest when one key is wrong", () => {
    expect(parse("description: good\norder: x").value).toEqual({ description: "good" });
  });

  it("may document several tools", () => {
    const yaml = "tools: [a, b]\naliases: {b: [Bee]}\nexamples: [{say: x, call: {tool_name: a, tool_args: {n: 1}}}]";
    expect(parse(yaml)).toMatchObject({ codes: [], value: { tools: ["a", "b"], aliases: { b: ["Bee"] } } });
  });

  it("is warned of keys that nobody reads, with the one that was meant", () => {
    expect(parse("descripton: x").diagnostics).toMatchObject([
      { code: "FM_UNKNOWN_KEY", severity: "warning", line: 2, hint: "Did you mean description?" },
    ]);
  });
});

describe("a skill", () => {
  const parse = (text: string) => {
    const { value, diagnostics } = parseSkill(text, "skills/cook/SKILL.md");
    return { value, codes: codes(diagnostics) };
  };

  it("has a name and a description", () => {
    expect(
      parse("---\nname: cook-well\ndescription: How to cook.\nversion: 1.0\nallowed-tools: Read\n---\nbody"),
    ).toEqual({
      value: { name: "cook-well", description: "How to cook." },
      codes: [],
    });
    expect(parse("---\ndescription: d\n---\n").value.name).toBe("cook");
  });

  it("is told what is missing or wrong", () => {
    expect(parse("no front matter")).toEqual({ value: { name: "cook", description: "" }, codes: ["SKILL_INVALID"] });
    expect(parse("---\nname: Bad Name\ndescription: d\n---\n").codes).toEqual(["SKILL_INVALID"]);
    expect(parse("---\ndescription: [d]\n---\n").codes).toEqual(["SKILL_INVALID"]);
    expect(parse("---js\n({})\n---\n").codes).toEqual(["FM_LANGUAGE"]);
  });
});
