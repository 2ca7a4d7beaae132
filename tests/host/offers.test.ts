import { expect, test } from "vitest";
import { createOffers, providerFor } from "../../core/host/offers.ts";
import type { CallableTools } from "../../core/host/prompting.ts";
import type { Registry } from "../../core/loading/registry.ts";
import type { JsonSchema } from "../../core/sdk/schema.ts";

/** Tools as a registry has them, as far as an offer looks at them. */
function tools(schemas: Readonly<Record<string, JsonSchema | null>>, description = "Does it.") {
  const registry = {
    words: () => ({ description, aliases: [], examples: [] }),
    parameters: (_: unknown, contract: { parameters: JsonSchema | null }) => contract.parameters,
  } as unknown as Registry;
  const all = Object.entries(schemas).map(([id, parameters]) => ({
    entry: { id, candidate: { path: `tools/${id}.ts` } },
    contract: { parameters },
  }));
  return { registry, callable: { tools: all, diagnostics: [] } as unknown as CallableTools };
}

test.each([
  [{ id: "anthropic/claude", protocol: "native" }, "anthropic"],
  [{ id: "lab/meta/llama", protocol: "native" }, "lab"],
  [{ id: "anthropic/claude", protocol: "json" }, undefined],
  [{ id: "offline", protocol: "json" }, undefined],
  [{ id: "offline", protocol: "native" }, undefined],
  [{ id: "scripted", protocol: "native" }, undefined],
] as const)("%o is sent what %s takes", (model, provider) => {
  expect(providerFor(model)).toBe(provider);
});

test("a schema is fitted once for a profile, however often it is offered", async () => {
  const { registry, callable } = tools({ one: { type: "object", properties: { a: {} } }, two: null });
  const offers = createOffers();
  const schemas = async (provider: string) =>
    (await offers.of(registry, callable, provider)).definitions.map(({ parameters }) => parameters);
  const first = await schemas("google");
  for (const [at, schema] of (await schemas("google")).entries()) expect(schema).toBe(first[at]);
  expect((await schemas("lab"))[0]).not.toBe(first[0]);
  expect((await schemas("lab"))[0]).toBe((await schemas("ollama"))[0]);
  // What one host knows, another does not.
  const { definitions } = await createOffers().of(registry, callable, "google");
  expect(definitions[0]?.parameters).not.toBe(first[0]);
});

test("without a provider tools are offered as they are", async () => {
  const schema = { anyOf: [{ properties: { "a b": { const: 1 } } }] };
  const { registry, callable } = tools({ one: schema, "a tool": { type: "string" } });
  const offer = await createOffers().of(registry, callable, undefined);
  expect(offer.definitions.map(({ name, parameters }) => [name, parameters])).toEqual([
    ["a tool", { type: "string" }],
    ["one", schema],
  ]);
  expect(offer.diagnostics).toEqual([]);
  expect(offer.notes()).toEqual([]);
});

test("names, long descriptions and what is refused are told", async () => {
  const { registry, callable } = tools({ "a tool": {}, bad: { type: "string" }, good: {} }, "😀".repeat(600));
  const { definitions, diagnostics, notes, tools: offered } = await createOffers().of(registry, callable, "lab");
  expect(offered.map(({ entry }) => entry.id)).toEqual(["a tool", "good"]);
  expect(definitions.map(({ name, published }) => [name, published])).toEqual([
    ["a tool", expect.stringMatching(/^a_tool_[0-9a-f]{8}$/)],
    ["good", undefined],
  ]);
  for (const { description } of definitions) expect(description).toMatch(/^(?:😀)+…$/u);
  expect(diagnostics).toMatchObject([{ code: "SCHEMA_REFUSED", file: "tools/bad.ts" }]);
  expect(notes().map(({ code, file }) => `${code} ${file}`)).toEqual([
    "TOOL_PUBLISHED_NAME tools/a tool.ts",
    "SCHEMA_REWRITTEN tools/a tool.ts",
    "SCHEMA_REWRITTEN tools/good.ts",
  ]);
});

test("what a provider refused is left out for that provider, until the schema is another", async () => {
  const schema = { type: "object", properties: {} };
  const { registry, callable } = tools({ one: schema, two: null, three: null });
  const offers = createOffers();
  for (const tool of callable.tools.slice(0, 2)) offers.refuse(tool, "lab", "tools.0: no");
  const names = async (provider: string, given = callable) =>
    (await offers.of(registry, given, provider)).definitions.map(({ name }) => name);
  expect(await names("lab")).toEqual(["three"]);
  expect(await names("ollama")).toEqual(["one", "three", "two"]);
  expect(await names("lab", tools({ one: { ...schema } }).callable)).toEqual(["one"]);
  expect((await offers.of(registry, callable, "lab")).diagnostics[0]?.message).toContain("tools.0: no");
});
