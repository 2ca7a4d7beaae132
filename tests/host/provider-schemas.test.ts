import { expect, onTestFinished, test } from "vitest";
import type { Host } from "../../core/host.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import type { JsonSchema } from "../../core/sdk/schema.ts";
import type { WireFormat } from "../helpers/wire-formats.ts";
import { asSent, refusalOf, sentTools } from "../helpers/wire-refusals.ts";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { FACES, type Face } from "../model/faces.ts";
import { fragment, openHouse } from "./house.ts";

/** Schemas that providers refuse as they are, each with a call that they admit. */
const ODD: Readonly<Record<string, { readonly schema: JsonSchema; readonly call: JsonObject }>> = {
  union: {
    schema: {
      oneOf: [
        { type: "object", properties: { do: { const: "add" }, n: { type: "integer" } }, required: ["do", "n"] },
        { type: "object", properties: { do: { const: "list" } }, required: ["do"] },
      ],
    },
    call: { do: "add", n: 1 },
  },
  older: {
    schema: {
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
        list: { type: "array" },
        word: { type: "string", pattern: "^(?=w)", format: "uri" },
        level: { enum: [0, 1, 2] },
        mode: { enum: ["", "a"] },
        maybe: { type: ["object", "null"], properties: { x: { type: "string" } }, required: ["x", "y"] },
        either: { anyOf: [{ type: "string", default: "a" }, { type: "integer", minimum: 1 }, { type: "null" }] },
        any: {},
        "filter[id]": { type: "string" },
      },
      required: ["list", "unlisted"],
      additionalProperties: { type: "string" },
    },
    call: { list: [1], unlisted: "x", level: 2 },
  },
  tree: {
    schema: {
      $ref: "#/$defs/Node",
      $defs: {
        Node: {
          type: "object",
          properties: { name: { type: "string" }, below: { type: "array", items: { $ref: "#/$defs/Node" } } },
          required: ["name"],
        },
      },
    },
    call: { name: "a", below: [{ name: "b", below: [] }] },
  },
};

/** No provider that looks at names takes this one; it is required. */
const BRACKETS = { type: "object", properties: { "filter[id]": { type: "string" } }, required: ["filter[id]"] };

const files = {
  ...Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(Object.entries(ODD).map(([id, { schema }]) => [id, schema])),
      brackets: BRACKETS,
    }).map(([id, schema]) => [`usr/tools/${id}.ts`, toolWith(schema)]),
  ),
  "usr/prompts/agent.system.tool.brackets.md": fragment("Filters by brackets."),
};

function toolWith(schema: JsonSchema): string {
  return `import { Tool } from "toolroom";
export default class Odd extends Tool {
  static readonly description = "Takes odd arguments.";
  static readonly parameters = ${JSON.stringify(schema)};
  static readonly risk = "low";
  async execute(args) { return this.success(JSON.stringify(args)); }
}
`;
}

/** A host whose model is a server that refuses what the real one refuses. */
async function openAt(
  name: string,
  script: (at: number, format: WireFormat) => ReturnType<Extract<WireScript, (...all: never) => unknown>>,
  more: (sent: ReturnType<typeof sentTools>) => string | undefined = () => undefined,
) {
  const refusals: string[] = [];
  const server = await startWireServer((request, index) => {
    const { format, body } = request;
    const message = refusalOf(format, body) ?? more(sentTools(format, body));
    if (message === undefined) return script(index, request.format);
    refusals.push(message);
    return { status: 400, message };
  });
  onTestFinished(async () => await server.close());
  const face = FACES[name] as Face;
  const providers = face.providers?.(server);
  const settings = providers ? { "usr/settings.yaml": JSON.stringify({ models: { providers } }) } : {};
  const house = await openHouse({ ...files, ...settings }, { env: face.env(server), model: face.id });
  return { ...house, server, refusals, id: face.id };
}

const REFUSED: Readonly<Record<string, boolean>> = {
  "openai responses": false,
  "openai-compatible": true,
  anthropic: true,
  google: false,
};

test.each<[WireFormat, string]>([
  ["openai-responses", "parameters"],
  ["anthropic", "input_schema"],
  ["google", "parameters"],
])("%s refuses the schemas as they are", (format, key) => {
  for (const [name, { schema }] of Object.entries(ODD)) {
    const tool = { name, [key]: schema };
    const body = { tools: format === "google" ? [{ functionDeclarations: [tool] }] : [tool] };
    expect(refusalOf(format, body), name).toBeDefined();
  }
});

test.each(Object.keys(REFUSED))("%s: bad schemas among good ones cost the request nothing", async (name) => {
  const { call } = ODD.older as { call: object };
  const { host, server, refusals, id } = await openAt(name, (at) =>
    at === 0 ? { calls: [{ name: "older", args: call }] } : { text: "Done." },
  );
  const outcome = await host.run("go");
  expect(refusals).toEqual([]);
  expect(outcome).toMatchObject({ answer: "Done.", calls: [{ name: "older", args: call, status: "success" }] });

  const [first] = server.requests;
  if (!first) throw new Error("expected a request");
  const sent = sentTools(first.format, first.body);
  const names = sent.map((tool) => tool.name);
  expect(names).toEqual(expect.arrayContaining(["union", "older", "tree", "word_count", "response"]));
  expect(names.includes("brackets")).toBe(!REFUSED[name]);
  expect(JSON.stringify(first.body).includes("Filters by brackets.")).toBe(!REFUSED[name]);
  const told = host.diagnostics().filter(({ code }) => code === "SCHEMA_REFUSED");
  expect(told).toHaveLength(REFUSED[name] ? 1 : 0);
  if (told[0])
    expect(told[0]).toMatchObject({
      severity: "warning",
      file: "usr/tools/brackets.ts",
      message: expect.stringContaining("filter[id]"),
    });
  // Whoever calls it otherwise can.
  expect(await host.call("brackets", { "filter[id]": "a" })).toMatchObject({ status: "success" });

  if (name === "openai responses") expect(first.body.tools).toContainEqual(expect.objectContaining({ strict: false }));
  // What is shown is what was sent.
  const shown = await host.toolDefinitions({ provider: id.slice(0, id.indexOf("/")) });
  expect(shown.map((tool) => tool.name)).toEqual(names);
  expect(shown.map(({ parameters }) => asSent(first.format, parameters))).toEqual(sent.map(({ schema }) => schema));
});

test.each(["google"])("%s: every call that a tool admits runs", async (name) => {
  const odd = Object.entries(ODD);
  const { host } = await openAt(name, (at) => {
    const next = odd[at];
    return next ? { calls: [{ name: next[0], args: next[1].call }] } : { text: "Done." };
  });
  const { calls } = await host.run("go");
  expect(calls.map((call) => [call.name, call.args, call.status])).toEqual(
    odd.map(([id, { call }]) => [id, call, "success"]),
  );
});

/** What a provider says of a rule that no table knows. */
const UNKNOWN_RULES: Readonly<Record<string, (at: number) => string>> = {
  "openai chat": () => "Invalid schema for function 'tree': In context=('properties', 'below'), it is unlucky.",
  anthropic: (at) => `tools.${at}.custom.input_schema: it is unlucky`,
  google: (at) => `* GenerateContentRequest.tools[0].function_declarations[${at}].parameters: it is unlucky`,
};

test.each(Object.keys(UNKNOWN_RULES))(
  "%s: what it refuses all the same costs that tool only, and once",
  async (name) => {
    const { host, server } = await openAt(
      name,
      () => ({ text: "Done." }),
      (sent) => {
        const at = sent.findIndex((tool) => tool.name === "tree");
        return at < 0 ? undefined : UNKNOWN_RULES[name]?.(at);
      },
    );
    const warnings: string[] = [];
    host.on("warning", ({ code, message }) => warnings.push(`${code} ${message}`));
    expect(await host.run("go")).toMatchObject({ answer: "Done." });
    expect(server.requests).toHaveLength(2);
    expect(warnings).toEqual([expect.stringMatching(/^SCHEMA_REFUSED .*asked again without tree\.$/)]);
    expect(host.diagnostics().map(({ code, file }) => `${code} ${file}`)).toContain("SCHEMA_REFUSED usr/tools/tree.ts");

    expect(await host.run("go")).toMatchObject({ answer: "Done." });
    expect(server.requests).toHaveLength(3);
    const { call } = ODD.tree as { call: JsonObject };
    expect(await host.call("tree", call)).toMatchObject({ status: "success" });
  },
);

test("a refusal that names no tool is one", async () => {
  const { host, server } = await openAt(
    "anthropic",
    () => ({ text: "Done." }),
    () => "max_tokens: too large",
  );
  await expect(host.run("go")).rejects.toMatchObject({ code: "MODEL_REFUSED" });
  expect(server.requests).toHaveLength(1);
});

test("the prompt that is shown leaves out what the provider is not given, and says so", async () => {
  const { host } = await openHouse(files, { model: "anthropic/claude-test" });
  const { text, diagnostics } = await host.prompt();
  expect(text).not.toContain("Filters by brackets.");
  expect(diagnostics.map(({ code }) => code)).toContain("SCHEMA_REFUSED");
  const { host: other } = await openHouse(files, { model: "openai/gpt-test" });
  expect((await other.prompt()).text).toContain("Filters by brackets.");
});

test("where tools go as text, no provider's rules hold", async () => {
  const { host } = await openHouse(
    { ...files, "usr/settings.yaml": "protocol: json\n" },
    { model: "anthropic/claude-test" },
  );
  const { text, diagnostics } = await host.prompt();
  expect(text).toContain("Filters by brackets.");
  expect(diagnostics.map(({ code }) => code)).not.toContain("SCHEMA_REFUSED");
});

test("the definitions of a provider come with all that was rewritten", async () => {
  const { host } = await openHouse(files);
  await host.toolDefinitions({ provider: "google" });
  const told = host.diagnostics().filter(({ file }) => file === "usr/tools/older.ts");
  expect(told).toMatchObject([{ code: "SCHEMA_REWRITTEN", severity: "info" }]);
  for (const place of ["/properties/pair", "/properties/level", "/properties/any", "the top: unlisted"]) {
    expect(told[0]?.message).toContain(place);
  }
});

test("a schema is fitted once for a profile, and again when it changes", async () => {
  const { host, write } = await openHouse({ "usr/tools/one.ts": toolWith({ type: "object", properties: { a: {} } }) });
  const first = await definition(host, "one");
  expect((await definition(host, "one")).parameters).toEqual(first.parameters);
  write({ "usr/tools/one.ts": toolWith({ type: "object", properties: { b: { type: "string" } } }) });
  await host.reload();
  expect((await definition(host, "one")).parameters).toEqual({ type: "object", properties: { b: { type: "string" } } });
});

async function definition(host: Host, name: string) {
  const found = (await host.toolDefinitions({ provider: "google" })).find((tool) => tool.name === name);
  if (!found) throw new Error(`expected a definition of ${name}`);
  return found;
}
