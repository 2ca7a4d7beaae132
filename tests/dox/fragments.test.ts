import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeTree, manifest, writeTree } from "../helpers/tree.ts";
import { openHouse } from "../host/house.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const FRAGMENT = "plugins/_files/prompts/agent.system.tool.word_count.md";
const TOOL = "plugins/_files/tools/word_count.ts";

/** A house with the bundled content in it, as in a clone. */
function clone(): string {
  const home = makeTree({ "usr/plugins/.gitkeep": "" });
  for (const top of ["plugins", "tools", "prompts", "agents"]) {
    cpSync(join(HOME, top), join(home, top), { recursive: true });
  }
  return home;
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

describe("the fragments of a clone", () => {
  it("are named with their lines when an argument is renamed in the code alone", async () => {
    const home = clone();
    edit(join(home, TOOL), (text) => text.replace("  path: z.string()", "  file: z.string()"));
    const { host } = await openHouse({}, { root: home, home });
    const { diagnostics, summary } = await host.check({ areas: ["fragments"], profile: "default" });
    const lines = readFileSync(join(home, FRAGMENT), "utf8").split("\n");
    const lineOf = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line)) + 1;
    const of = (code: string) => diagnostics.filter((item) => item.code === code);
    expect(new Set(diagnostics.map(({ file }) => file))).toEqual(new Set([FRAGMENT]));
    expect(of("FRAGMENT_PARAMETER_UNKNOWN")).toEqual([
      expect.objectContaining({ line: lineOf(/^- `path`/u), hint: expect.stringContaining("Did you mean file?") }),
    ]);
    expect(of("FRAGMENT_PARAMETER_MISSING")).toEqual([expect.objectContaining({ severity: "error" })]);
    const examples = of("FRAGMENT_EXAMPLE_INVALID");
    expect(examples.at(0)?.line).toBe(lineOf(/call: /u));
    expect(examples.at(-1)?.line).toBe(lineOf(/"tool_args"/u));
    expect(examples.at(-1)?.message).toContain("/path is not known");
    expect(summary.errors).toBe(diagnostics.length);
  });

  it("are held to all rules: what a person is warned of is an error", async () => {
    const home = clone();
    edit(join(home, FRAGMENT), (text) => `${text.split("## word_count")[0]?.replace(/^returns:.*\n/mu, "")}Counts.\n`);
    const { host } = await openHouse({}, { root: home, home });
    const { diagnostics } = await host.check({ areas: ["fragments"], profile: "default" });
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "error FRAGMENT_NO_EXAMPLE",
      "error FRAGMENT_NO_RETURNS",
      "error FRAGMENT_NO_WHEN",
      "error FRAGMENT_PARAMETER_MISSING",
    ]);
  });
});

describe("a bundled fragment", () => {
  it("is named where a person's tool with other arguments takes the place of its tool, and else left alone", async () => {
    const home = clone();
    const example = '~~~json\n{"tool_name": "word_count", "tool_args": {"path": "a.txt"}}\n~~~';
    const text = `---\ndescription: Counts.\n---\nCounts.\n\n- \`path\`: the file\n\n${example}\n`;
    writeFileSync(join(home, FRAGMENT), text);
    const { host } = await openHouse(
      {
        "usr/plugins/mine/plugin.yaml": manifest("mine"),
        "usr/plugins/mine/tools/word_count.ts": `import { Tool, z } from "toolroom";
const parameters = z.object({ file: z.string() });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  async execute() {
    return this.success("none");
  }
}
`,
      },
      { home },
    );
    const { diagnostics } = await host.check({ areas: ["fragments"], profile: "default" });
    expect(diagnostics.map(({ code, line, severity }) => `${severity} ${code} ${line}`)).toEqual([
      "error FRAGMENT_PARAMETER_MISSING 4",
      "error FRAGMENT_PARAMETER_UNKNOWN 6",
      "error FRAGMENT_EXAMPLE_INVALID 9",
    ]);
    expect(diagnostics.every(({ file }) => file === join(home, FRAGMENT))).toBe(true);
  });
});

describe("a plugin that is switched off", () => {
  it("leaves neither tool nor fragment in the prompt, and no finding but that it is off", async () => {
    const { host, again, root } = await openHouse();
    expect((await host.prompt()).text).toContain("## word_count");
    writeTree(root, { "usr/plugins/_files/.toggle-0": "" });
    const later = await again();
    const { text, diagnostics } = await later.prompt();
    expect(text).not.toMatch(/word_count|file_read/u);
    expect(diagnostics).toEqual([]);
    expect((await later.toolDefinitions()).map(({ name }) => name)).not.toContain("word_count");
    expect((await later.check({ areas: ["fragments"], profile: "default" })).diagnostics).toEqual([]);
  });
});
