import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isZod, type z } from "../../core/sdk/schema.ts";
import type { ToolClass } from "../../core/sdk/tool.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const FRAGMENT = /^agent\.system\.tool\.(\w+)\.md$/;

interface Fragment {
  readonly home: string;
  readonly tool: string;
  readonly meta: { description: string; summary: string; returns: string; examples?: { say: string; call: object }[] };
  readonly body: string;
}

const below = (path: string) => (existsSync(join(HOME, path)) ? readdirSync(join(HOME, path)).sort() : []);
const HOMES = ["", ...["plugins", "agents"].flatMap((top) => below(top).map((name) => `${top}/${name}/`))];
const fragments = HOMES.flatMap((home) => below(`${home}prompts`).flatMap((file) => readFragment(home, file)));
const tools = HOMES.flatMap((home) =>
  below(`${home}tools`)
    .filter((file) => /^[a-z]\w*\.ts$/.test(file))
    .map((file) => ({ home, tool: file.slice(0, -3) })),
);

function readFragment(home: string, file: string): readonly Fragment[] {
  const tool = FRAGMENT.exec(file)?.[1];
  if (tool === undefined) return [];
  const [, front = "", body = ""] =
    /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(join(HOME, home, "prompts", file), "utf8")) ?? [];
  return [{ home, tool, meta: parse(front), body }];
}

/** The tool's own class, of the same home as its fragment. */
async function load({
  home,
  tool,
}: {
  home: string;
  tool: string;
}): Promise<{ cls: ToolClass; parameters: z.ZodType }> {
  const cls: ToolClass = (await import(join(HOME, home, "tools", `${tool}.ts`))).default;
  if (!isZod(cls.parameters)) throw new Error(`${tool} has no zod parameters`);
  return { cls, parameters: cls.parameters };
}

describe.each(fragments)("the fragment of $tool", (fragment) => {
  const { meta, body, tool } = fragment;

  test("says when, what and what comes back", () => {
    for (const text of [meta.description, meta.summary, meta.returns]) expect(text).toMatch(/\S/);
    expect(body).toMatch(new RegExp(`^## ${tool}\\n`));
    expect(body).toMatch(/\bUse it|\bLook for|Gives/);
    expect(body).toMatch(/Returns/);
  });

  test("every argument is named, and the example call fits the schema", async () => {
    const { parameters } = await load(fragment);
    const shape = (parameters as z.ZodObject).shape;
    const other = new Set(tool === "response" ? ["message"] : []);
    for (const name of Object.keys(shape)) if (!other.has(name)) expect(body).toContain(`\`${name}\``);
    const [json = "{}"] = [...body.matchAll(/~~~json\n([\s\S]*?)~~~/g)].map((match) => match[1]);
    const call = JSON.parse(json);
    // The form of a whole reply is shown once, by the section on communication, and by the answer.
    const around = tool === "response" ? ["thoughts", "headline"] : [];
    expect(Object.keys(call)).toEqual([...around, "tool_name", "tool_args"]);
    expect(call.tool_name).toBe(tool);
    expect((parameters as z.ZodObject).strict().safeParse(call.tool_args).error).toBeUndefined();
  });

  test("its examples fit the schema, in more than one language", async () => {
    const { cls, parameters } = await load(fragment);
    if (cls.role === "answer") return expect(meta.examples).toBeUndefined();
    const examples = meta.examples ?? [];
    for (const { say, call } of examples) {
      expect((parameters as z.ZodObject).strict().safeParse(call).error, say).toBeUndefined();
    }
    expect(new Set(examples.map(({ say }) => say)).size).toBe(examples.length);
    expect(examples.some(({ say }) => /\p{sc=Han}/u.test(say))).toBe(true);
    expect(examples.some(({ say }) => !/\p{sc=Han}/u.test(say))).toBe(true);
  });
});

test("every tool has a fragment in its home, but for the fallback and what a lower fragment still describes", async () => {
  const told = new Set(fragments.map(({ home, tool }) => `${home}${tool}`));
  const untold: string[] = [];
  for (const item of tools) {
    const { cls } = await load(item);
    if (cls.role !== "fallback" && !told.has(item.home + item.tool) && !told.has(item.tool))
      untold.push(item.home + item.tool);
  }
  expect(untold).toEqual([]);
  expect(tools.length).toBeGreaterThanOrEqual(8);
});

test("tools are named in their own fragments only", () => {
  const names = tools.map(({ tool }) => tool).filter((tool) => tool.includes("_"));
  const texts = [
    ...below("prompts")
      .filter((file) => file.endsWith(".md") && file !== "AGENTS.md" && !FRAGMENT.test(file))
      .map((file) => ({ file, text: readFileSync(join(HOME, "prompts", file), "utf8"), own: "" })),
    ...fragments.map(({ tool, body }) => ({ file: tool, text: body, own: tool })),
  ];
  const named = texts.flatMap(({ file, text, own }) =>
    names.filter((name) => name !== own && text.includes(name)).map((name) => `${file}: ${name}`),
  );
  expect(named).toEqual([]);
});
