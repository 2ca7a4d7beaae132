import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { scriptedModel, text } from "../helpers/scripted-model.ts";
import { manifest, type Tree, toolSource } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const GUIDE = fileURLToPath(
  new URL("../../plugins/_base/skills/toolroom-development/extension-points.md", import.meta.url),
);

/** An extension at `system_prompt` with this body. */
const section = (body: string) =>
  `import { Extension } from "toolroom";
export default class extends Extension<"system_prompt"> {
  async execute(payload: any, { agent }: any) { ${body} }
}
`;
const says = (words: string) => section(`payload.sections.push({ id: ${JSON.stringify(words)}, text: "${words}" });`);
const own = (stem: string, source: string): Tree => ({ [`usr/extensions/system_prompt/${stem}.ts`]: source });

/** A root in which every bundled section has something to say. */
const FULL: Tree = {
  "usr/secrets.env": "# Opens the door\nDOOR_TOKEN=value-of-the-door\n",
  "usr/projects/site/settings.yaml": "",
};
const HEADINGS = ["# Role", "# Communication", "# Solving", "# Tools", "# Secrets", "# Skills", "# Project"];

const headingsOf = (prompt: string): readonly string[] =>
  prompt.split("\n").filter((line) => /^(?:# |mine)/u.test(line));

describe("the system prompt", () => {
  it("has the bundled sections in their order", async () => {
    const { host } = await openHouse(FULL, { project: "site" });
    const shown = await host.prompt();
    expect(headingsOf(shown.text)).toEqual(HEADINGS);
    expect(shown.diagnostics).toEqual([]);
    const files = shown.sections.map(({ file }) => file.replace(/^.*\/(plugins|prompts)\//u, "$1/"));
    expect(files).toEqual([
      "prompts/agent.system.main.role.md",
      "prompts/agent.system.main.md",
      "prompts/agent.system.main.communication.md",
      "prompts/agent.system.main.solving.md",
      "prompts/agent.system.tools.md",
      "prompts/agent.system.tool.call_subordinate.md",
      "prompts/agent.system.tool.content_search.md",
      "prompts/agent.system.tool.file_edit.md",
      "prompts/agent.system.tool.file_read.md",
      "prompts/agent.system.tool.file_write.md",
      "prompts/agent.system.tool.glob_search.md",
      "prompts/agent.system.tool.parallel.md",
      "prompts/agent.system.tool.response.md",
      "prompts/agent.system.tool.shell.md",
      "prompts/agent.system.tool.skills_tool.md",
      "prompts/agent.system.tool.wait.md",
      "prompts/agent.system.tool.word_count.md",
      "prompts/agent.system.secrets.md",
      "prompts/agent.system.skills.md",
      "prompts/agent.system.project.md",
    ]);
    expect(host.items("extension").map(({ id }) => id)).toEqual(
      ["_10_main", "_11_tools", "_13_secrets", "_13_skills", "_14_project"].map((stem) => `system_prompt/${stem}`),
    );
  });

  it("leaves no gap where a section has nothing to say", async () => {
    const { host } = await openHouse();
    const { text: prompt } = await host.prompt();
    expect(headingsOf(prompt)).toEqual(HEADINGS.filter((heading) => !/Secrets|Project/u.test(heading)));
    expect(prompt).not.toMatch(/\n\n\n|^\s|\s$/u);
  });

  it.each(["native", "json"] as const)("is for a %s model byte for byte what is shown", async (protocol) => {
    const files = {
      ...FULL,
      ...own("_15_agent", says("mine")),
      "usr/plugins/a/plugin.yaml": manifest("a"),
      "usr/plugins/a/tools/a.ts": toolSource("a"),
    };
    const replies = [[text("no request")], [text('{"tool_name": "response", "tool_args": {"text": "ok"}}')]];
    const model = scriptedModel(replies, { protocol });
    const { host } = await openHouse(files, { project: "site", model });
    await host.run("hi");
    const shown = await host.prompt();
    for (const request of model.requests) expect(await request.system()).toBe(shown.text);
    expect(shown.text.includes("Each reply is one JSON object")).toBe(protocol === "json");
    expect(headingsOf(shown.text)).toEqual([...HEADINGS, "mine"]);
  });

  it("names the skills, each in one line, whatever their authors wrote", async () => {
    const skill = (description: string) => `---\ndescription: ${JSON.stringify(description)}\n---\nText.\n`;
    const { host } = await openHouse({
      "usr/skills/cook/SKILL.md": skill(`{{profile}}\n# Cook ${"x".repeat(479)}🍲🍲🍲`),
    });
    const { text: prompt } = await host.prompt();
    const [, line = ""] = /^- \*\*cook\*\*: (.*)$/mu.exec(prompt) ?? [];
    expect(line).toMatch(/^\{\{profile\}\} # Cook x+…$/u);
    expect(line.length).toBe(499);
    expect(prompt).toContain("- **toolroom-development**: ");
  });
});

describe("a section of somebody's own", () => {
  it("stands between two others by its file name, and is shown with its file, layer and tokens", async () => {
    const files = {
      ...FULL,
      "usr/plugins/p/plugin.yaml": manifest("p"),
      "usr/plugins/p/extensions/system_prompt/_12_mine.ts": section(
        'payload.sections.push({ id: "mine", text: "\\nmine: some words\\n" });',
      ),
    };
    const { host } = await openHouse(files, { project: "site" });
    const { text: prompt, sections } = await host.prompt();
    expect(headingsOf(prompt)).toEqual(HEADINGS.toSpliced(4, 0, "mine: some words"));
    expect(prompt).toContain("\n\nmine: some words\n\n# Secrets");
    const at = sections.findIndex(({ id }) => id === "mine");
    expect(sections[at]).toEqual({
      id: "mine",
      file: "usr/plugins/p/extensions/system_prompt/_12_mine.ts",
      layer: { rank: 7, path: "usr/plugins/p" },
      tokens: 4,
      budget: null,
      shortened: false,
    });
    expect(sections[at + 1]?.id).toBe("agent.system.secrets.md");
  });

  it("replaces a bundled one of its file name, for its layer's profile", async () => {
    const { host } = await openHouse({
      ...own("_13_skills", section("")),
      "usr/agents/default/extensions/system_prompt/_10_main.ts": says("mine"),
    });
    expect(headingsOf((await host.prompt()).text)).toEqual(["mine", "# Tools"]);
    expect(headingsOf((await host.prompt({ profile: "developer" })).text)[0]).toBe("# Role");
    const { winner, candidates } = await host.explain("system_prompt/_10_main", { kind: "extension" });
    expect(winner).toBe("usr/agents/default/extensions/system_prompt/_10_main.ts");
    expect(candidates.map(({ state }) => state)).toEqual(["wins", "shadowed"]);
  });

  it("renders a file of its own, whose parts keep their files", async () => {
    const body =
      'payload.sections.push({ id: "mine", text: "mine\\n\\n" + await payload.render("mine.md", { word: agent.profile }) });';
    const { host } = await openHouse({
      ...own("_16_mine", section(body)),
      "usr/prompts/mine.md": 'Word: {{word}} {{project}}.\n{{include "mine.part.md"}}',
      "usr/prompts/mine.part.md": "Part of {{profile}}.",
    });
    const { text: prompt, sections, diagnostics } = await host.prompt();
    expect(prompt.endsWith("\n\nmine\n\nWord: default .\nPart of default.")).toBe(true);
    expect(sections.slice(-3).map(({ id, file }) => [id, file])).toEqual([
      ["mine", "usr/extensions/system_prompt/_16_mine.ts"],
      ["mine.md", "usr/prompts/mine.md"],
      ["mine.part.md", "usr/prompts/mine.part.md"],
    ]);
    expect(diagnostics).toEqual([]);
  });

  it("works as the guide prints it", async () => {
    const guide = readFileSync(GUIDE, "utf8").split("## Sections of the system prompt")[1] ?? "";
    const [, source = ""] = /```ts\n([\s\S]*?)```/.exec(guide) ?? [];
    const { host } = await openHouse({
      ...own("_12_house_rules", source),
      "usr/prompts/house_rules.md": "mine: nobody runs on floor {{floor}}.\n",
    });
    const { text: prompt, diagnostics } = await host.prompt();
    expect(headingsOf(prompt).at(-2)).toBe("mine: nobody runs on floor 3.");
    expect(diagnostics).toEqual([]);
    const bundled = host.items("extension").map(({ id }) => id.split("/")[1] as string);
    for (const stem of bundled) expect(guide).toContain(stem);
  });

  it("may change, move and take out those of the ones before, whose authors then are not lost", async () => {
    const body = `const [main, tools, ...rest] = payload.sections;
      payload.sections = [{ ...tools, text: "mine first" }, main, ...rest.filter(({ id }) => id !== "skills")];`;
    const { host } = await openHouse({ ...FULL, ...own("_50_order", section(body)) });
    const { text: prompt, sections } = await host.prompt();
    expect(headingsOf(prompt)).toEqual(["mine first", "# Role", "# Communication", "# Solving", "# Secrets"]);
    expect(sections[0]).toMatchObject({ id: "tools", file: "usr/extensions/system_prompt/_50_order.ts" });
    expect(sections.at(-1)).toMatchObject({ id: "agent.system.secrets.md" });
  });
});

describe("a section that fails costs itself only", () => {
  it("whatever its module does", async () => {
    const files = {
      ...own("_12_throws", section('payload.sections.length = 0; throw new Error("no words");')),
      ...own("_12_unparsable", "export default class {"),
      ...own("_12_other", section('payload.sections.push({ id: "other", text: "other", order: 3 });')),
      ...own("_12_list", section("payload.sections = 5;")),
      ...own("_15_fine", says("mine")),
    };
    const model = scriptedModel([[text("ok")]]);
    const { host } = await openHouse(files, { model });
    await host.run("hi");
    const { text: prompt, diagnostics } = await host.prompt();
    expect(headingsOf(prompt)).toEqual(["# Role", "# Communication", "# Solving", "# Tools", "# Skills", "mine"]);
    expect(await model.requests[0]?.system()).toBe(prompt);
    const expected = [
      { code: "EXTENSION_FAILED", file: "usr/extensions/system_prompt/_12_list.ts" },
      {
        code: "EXTENSION_FAILED",
        file: "usr/extensions/system_prompt/_12_other.ts",
        message: expect.stringContaining("sections[2] must be {id, text}"),
      },
      {
        code: "EXTENSION_FAILED",
        file: "usr/extensions/system_prompt/_12_throws.ts",
        line: 3,
        message: expect.stringContaining("no words"),
      },
      { code: "LOAD_SYNTAX", file: "usr/extensions/system_prompt/_12_unparsable.ts" },
    ];
    expect(diagnostics).toMatchObject(expected);
    expect(host.diagnostics()).toMatchObject(expected);
  });

  it("whatever its file holds", async () => {
    const { host } = await openHouse({
      ...own("_12_absent", section('payload.sections.push({ id: "x", text: await payload.render("absent.md") });')),
      "usr/prompts/agent.system.skills.md": "one\n{{nothing}}\n",
      "usr/prompts/agent.system.main.solving.md": '{{include "absent too.md"}}',
    });
    const { text: prompt, diagnostics } = await host.prompt();
    expect(headingsOf(prompt)).toEqual(["# Role", "# Communication", "# Tools"]);
    expect(prompt).not.toMatch(/\n\n\n$/u);
    expect(diagnostics).toMatchObject([
      { code: "PROMPT_MISSING", file: "prompts/absent.md" },
      { code: "INCLUDE_MISSING", file: "usr/prompts/agent.system.main.solving.md", line: 1 },
      { code: "TEMPLATE_FAILED", file: "usr/prompts/agent.system.skills.md", line: 2 },
    ]);
  });

  it("and a prompt of which nothing is left is told of", async () => {
    const { host } = await openHouse(own("_99_none", section("payload.sections = [];")));
    const { text: prompt, diagnostics } = await host.prompt();
    expect(prompt).toBe("");
    expect(diagnostics).toMatchObject([{ code: "PROMPT_EMPTY", severity: "error" }]);
  });
});

describe("the modules of sections", () => {
  const note = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
appendFileSync(join(import.meta.dirname, "../../evaluated"), "x");
`;

  it("are run by no list and explain, and once for all prompts of a generation", async () => {
    const { host, root } = await openHouse(own("_15_noted", note + says("mine")));
    const file = join(root, "usr/evaluated");
    await host.list();
    await host.explain("system_prompt/_15_noted", { kind: "extension" });
    host.items("extension");
    host.diagnostics();
    expect(existsSync(file)).toBe(false);
    await host.prompt();
    await host.prompt({ profile: "developer" });
    expect(readFileSync(file, "utf8")).toBe("x");
  });

  it("are read again after a reload, new ones and those that are gone included", async () => {
    const { host, root, write } = await openHouse({ ...own("_15_a", says("mine 1")), ...own("_15_b", says("mine b")) });
    const mine = async () => headingsOf((await host.prompt()).text).filter((line) => line.startsWith("mine"));
    expect(await mine()).toEqual(["mine 1", "mine b"]);
    write({ ...own("_15_a", says("mine 2")), ...own("_12_c", says("mine c")) });
    rmSync(join(root, "usr/extensions/system_prompt/_15_b.ts"));
    expect(await mine()).toEqual(["mine 1", "mine b"]);
    await host.reload();
    expect(await mine()).toEqual(["mine c", "mine 2"]);
  });

  it("of the bundled plugin stay, whatever switches it off", async () => {
    const { host } = await openHouse({ "usr/plugins/_base/.toggle-0": "" });
    expect(headingsOf((await host.prompt()).text)[0]).toBe("# Role");
  });
});
