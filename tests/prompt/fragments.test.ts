import { describe, expect, test } from "vitest";
import { createPrompts } from "../../core/prompt/assemble.ts";
import { generatedFragment } from "../../core/prompt/generated.ts";
import { codes, house, tool } from "./house.ts";

const MAIN = { "prompts/agent.system.main.md": "{{tools}}" };
const fragment = (id: string, at = "prompts"): string => `${at}/agent.system.tool.${id}.md`;

const assemble = (files: Readonly<Record<string, string>>, ids: readonly string[]) =>
  createPrompts().assemble({
    view: house({ ...MAIN, ...files }).view(),
    tools: ids.map((id) => tool(id)),
    variables: {},
    file: "agent.system.main.md",
  });

describe("which fragments are told", () => {
  test("the first of a name, from the four places where people put them", async () => {
    const { text, diagnostics } = await assemble(
      {
        [fragment("a")]: "root",
        [fragment("a", "usr/plugins/p/prompts")]: "plugin",
        [fragment("a", "agents/default/prompts")]: "profile",
        [fragment("b")]: "root b",
        [fragment("b", "usr/plugins/p/prompts")]: "plugin b",
        [fragment("c")]: "root c",
      },
      ["a", "b", "c"],
    );
    expect(text).toBe("profile\n\nplugin b\n\nroot c");
    expect(diagnostics).toEqual([]);
  });

  test("by order, then by name; an order that is not given is 0", async () => {
    const { text } = await assemble(
      {
        [fragment("a")]: "a",
        [fragment("b")]: "---\norder: 1\n---\nb",
        [fragment("c")]: "---\norder: -5\n---\nc",
        [fragment("Z")]: "Z",
        [fragment("e")]: "---\norder: -6.5\n---\ne",
        [fragment("f")]: "---\norder: -5\n---\nf",
      },
      ["a", "b", "c", "Z", "e", "f"],
    );
    expect(text.split("\n\n")).toEqual(["e", "c", "f", "Z", "a", "b"]);
  });

  test("one whose tool is not there is left out, as a warning", async () => {
    const { text, diagnostics } = await assemble({ [fragment("a")]: "a", [fragment("gone")]: "gone" }, ["a"]);
    expect(text).toBe("a");
    expect(diagnostics).toMatchObject([
      {
        code: "FRAGMENT_WITHOUT_TOOL",
        severity: "warning",
        file: fragment("gone"),
        hint: expect.stringContaining("tools:"),
      },
    ]);
  });

  test("one whose tool is there but switched off is left out without a word", async () => {
    const { text, diagnostics } = await assemble({ [fragment("off")]: "off", "tools/off.ts": "" }, []);
    expect(text).not.toContain("off");
    expect(diagnostics).toEqual([]);
  });

  test("one that documents other tools than its name says", async () => {
    const files = { [fragment("memory")]: "---\ntools: [memory_load, memory_save]\n---\nboth" };
    const all = await assemble(files, ["memory_load", "memory_save"]);
    expect(all).toMatchObject({ text: "both", diagnostics: [] });
    const some = await assemble(files, ["memory_load"]);
    expect(some.text).toBe("both");
    expect(some.diagnostics).toMatchObject([{ code: "FRAGMENT_WITHOUT_TOOL" }]);
    expect(some.diagnostics[0]?.message).toContain("memory_save");
    const none = await assemble(files, ["memory"]);
    expect(codes(none.diagnostics)).toEqual(["FRAGMENT_WITHOUT_TOOL", "TOOL_WITHOUT_FRAGMENT"]);
  });
});

describe("a tool without a usable fragment is told by a generated one", () => {
  test("that nobody wrote", async () => {
    const { text, sections, diagnostics } = await assemble({ [fragment("b")]: "b" }, ["a", "b"]);
    expect(text).toBe(`${generatedFragment(tool("a"))}\n\nb`);
    expect(sections[0]).toMatchObject({ id: "a", file: "tools/a.ts", layer: undefined });
    expect(diagnostics).toMatchObject([
      {
        code: "TOOL_WITHOUT_FRAGMENT",
        severity: "warning",
        file: "tools/a.ts",
        fix: { file: "prompts/agent.system.tool.a.md" },
      },
    ]);
  });

  test("that is empty", async () => {
    const { text, diagnostics } = await assemble({ [fragment("a")]: "---\ndescription: x\n---\n \n\n" }, ["a"]);
    expect(text).toBe(generatedFragment(tool("a")));
    expect(codes(diagnostics)).toEqual(["TOOL_WITHOUT_FRAGMENT"]);
  });

  test.each([
    ["does not parse", "{{#if x}}", "TEMPLATE_INVALID"],
    ["holds a workflow file", `---\norder: 1\n---\nkey: $${"{{ secrets.X }}"}`, "TEMPLATE_INVALID"],
    ["needs a variable that is not given", "ok {{nothing}}", "TEMPLATE_FAILED"],
    ["includes a file that is not there", '{{include "gone.md"}}', "INCLUDE_MISSING"],
    ["includes itself", '{{include "agent.system.tool.a.md"}}', "INCLUDE_CYCLE"],
    ["leaves the prompts", '{{include "../x.md"}}', "INCLUDE_OUTSIDE"],
    ["shows the list it is part of", "{{tools}}", "TEMPLATE_FAILED"],
    ["is 10 MB long", "x".repeat(10_000_000), "FILE_TOO_LARGE"],
  ])("that %s; the others are unharmed", async (_, body, code) => {
    const { text, diagnostics } = await assemble({ [fragment("a")]: body, [fragment("b")]: "b" }, ["a", "b"]);
    expect(text).toBe(`${generatedFragment(tool("a"))}\n\nb`);
    expect(diagnostics).toMatchObject([{ code, severity: "error", file: fragment("a") }]);
  });

  test("a fragment of several tools that fails leaves one for each", async () => {
    const { text, diagnostics } = await assemble({ [fragment("m")]: "---\ntools: [a, b]\n---\n{{x}}" }, ["a", "b"]);
    expect(text).toBe([generatedFragment(tool("a")), generatedFragment(tool("b"))].join("\n\n"));
    expect(codes(diagnostics)).toEqual(["TEMPLATE_FAILED"]);
  });
});

describe("front matter that is not what it should be", () => {
  test("is reported, and the body is told all the same", async () => {
    const { text, diagnostics } = await assemble({ [fragment("a")]: "---\norder: soon\ncolour: red\n---\nbody" }, [
      "a",
    ]);
    expect(text).toBe("body");
    expect(diagnostics).toMatchObject([
      { code: "FM_INVALID", file: fragment("a"), line: 2 },
      { code: "FM_UNKNOWN_KEY", file: fragment("a"), line: 3 },
    ]);
  });

  test("in another language is never run; the tool gets a generated fragment", async () => {
    const body = "---js\n{ order: (globalThis.pwned = 1) }\n---\nbody";
    const { text, diagnostics } = await assemble({ [fragment("a")]: body }, ["a"]);
    expect(text).toBe(generatedFragment(tool("a")));
    expect(codes(diagnostics)).toEqual(["FM_LANGUAGE"]);
    expect(globalThis).not.toHaveProperty("pwned");
  });

  test("that is a rule of the text keeps the text", async () => {
    const { text, diagnostics } = await assemble({ [fragment("a")]: "---\n\nhello" }, ["a"]);
    expect(text).toBe("---\n\nhello");
    expect(diagnostics).toMatchObject([{ code: "FM_UNCLOSED", severity: "warning" }]);
  });
});
