import { expect, test } from "vitest";
import { createPrompts } from "../../core/prompt/assemble.ts";
import { fragmentsToShorten, tokensAbove, withinBudgets } from "../../core/prompt/budget.ts";
import { countTokens } from "../../core/prompt/tokens.ts";
import { codes, house, tool } from "./house.ts";

const FRAME = { "prompts/agent.system.tools.md": "# Tools\n\n{{tools}}\n" };
const NONE = { maxTokens: undefined, fragmentTokens: undefined };
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
const parameters = { type: "object", properties: { path: {}, depth: {} }, required: ["path"] };

const never = () => {
  throw new Error("counted");
};

async function assemble(files: Readonly<Record<string, string>>, ids: readonly string[]) {
  const at = house({ ...FRAME, ...files });
  const tools = ids.map((id) => tool(id, { parameters }));
  return await createPrompts().assemble({ view: at.view(), file: "agent.system.tools.md", tools, variables: {} });
}

const fragment = (front: string, body: string) => `---\n${front}\n---\n${body}\n`;

test("without a budget nothing is counted, and the prompt is the same object", async () => {
  const prompt = await assemble({ "prompts/agent.system.tool.a.md": fragment("summary: short", words(900)) }, ["a"]);
  expect(await withinBudgets(prompt, NONE, never)).toBe(prompt);
  const within = await assemble({ "prompts/agent.system.tool.a.md": fragment("budget: 40", "Does a.") }, ["a"]);
  expect(await withinBudgets(within, NONE, never)).toBe(within);
  expect(await tokensAbove("x".repeat(100), 100, never)).toBeUndefined();
});

test("over its budget a fragment is its summary and the names of its arguments; one without a summary stays", async () => {
  const prompt = await assemble(
    {
      "prompts/agent.system.tool.a.md": fragment("budget: 30\nsummary: does a", words(40)),
      "prompts/agent.system.tool.b.md": fragment("budget: 30", words(40)),
      "prompts/agent.system.tool.c.md": fragment("budget: 3000\nsummary: does c", words(40)),
    },
    ["a", "b", "c"],
  );
  const fitted = await withinBudgets(prompt, { ...NONE, fragmentTokens: 5 }, countTokens);
  expect(fitted.text).toBe(
    `# Tools\n\n## a\n\ndoes a\n\nArguments: \`path\`, \`depth\` (optional)\n\n${words(40)}\n\n${words(40)}`,
  );
  expect(codes(fitted.diagnostics)).toEqual(["FRAGMENT_OVER_BUDGET", "FRAGMENT_OVER_BUDGET"]);
  expect(fitted.sections.map(({ id, budget, shortened }) => [id, budget, shortened])).toEqual([
    ["agent.system.tools.md", undefined, undefined],
    ["a", 30, true],
    ["b", 30, undefined],
    ["c", 3000, undefined],
  ]);
  expect(fitted.sections.map(({ text }) => text).join("").length).toBe(fitted.text.length);
});

test("a fragment of several tools names the arguments of each that can be called", async () => {
  const front = "budget: 10\nsummary: many things\ntools: [a, b, off]";
  const prompt = await assemble({ "prompts/agent.system.tool.many.md": fragment(front, words(40)) }, ["a", "b"]);
  const { text } = await withinBudgets(prompt, NONE, countTokens);
  const taken = "`path`, `depth` (optional)";
  expect(text).toBe(`# Tools\n\n## many\n\nmany things\n\n- \`a\`: ${taken}\n- \`b\`: ${taken}`);
});

test("of a whole prompt the largest fragments go first, equal ones by name, whatever the order", async () => {
  const text = (count: number) => fragment("summary: short", words(count));
  const files = {
    "prompts/agent.system.tool.a.md": text(60),
    "prompts/agent.system.tool.b.md": text(90),
    "prompts/agent.system.tool.c.md": text(60),
    "prompts/agent.system.tool.d.md": text(20),
    "prompts/agent.system.tool.e.md": fragment("description: no summary", words(200)),
  };
  const { pieces } = await assemble(files, ["a", "b", "c", "d", "e"]);
  const chosen = async (tokens: number, list = pieces) =>
    [...(await fragmentsToShorten(list, tokens, countTokens))].map(({ origin }) => origin.id);
  expect(await chosen(1)).toEqual(["b"]);
  expect(await chosen(200)).toEqual(["b", "a"]);
  expect(await chosen(200, pieces.toReversed())).toEqual(["b", "a"]);
  expect(await chosen(1e6)).toEqual(["b", "a", "c", "d"]);
});
