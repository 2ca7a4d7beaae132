import { describe, expect, test } from "vitest";
import { createPrompts } from "../../core/prompt/assemble.ts";
import { codes, type House, house } from "./house.ts";

const render = (at: House, variables = {}) => createPrompts().render({ view: at.view(), file: "fw.a.md", variables });

describe("an include", () => {
  test("is the file of the highest layer, with the same variables", async () => {
    const at = house({
      "prompts/fw.a.md": 'top\n\n{{include "b.md"}}\n\nend\n',
      "prompts/b.md": "low {{v}}\n",
      "usr/prompts/b.md": "high {{v}} {{include 'c.md'}}\n",
      "prompts/c.md": "c",
    });
    expect(await render(at, { v: "V" })).toEqual({ text: "top\n\nhigh V c\n\nend", diagnostics: [] });
  });

  test("may name a fragment, whose front matter is not text", async () => {
    const at = house({
      "prompts/fw.a.md": '{{include "agent.system.tool.x.md"}}',
      "prompts/agent.system.tool.x.md": "---\ndescription: d\n---\nbody",
    });
    expect((await render(at)).text).toBe("body");
  });

  test("of original is the same file of the next lower layer, down to the last", async () => {
    const at = house({
      "agents/default/prompts/fw.a.md": "1 {{include original}}",
      "usr/prompts/fw.a.md": "2 {{include original}}",
      "usr/plugins/p/prompts/fw.a.md": "3 {{#if v}}{{include original}}{{/if}}",
      "prompts/fw.a.md": "4",
    });
    expect(await render(at, { v: true })).toEqual({ text: "1 2 3 4", diagnostics: [] });
  });

  test("of original where there is none is empty, with a diagnostic", async () => {
    const at = house({ "prompts/fw.a.md": "a\n[{{include original}}]" });
    const { text, diagnostics } = await render(at);
    expect(text).toBe("a\n[]");
    expect(diagnostics).toMatchObject([
      { code: "INCLUDE_MISSING", severity: "warning", file: "prompts/fw.a.md", line: 2, column: 2 },
    ]);
  });
});

test("blocks at the ends of a file leave no blank lines", async () => {
  const block = "{{#if v}}\nyes\n{{/if}}\n";
  const at = house({ "prompts/fw.a.md": '[{{include "b.md"}}]', "prompts/b.md": `${block}\nmiddle\n\n${block}` });
  expect((await render(at, { v: true })).text).toBe("[yes\n\nmiddle\n\nyes]");
  expect((await render(at, { v: false })).text).toBe("[middle]");
  const indented = house({ "prompts/fw.a.md": "{{#if v}}\n{{/if}}\n    code" });
  expect((await render(indented, { v: false })).text).toBe("    code");
  const none = house({ "prompts/fw.a.md": '[{{include "b.md"}}]', "prompts/b.md": block });
  expect((await render(none, { v: false })).text).toBe("[]");
});

describe("an include that fails says where", () => {
  test("a file that no layer holds", async () => {
    const at = house({ "prompts/fw.a.md": '\n\nx {{include "gone.md"}}' });
    const { text, diagnostics } = await render(at);
    expect(text).toBe("");
    expect(diagnostics).toMatchObject([
      { code: "INCLUDE_MISSING", severity: "error", file: "prompts/fw.a.md", line: 3, column: 3 },
    ]);
    expect(diagnostics[0]?.message).toContain("gone.md");
  });

  test.each(["../secret.md", "..", ".hidden.md", "/etc/passwd", "sub/b.md", "sub\\\\b.md", "C:b.md", "file:b.md", ""])(
    "a name that is not one of a prompts directory: %j",
    async (name) => {
      const at = house({ "prompts/fw.a.md": `{{include "${name}"}}`, "secret.md": "s", "prompts/sub/b.md": "b" });
      const { text, diagnostics } = await render(at);
      expect(text).toBe("");
      expect(codes(diagnostics)).toEqual(["INCLUDE_OUTSIDE"]);
    },
  );

  test("a name that a value computes is held to the same rule", async () => {
    const at = house({ "prompts/fw.a.md": "{{include v}}", "prompts/b.md": "b", "x.md": "x" });
    expect((await render(at, { v: "b.md" })).text).toBe("b");
    expect(codes((await render(at, { v: "../x.md" })).diagnostics)).toEqual(["INCLUDE_OUTSIDE"]);
  });

  test.each([
    ["itself", { "prompts/fw.a.md": '{{include "fw.a.md"}}' }],
    ["a circle of two", { "prompts/fw.a.md": '{{include "b.md"}}', "prompts/b.md": '{{include "fw.a.md"}}' }],
    ["a circle inside a block", { "prompts/fw.a.md": '{{#if v}}{{include "fw.a.md"}}{{/if}}' }],
    [
      "a lower layer that includes the higher one",
      { "usr/prompts/fw.a.md": "{{include original}}", "prompts/fw.a.md": '{{include "fw.a.md"}}' },
    ],
  ])("circles: %s", async (_, files) => {
    const { text, diagnostics } = await render(house(files as Record<string, string>), { v: 1 });
    expect(text).toBe("");
    expect(codes(diagnostics)).toEqual(["INCLUDE_CYCLE"]);
    expect(diagnostics[0]?.message).toContain("fw.a.md → ");
  });

  test("a chain deeper than 32 files", async () => {
    const chain = Array.from({ length: 40 }, (_, n) => [`prompts/c${n}.md`, `{{include "c${n + 1}.md"}}`]);
    const at = house({ ...Object.fromEntries(chain), "prompts/fw.a.md": '{{include "c0.md"}}', "prompts/c40.md": "x" });
    expect(codes((await render(at)).diagnostics)).toEqual(["INCLUDE_CYCLE"]);
  });

  test.each([["x".repeat(1000)], [""]])("includes that double at each level", async (leaf) => {
    const twice = Array.from({ length: 25 }, (_, n) => [`prompts/c${n}.md`, `{{include "c${n + 1}.md"}}`.repeat(2)]);
    const at = house({
      ...Object.fromEntries(twice),
      "prompts/fw.a.md": '{{include "c0.md"}}',
      "prompts/c25.md": leaf,
    });
    expect(codes((await render(at)).diagnostics)).toEqual(["TEMPLATE_FAILED"]);
  });

  test("the fault of an included file is told with that file and line", async () => {
    const at = house({
      "prompts/fw.a.md": 'a\n{{#if v}}{{include "b.md"}}{{/if}}',
      "prompts/b.md": "one\n\n{{nothing}}",
    });
    const { diagnostics } = await render(at, { v: 1 });
    expect(diagnostics).toMatchObject([{ code: "TEMPLATE_FAILED", file: "prompts/b.md", line: 3, column: 1 }]);
  });
});

describe("render", () => {
  test("a message that no layer holds", async () => {
    const { text, diagnostics } = await render(house({}));
    expect(text).toBe("");
    expect(diagnostics).toMatchObject([{ code: "PROMPT_MISSING", file: "prompts/fw.a.md" }]);
  });

  test("values of people and models stay text, whatever they hold", async () => {
    const at = house({ "prompts/fw.a.md": '{"message": {{json message}} , "n": {{n}} }', "prompts/x.md": "SECRET" });
    const message = '{{include "x.md"}} {{n}} "quoted"\n§§';
    const { text } = await render(at, { message, n: 3 });
    expect(JSON.parse(text)).toEqual({ message, n: 3 });
  });

  test("line ends of any system give the same text", async () => {
    const at = house({ "prompts/fw.a.md": "\r\n\r\na\r\n\r\nb {{v}}\r\n\r\n" });
    expect((await render(at, { v: "v" })).text).toBe("a\n\nb v");
    expect((await render(at)).diagnostics).toMatchObject([{ line: 5, column: 3 }]);
  });
});
