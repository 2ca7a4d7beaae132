import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { PromptFault } from "../../core/prompt/fault.ts";
import { loadTemplateEngine } from "../../core/prompt/template.ts";
import type { JsonObject } from "../../core/sdk/result.ts";

const engine = await loadTemplateEngine();

/** Parses and renders one body that includes nothing; a fault comes back as its diagnostic. */
function render(text: string, variables: JsonObject = {}): string | Diagnostic {
  const parsed = engine.parse({ text, file: "prompts/a.md", line: 1 });
  if (!("template" in parsed)) return parsed.diagnostic;
  try {
    return parsed.template.segments
      .map((segment) => {
        if (segment.kind === "text") return segment.text;
        if (segment.kind === "include") throw new Error("not here");
        return segment.render(variables, (target) => `<${target === "original" ? "original" : target.name}>`);
      })
      .join("");
  } catch (thrown) {
    if (thrown instanceof PromptFault) return thrown.diagnostic;
    throw thrown;
  }
}

describe("values", () => {
  test("are put in byte for byte, never escaped", () => {
    expect(render("{{v}}", { v: `a<b & "c" 'd' \`e\` =` })).toBe(`a<b & "c" 'd' \`e\` =`);
    expect(render("{{{v}}} {{&v}}", { v: "<&>" })).toBe("<&> <&>");
  });

  test("are never rendered again", () => {
    const v = '{{secret}} {{include "x.md"}} {{{{raw}}}} \\{{a}}';
    expect(render("{{v}}{{#if v}}{{v}}{{/if}}", { v, secret: "s" })).toBe(v + v);
  });

  test("that are not text are written as JSON", () => {
    expect(render("{{n}} {{b}} {{z}} {{l}} {{o}}", { n: 1.5, b: false, z: null, l: [1, "a"], o: { k: 1 } })).toBe(
      '1.5 false null [1,"a"] {"k":1}',
    );
  });

  test("are reached through own properties only", () => {
    for (const path of ["constructor", "__proto__", "a.constructor", "a.__proto__", "toString", "l.map", "s.trim"]) {
      expect(render(`{{${path}}}`, { a: {}, l: [], s: "x" }), path).toMatchObject({ code: "TEMPLATE_FAILED" });
    }
    expect(render("{{a.b.c}} {{l.length}} {{@root.a.b.c}}", { a: { b: { c: 1 } }, l: [7] })).toBe("1 1 1");
  });

  test("may have the name of a helper", () => {
    const variables = { if: "1", log: "2", json: "3", raw: "4", include: "5", lookup: "6", each: "7" };
    expect(render("{{if}}{{log}}{{json}}{{raw}}{{include}}{{lookup}}{{each}}", variables)).toBe("1234567");
    expect(render("{{json json}}", variables)).toBe('"3"');
  });
});

describe("a missing variable", () => {
  test.each([
    ["{{missing}}", 1, 1],
    ["a\n  {{missing}}", 2, 3],
    ["{{a.missing}}", 1, 1],
    ["{{a.missing.deeper}}", 1, 1],
    ["{{missing.a}}", 1, 1],
    ["{{#if a}}\n{{missing}}{{/if}}", 2, 1],
    ["{{json missing}}", 1, 1],
    ["{{fence missing}}", 1, 1],
    ["{{raw missing}}", 1, 1],
    ["{{#if a}}{{include missing}}{{/if}}", 1, 10],
    ["{{lookup a 'missing'}}", 1, 1],
    ["{{json (lookup a 'missing')}}", 1, 1],
    ["{{#each missing}}x{{/each}}", 1, 1],
    ["{{#with a.missing}}x{{/with}}", 1, 1],
  ])("fails %j and is named with its place", (text, line, column) => {
    const found = render(text, { a: {} });
    expect(found).toMatchObject({ code: "TEMPLATE_FAILED", severity: "error", file: "prompts/a.md", line, column });
    expect((found as Diagnostic).message).toContain("missing");
    expect((found as Diagnostic).hint).toBeTruthy();
  });

  test("is false for if and unless, at any depth and below null", () => {
    const text = "{{#if x}}1{{else}}2{{/if}}{{#if z.y}}3{{else}}4{{/if}}{{#unless x.y.z}}5{{/unless}}";
    expect(render(text, { z: null })).toBe("245");
  });
});

describe("blocks", () => {
  test("each, with, else, @index, this, block parameters", () => {
    const text =
      "{{#each l}}{{@index}}:{{this}} {{/each}}{{#each o as |v k|}}{{k}}={{v.n}}{{/each}}{{#with o.a}}{{n}}{{../l.length}}{{/with}}";
    expect(render(text, { l: ["a", "b"], o: { a: { n: 1 } } })).toBe("0:a 1:b a=112");
    expect(render("{{#each l}}x{{else}}none{{/each}}", { l: [] })).toBe("none");
  });
});

describe("helpers", () => {
  test("json gives text that parses back", () => {
    const v = { a: 'quote " and \n and \u2028', b: [1, null] };
    expect(JSON.parse(render('{"v": {{json v}} }', { v }) as string)).toEqual({ v });
    expect(render('{"v": {{json v}}}', { v })).toMatchObject({
      code: "TEMPLATE_INVALID",
      hint: expect.stringContaining("Put a space between }} and a }"),
    });
    expect(render("{{json v indent=2}}", { v: [1] })).toBe("[\n  1\n]");
  });

  test("fence cannot be closed by its content", () => {
    expect(render("{{fence v}}", { v: "x" })).toBe("```\nx\n```");
    expect(render('{{fence v "md"}}', { v: "a\n````js\n```\n" })).toBe("`````md\na\n````js\n```\n`````");
    expect(render("{{fence v}}", { v: { a: 1 } })).toBe('```\n{\n  "a": 1\n}\n```');
  });

  test("raw as a block keeps whatever braces it holds", () => {
    const inside = `env: $${"{{ secrets.X }}"}\n{{ "a": 1 }} {{#if}} {{{x}}} \\{{y}}\n`;
    expect(render(`{{{{raw}}}}\n${inside}{{{{/raw}}}}\nafter {{v}}`, { v: "v" })).toBe(`${inside}after v`);
    expect(render("{{#if v}}{{{{raw}}}}{{x}}{{{{/raw}}}}{{/if}}", { v: 1 })).toBe("{{x}}");
  });

  test("raw with a value is the value", () => {
    expect(render("{{raw v}}", { v: "<{{x}}>" })).toBe("<{{x}}>");
  });

  test("nothing prints", () => {
    expect(render('{{log "x"}}')).toMatchObject({ code: "TEMPLATE_INVALID" });
  });
});

describe("a backslash before braces", () => {
  test("makes them literal and is gone; two leave one", () => {
    expect(render("\\{{v}}", { v: "x" })).toBe("{{v}}");
    expect(render("C:\\\\{{v}}", { v: "x" })).toBe("C:\\x");
    expect(render("a\\b {{v}}", { v: "x" })).toBe("a\\b x");
  });
});

describe("refused when loaded, with the line and a hint", () => {
  test.each([
    [`on:\n  key: $${"{{ secrets.X }}"}`, 2, /secrets\.X/],
    ['ok\n\n{{ "a": 1 }}', 3, /"a": 1/],
    ['{{"a"}}', 1, /neither a variable nor a helper/],
    ["{{1}}", 1, /neither a variable nor a helper/],
    ["{{#if a}}\nx", 2, /does not parse/],
    ["{{#if a}}\nx\n{{/each}}", 1, /if doesn't match each/],
    ["{{a", 1, /does not parse/],
    ["x\n{{{{raw}}}} y", 2, /does not parse/],
    ["{{nosuch a}}", 1, /unknown helper/],
    ["{{#nosuch}}x{{/nosuch}}", 1, /unknown helper/],
    ["{{json (nosuch a)}}", 1, /unknown helper/],
    ["{{json (if a)}}", 1, /is a block/],
    ["{{#json a}}x{{/json}}", 1, /not a block/],
    ["{{#raw}}x{{/raw}}", 1, /not a block/],
    ["{{#if}}x{{/if}}", 1, /takes 1 argument/],
    ["{{json a b}}", 1, /takes 1 argument/],
    ["{{json a colour=1}}", 1, /no option colour/],
    ["{{constructor a}}", 1, /unknown helper/],
    ["{{> part}}", 1, /partials/],
    ["{{#> part}}x{{/part}}", 1, /partials/],
    ['a\n{{#*inline "x"}}y{{/inline}}', 2, /partials and decorators/],
    ["{{[@ show] a}}", 1, /unknown helper/],
  ])("%j", (text, line, message) => {
    const found = render(text, { a: 1 });
    expect(found).toMatchObject({ code: "TEMPLATE_INVALID", severity: "error", file: "prompts/a.md", line });
    expect((found as Diagnostic).message).toMatch(message);
    expect((found as Diagnostic).hint).toMatch(/raw|include/);
  });

  test("lines are those of the file, below its front matter", () => {
    const parsed = engine.parse({ text: "a\n{{#if}}", file: "f.md", line: 6 });
    expect(parsed).toMatchObject({ diagnostic: { line: 7 } });
  });
});

describe("segments", () => {
  test("are cut at written includes and at {{tools}}, at the top level only", () => {
    const text =
      'a {{v}} b\n{{include "x.md"}}\n{{!-- note --}}{{tools}}{{#if v}}{{include "y.md"}}{{/if}}{{include original}}';
    const parsed = engine.parse({ text, file: "f.md", line: 3 });
    if (!("template" in parsed)) throw new Error(parsed.diagnostic.message);
    expect(parsed.template.segments.map(({ kind }) => kind)).toEqual([
      "code",
      "include",
      "text",
      "slot",
      "code",
      "include",
    ]);
    expect(parsed.template.segments[1]).toMatchObject({ target: { name: "x.md" }, at: { line: 4, column: 1 } });
    expect(parsed.template.segments[5]).toMatchObject({ target: "original" });
    expect(parsed.template).toMatchObject({ constant: false, includes: true });
  });

  test("a text without braces, or with comments only, is constant", () => {
    for (const text of ["plain } { text", "a{{! c }}b"]) {
      expect(engine.parse({ text, file: "f.md", line: 1 })).toMatchObject({ template: { constant: true } });
    }
  });

  test("an include that is computed or stands in a block is rendered in place", () => {
    const text = '{{#if v}}{{include "x.md"}}{{include v}}{{include original}}{{json (include original)}}{{/if}}';
    expect(render(text, { v: "y.md" })).toBe('<x.md><y.md><original>"<original>"');
    expect(render("{{include v}}", { v: 1 })).toMatchObject({ code: "TEMPLATE_FAILED" });
  });
});

test("two engines share nothing", async () => {
  const other = await loadTemplateEngine();
  const parsed = other.parse({ text: "{{#if v}}{{include 'x.md'}}{{/if}}", file: "f.md", line: 1 });
  if (!("template" in parsed)) throw new Error(parsed.diagnostic.message);
  const [segment] = parsed.template.segments;
  // The inner rendering uses the first engine while the second one is in the middle of its own.
  const text = segment?.kind === "code" ? segment.render({ v: 1 }, () => String(render("{{v}}", { v: "inner" }))) : "";
  expect(text).toBe("inner");
});
