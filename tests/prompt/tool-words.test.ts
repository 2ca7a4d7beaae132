import { describe, expect, test } from "vitest";
import { createPrompts } from "../../core/prompt/assemble.ts";
import type { PromptTool } from "../../core/prompt/generated.ts";
import { house, tool } from "./house.ts";

const MAIN = { "prompts/agent.system.main.md": "{{tools}}" };
const fragment = (id: string, at = "prompts"): string => `${at}/agent.system.tool.${id}.md`;
const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "the file" },
    calls: {
      type: "array",
      description: "all of them",
      items: { type: "object", properties: { name: { type: "string", description: "whose" } } },
    },
    bare: { type: "string" },
  },
};

async function assemble(files: Readonly<Record<string, string>>, tools: readonly PromptTool[]) {
  const view = house({ ...MAIN, ...files }).view();
  return await createPrompts().assemble({ view, tools, variables: {}, file: "agent.system.main.md" });
}

describe("what a fragment says of its tool", () => {
  test("its description and what its parameters mean, nested ones and in blocks, too", async () => {
    const body =
      '{{description}} {{param "path"}}, {{param "calls"}}, {{#if description}}{{param "calls.name"}}{{/if}}';
    const { text, diagnostics } = await assemble({ [fragment("a")]: body }, [tool("a", { parameters })]);
    expect(text).toBe("Does a. the file, all of them, whose");
    expect(diagnostics).toEqual([]);
  });

  test("of several tools, each by its name", async () => {
    const body = '---\ntools: [a, b]\n---\n{{descriptions.a}} {{descriptions.b}} {{param "path" tool="b"}}';
    const { text } = await assemble({ [fragment("both")]: body }, [tool("a"), tool("b", { parameters })]);
    expect(text).toBe("Does a. Does b. the file");
  });

  test("also in what it includes", async () => {
    const files = {
      [fragment("a")]: 'low {{param "path"}}',
      [fragment("a", "usr/prompts")]: "{{include original}}, high",
    };
    expect((await assemble(files, [tool("a", { parameters })])).text).toBe("low the file, high");
  });

  test.each([
    ['{{param "pth"}}', "names no parameter of a; there are path, calls, calls.name, bare"],
    ['{{param "bare"}}', "is described neither by a locale nor by the schema of a"],
    ["{{param path}}", "has no value"],
    ['{{param "path" tool="b"}}', 'needs tool="…", one of a'],
  ])("%s fails the fragment, with its place", async (tag, message) => {
    const { text, diagnostics } = await assemble({ [fragment("a")]: `one\n${tag}` }, [tool("a", { parameters })]);
    expect(text).toContain("## a");
    expect(diagnostics).toMatchObject([{ code: "TEMPLATE_FAILED", file: fragment("a"), line: 2, column: 1 }]);
    expect(diagnostics[0]?.message).toContain(message);
  });

  test("is for fragments only", async () => {
    const view = house({ "prompts/fw.x.md": '{{param "path"}}' }).view();
    const { text, diagnostics } = await createPrompts().render({ view, file: "fw.x.md", variables: {} });
    expect(text).toBe("");
    expect(diagnostics[0]?.message).toContain("is not the fragment of a tool");
  });

  test("a fragment that does not fit the tool that replaces its own is told of that tool, as a warning", async () => {
    const files = { "tools/a.ts": "", [fragment("a")]: '{{param "path"}}', "usr/tools/a.ts": "" };
    const { text, diagnostics } = await assemble(files, [tool("a", { file: "usr/tools/a.ts" })]);
    expect(text).toContain("Does a.");
    expect(diagnostics).toMatchObject([{ code: "TOOL_WITHOUT_FRAGMENT", severity: "warning", file: "usr/tools/a.ts" }]);
    expect(diagnostics[0]?.message).toContain("prompts/agent.system.tool.a.md is of another a");
  });

  test("is rendered anew when the words change", async () => {
    const place = house({ ...MAIN, [fragment("a")]: '{{description}}: {{param "path"}}' });
    const prompts = createPrompts();
    const said = async (one: PromptTool) => {
      const asked = { view: place.view(), tools: [one], variables: {}, file: "agent.system.main.md" };
      return (await prompts.assemble(asked)).text;
    };
    expect(await said(tool("a", { parameters }))).toBe("Does a.: the file");
    expect(await said(tool("a", { parameters: structuredClone(parameters) }))).toBe("Does a.: the file");
    const german = structuredClone(parameters);
    german.properties.path.description = "die Datei";
    expect(await said(tool("a", { parameters: german, description: "Tut a." }))).toBe("Tut a.: die Datei");
  });
});
