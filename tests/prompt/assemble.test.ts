import { describe, expect, test } from "vitest";
import { createPrompts } from "../../core/prompt/assemble.ts";
import type { PromptTool } from "../../core/prompt/generated.ts";
import { codes, house, tool } from "./house.ts";

const MAIN = {
  "prompts/agent.system.main.md":
    '# Main of {{profile}}\n\n{{include "agent.system.main.role.md"}}\n\n{{include "agent.system.tools.md"}}\n',
  "prompts/agent.system.main.role.md": "Role.\n",
  "prompts/agent.system.tools.md": "## Tools\n\n{{tools}}\n\nNo other tools.\n",
};
const variables = { profile: "default" };
const file = "agent.system.main.md";

describe("the system prompt", () => {
  test("is main with tools with fragments, and each part knows its own text", async () => {
    const at = house({
      ...MAIN,
      "prompts/agent.system.tool.b.md": "---\ndescription: b\n---\n\n### b\nuse {{profile}}\n",
      "usr/plugins/p/prompts/agent.system.tool.a.md": "### a",
    });
    const prompt = await createPrompts().assemble({ view: at.view(), tools: [tool("b"), tool("a")], variables, file });
    expect(prompt.text).toBe(
      "# Main of default\n\nRole.\n\n## Tools\n\n### a\n\n### b\nuse default\n\nNo other tools.",
    );
    expect(prompt.diagnostics).toEqual([]);
    expect(prompt.sections).toEqual([
      {
        id: "agent.system.main.md",
        file: "prompts/agent.system.main.md",
        layer: { rank: 8, path: "." },
        text: "# Main of default\n\n\n\n",
      },
      {
        id: "agent.system.main.role.md",
        file: "prompts/agent.system.main.role.md",
        layer: { rank: 8, path: "." },
        text: "Role.",
      },
      {
        id: "agent.system.tools.md",
        file: "prompts/agent.system.tools.md",
        layer: { rank: 8, path: "." },
        text: "## Tools\n\n\n\n\n\nNo other tools.",
      },
      {
        id: "a",
        file: "usr/plugins/p/prompts/agent.system.tool.a.md",
        layer: { rank: 7, path: "usr/plugins/p" },
        text: "### a",
      },
      {
        id: "b",
        file: "prompts/agent.system.tool.b.md",
        layer: { rank: 8, path: "." },
        text: "### b\nuse default",
      },
    ]);
  });

  test("is the same bytes whatever the order of the tools, and from a new host", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `t${n}`);
    const fragments = ids.slice(0, 20).map((id) => [`prompts/agent.system.tool.${id}.md`, `### ${id} {{profile}}`]);
    const at = house({ ...MAIN, ...Object.fromEntries(fragments) });
    const tools = ids.map((id) => tool(id));
    const one = await createPrompts().assemble({ view: at.view(), tools, variables, file });
    const two = await createPrompts().assemble({ view: at.view(), tools: [...tools].reverse(), variables, file });
    expect(two).toEqual(one);
    expect(one.sections.map((section) => section.text.length).reduce((a, b) => a + b)).toBe(one.text.length);
  });

  test("fragments and values that look like templates are not rendered again", async () => {
    const at = house({
      ...MAIN,
      "prompts/agent.system.tool.a.md": '{{{{raw}}}}{{profile}} {{include "agent.system.main.md"}}{{{{/raw}}}}',
    });
    const tools = [tool("a"), tool("b", { description: "{{profile}} {{tools}}" })];
    const { text, diagnostics } = await createPrompts().assemble({ view: at.view(), tools, variables, file });
    expect(text).toContain('\n\n{{profile}} {{include "agent.system.main.md"}}\n\n');
    expect(text).toContain("{{profile}} {{tools}}");
    expect(codes(diagnostics)).toEqual(["TOOL_WITHOUT_FRAGMENT"]);
  });

  test("looks at the fragments only where the file shows them", async () => {
    const at = house({ ...MAIN, "prompts/plain.md": "{{word}} of {{profile}}" });
    const prompts = createPrompts();
    const asked = { view: at.view(), tools: [tool("a")], variables, file: "plain.md" };
    const one = await prompts.assemble({ ...asked, more: { word: "First" } });
    expect(one).toMatchObject({ text: "First of default", diagnostics: [] });
    expect(await prompts.assemble({ ...asked, more: { word: "First" } })).toBe(one);
    expect(await prompts.assemble({ ...asked, more: { word: "Second" } })).toMatchObject({ text: "Second of default" });
  });

  test("with no tool at all says so", async () => {
    const at = house({ ...MAIN, "prompts/agent.system.tool.a.md": "### a" });
    const { text } = await createPrompts().assemble({ view: at.view(), tools: [], variables, file });
    expect(text).toContain("## Tools\n\nThere are no tools");
    expect(text).not.toContain("### a");
  });

  test("can ask whether there are tools", async () => {
    const at = house({ "prompts/agent.system.main.md": "{{#if tools}}[{{tools}}]{{else}}none{{/if}}" });
    const prompts = createPrompts();
    const view = at.view();
    expect((await prompts.assemble({ view, tools: [], variables, file })).text).toBe("none");
    expect((await prompts.assemble({ view, tools: [tool("a")], variables, file })).text).toMatch(/^\[## a\n.*\]$/s);
  });

  test("of a profile may extend the one below", async () => {
    const at = house({ ...MAIN, "agents/default/prompts/agent.system.main.role.md": "{{include original}} And more." });
    const prompt = await createPrompts().assemble({ view: at.view(), tools: [], variables, file });
    expect(prompt.text).toContain("Role. And more.");
    expect(prompt.sections.map((section) => section.file)).toEqual([
      "prompts/agent.system.main.md",
      "prompts/agent.system.main.role.md",
      "agents/default/prompts/agent.system.main.role.md",
      "prompts/agent.system.tools.md",
    ]);
  });
});

describe("a part that fails costs itself only", () => {
  test("an included part", async () => {
    const at = house({ ...MAIN, "prompts/agent.system.main.role.md": "one\n{{nothing}}" });
    const { text, diagnostics } = await createPrompts().assemble({
      view: at.view(),
      tools: [tool("a")],
      variables,
      file,
    });
    expect(text).toMatch(/^# Main of default\n\n\n\n## Tools\n\n## a/);
    expect(diagnostics).toMatchObject([
      { code: "TEMPLATE_FAILED", file: "prompts/agent.system.main.role.md", line: 2 },
      { code: "TOOL_WITHOUT_FRAGMENT" },
    ]);
  });

  test("a circle through main", async () => {
    const at = house({ ...MAIN, "prompts/agent.system.main.role.md": 'Role {{include "agent.system.main.md"}}.' });
    const { text, diagnostics } = await createPrompts().assemble({ view: at.view(), tools: [], variables, file });
    expect(text).toMatch(/^# Main of default\n\nRole \.\n\n## Tools/);
    expect(codes(diagnostics)).toEqual(["INCLUDE_CYCLE"]);
  });

  test("the file itself, missing or broken", async () => {
    const { "prompts/agent.system.main.md": _, ...rest } = MAIN;
    const missing = house(rest);
    const one = await createPrompts().assemble({ view: missing.view(), tools: [tool("a")], variables, file });
    expect(one).toMatchObject({ text: "", sections: [] });
    expect(one.diagnostics).toMatchObject([{ code: "PROMPT_MISSING", file: "prompts/agent.system.main.md" }]);
    const broken = house({ ...MAIN, "prompts/agent.system.main.md": "{{#if" });
    const two = await createPrompts().assemble({ view: broken.view(), tools: [tool("a")], variables, file });
    expect(two).toMatchObject({ text: "", sections: [] });
    expect(codes(two.diagnostics)).toEqual(["TEMPLATE_INVALID"]);
  });

  test("the frame of the tools, missing or broken: they are still told", async () => {
    const tools = [tool("a"), tool("b")];
    const of = async (files: Readonly<Record<string, string>>, given = tools) =>
      await createPrompts().assemble({
        view: house(files).view(),
        tools: given,
        variables,
        file: "agent.system.tools.md",
      });
    const { text, sections, diagnostics } = await of({});
    expect(text).toMatch(/^## a\n.*\n\n## b\n/s);
    expect(sections.map((section) => section.text.length).reduce((x, y) => x + y)).toBe(text.length);
    expect(codes(diagnostics)).toEqual(["PROMPT_MISSING", "TOOL_WITHOUT_FRAGMENT", "TOOL_WITHOUT_FRAGMENT"]);
    expect((await of({}, [])).text).toMatch(/^There are no tools/);
    const broken = await of({ "prompts/agent.system.tools.md": "{{tools}} {{nothing}}" });
    expect(broken.text).toBe(text);
    expect(codes(broken.diagnostics)).toContain("TEMPLATE_FAILED");
  });
});

describe("what is kept", () => {
  const many = (count: number) => {
    const ids = Array.from({ length: count }, (_, n) => `t${n}`);
    const fragments = ids.map((id) => [`prompts/agent.system.tool.${id}.md`, `### ${id} of {{profile}}`]);
    return { at: house({ ...MAIN, ...Object.fromEntries(fragments) }), tools: ids.map((id) => tool(id)) };
  };

  test("the same view, tools and variables give the same object, whatever lies on the disk", async () => {
    const { at, tools } = many(3);
    const prompts = createPrompts();
    const view = at.view();
    const one = await prompts.assemble({ view, tools, variables, file });
    at.write({ "prompts/agent.system.tool.t1.md": "### changed" });
    expect(await prompts.assemble({ view, tools, variables: { ...variables }, file })).toBe(one);
    expect(await prompts.assemble({ view, tools: tools.map((item) => ({ ...item })), variables, file })).toBe(one);
    expect(await prompts.assemble({ view, tools, variables: { profile: "other" }, file })).not.toBe(one);
    expect(await prompts.assemble({ view, tools: tools.slice(1), variables, file })).not.toBe(one);
  });

  test("for a new view only what changed is read again", async () => {
    const { at, tools } = many(20);
    const prompts = createPrompts();
    const read: string[] = [];
    const watched = (base: ReturnType<typeof at.view>) => ({
      ...base,
      body(candidate: Parameters<typeof base.body>[0]) {
        read.push(candidate.id);
        return base.body(candidate);
      },
    });
    await prompts.assemble({ view: watched(at.view()), tools, variables, file });
    expect(read).toHaveLength(23);
    read.length = 0;
    at.write({ "prompts/agent.system.tool.t7.md": "### t7 changed" });
    const { text } = await prompts.assemble({ view: watched(at.view()), tools, variables, file });
    expect(text).toContain("### t7 changed");
    expect(text).toContain("### t8 of default");
    expect(read).toEqual(["t7"]);
  });

  test("a new view sees every change, even of the same size in the same instant", async () => {
    const { at, tools } = many(3);
    const prompts = createPrompts();
    for (const word of ["aa", "bb", "cc"]) {
      at.write({ "prompts/agent.system.tool.t1.md": `### ${word}` });
      expect((await prompts.assemble({ view: at.view(), tools, variables, file })).text).toContain(`### ${word}`);
    }
  });

  test("an include that a fragment reads is part of it", async () => {
    const at = house({
      ...MAIN,
      "prompts/agent.system.tool.a.md": '{{include "shared.md"}}',
      "prompts/shared.md": "one",
    });
    const prompts = createPrompts();
    const text = async () => (await prompts.assemble({ view: at.view(), tools: [tool("a")], variables, file })).text;
    expect(await text()).toContain("\n\none\n\n");
    at.write({ "prompts/shared.md": "two" });
    expect(await text()).toContain("\n\ntwo\n\n");
    at.write({ "usr/prompts/shared.md": "three" });
    expect(await text()).toContain("\n\nthree\n\n");
  });

  test("front matter, a removed file and a new file are seen by a new view", async () => {
    const { at, tools } = many(2);
    const prompts = createPrompts();
    const order = async (): Promise<readonly string[]> =>
      (await prompts.assemble({ view: at.view(), tools, variables, file })).sections.map(({ id }) => id).slice(3);
    expect(await order()).toEqual(["t0", "t1"]);
    at.write({ "prompts/agent.system.tool.t1.md": "---\norder: -1\n---\n### t1 of {{profile}}" });
    expect(await order()).toEqual(["t1", "t0"]);
    at.remove("prompts/agent.system.tool.t1.md");
    expect(await order()).toEqual(["t0", "t1"]);
    at.write({ "usr/prompts/agent.system.tool.t1.md": "---\norder: -2\n---\nusr" });
    expect(await order()).toEqual(["t1", "t0"]);
  });

  test("two profiles with their own variables do not mix", async () => {
    const { at, tools } = many(2);
    const prompts = createPrompts();
    const views = [at.view(), at.view()] as const;
    const both = async () =>
      (
        await Promise.all([
          prompts.assemble({ view: views[0], tools, variables: { profile: "one" }, file }),
          prompts.assemble({ view: views[1], tools, variables: { profile: "two" }, file }),
        ])
      ).map(({ text }) => text);
    const first = await both();
    expect(first[0]).toContain("### t0 of one");
    expect(first[1]).toContain("### t0 of two");
    expect(await both()).toEqual(first);
  });

  test("a generated text follows its tool", async () => {
    const at = house(MAIN);
    const prompts = createPrompts();
    const text = async (tools: readonly PromptTool[]): Promise<string> =>
      (await prompts.assemble({ view: at.view(), tools, variables, file })).text;
    expect(await text([tool("a", { description: "First." })])).toContain("First.");
    expect(await text([tool("a", { description: "Second." })])).toContain("Second.");
  });
});
