import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadTemplateEngine } from "../../core/prompt/template.ts";
import { MESSAGE_VARIABLES, PROMPT_VARIABLES } from "../../core/prompt/variables.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));

test("every message has its file, every file its message, and the code gives what the table says", () => {
  const files = readdirSync(join(HOME, "prompts")).filter((file) => file.startsWith("fw."));
  expect(Object.keys(MESSAGE_VARIABLES).sort()).toEqual(files.sort());
  const sources = ["core/agent", "core/host"].flatMap((room) =>
    readdirSync(join(HOME, room)).map((file) => readFileSync(join(HOME, room, file), "utf8")),
  );
  for (const [file, names] of Object.entries(MESSAGE_VARIABLES)) {
    const using = sources.filter((text) => text.includes(`"${file}"`));
    expect(using.length, file).toBeGreaterThan(0);
    for (const name of names)
      expect(
        using.some((text) => new RegExp(`\\b${name}\\b`, "u").test(text)),
        `${file}: ${name}`,
      ).toBe(true);
  }
});

test("the guide to prompts names every variable", () => {
  const guide = readFileSync(join(HOME, "prompts/AGENTS.md"), "utf8");
  for (const name of [...PROMPT_VARIABLES, ...Object.values(MESSAGE_VARIABLES).flat()])
    expect(guide).toContain(`\`${name}\``);
});

test.each<[string, readonly string[]]>([
  ["{{a}} {{a.b}} {{this.c}} {{./d}}", ["a", "a", "c", "d"]],
  ["{{#if a}}{{b}}{{else}}{{c}}{{/if}}", ["a?", "b", "c"]],
  ["{{#unless a}}{{a}}{{/unless}}", ["a?", "a?"]],
  [
    "{{#each list}}{{x}} {{this}} {{@index}} {{../y}} {{@root.z}}{{#if ../q}}{{x}}{{/if}}{{else}}{{w}}{{/each}}",
    ["list", "y", "z", "q", "w"],
  ],
  ["{{#with a}}{{#each b}}{{../c}}{{../../d}}{{/each}}{{/with}}", ["a", "d"]],
  ["{{json a indent=b}} {{fence (lookup c d) 'x'}} {{raw e}}", ["a", "b", "c", "d", "e"]],
  ["{{{{raw}}}}{{a}}{{{{/raw}}}} \\{{b}} {{! {{c}} }}", []],
  ['{{include "x.md"}}{{include original}}{{include name}}', ["name"]],
])("%s", async (template, expected) => {
  const { variables } = (await loadTemplateEngine()).names(template);
  expect(variables.map(({ name, asked }) => (asked && !template.includes("../q") ? `${name}?` : name))).toEqual(
    expected,
  );
});
