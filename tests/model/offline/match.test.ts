import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../core/model/model.ts";
import { createMatcher } from "../../../core/model/offline/match.ts";
import type { JsonObject } from "../../../core/sdk/result.ts";

const text = (description = "") => ({ type: "string", description });
const tool = (
  name: string,
  parts: { description: string; properties?: JsonObject; required?: string[]; examples?: [string, JsonObject][] },
): ToolDefinition => ({
  name,
  description: parts.description,
  parameters: { type: "object", properties: parts.properties ?? {}, required: parts.required ?? [] },
  ...(parts.examples ? { examples: parts.examples.map(([say, call]) => ({ say, call })) } : {}),
});

/** Tools as plugins may bring them, some with examples, some with a description only. */
const TOOLS = [
  tool("greet", {
    description: "Greets a person by name.",
    properties: { name: text() },
    required: ["name"],
    examples: [
      ["Say hello to Ada", { name: "Ada" }],
      ["Greet Ada", { name: "Ada" }],
      ["向小明问好", { name: "小明" }],
    ],
  }),
  tool("dice", {
    description: "Rolls a dice with some sides.",
    properties: { sides: { type: "integer" } },
    required: ["sides"],
  }),
  tool("weather", {
    description: "Tells the weather of a city.",
    properties: { city: text(), unit: { enum: ["celsius", "fahrenheit"] } },
    required: ["city"],
    examples: [
      ["What is the weather in Paris?", { city: "Paris" }],
      ["巴黎的天气怎么样？", { city: "巴黎" }],
    ],
  }),
  tool("web_fetch", {
    description: "Fetches a web page and gives its text.",
    properties: { url: text("address of the page") },
    required: ["url"],
  }),
  tool("file_delete", {
    description: "Deletes a file.",
    properties: { path: text() },
    required: ["path"],
    examples: [
      ["Delete notes.txt", { path: "notes.txt" }],
      ["删除 notes.txt", { path: "notes.txt" }],
    ],
  }),
  tool("note", {
    description: "Writes a note.",
    properties: { text: text() },
    required: ["text"],
    examples: [["Make a note: buy milk", { text: "buy milk" }]],
  }),
  tool("diff", {
    description: "Compares two files.",
    properties: { a: text(), b: text() },
    required: ["a", "b"],
    examples: [["Compare a.txt with b.txt", { a: "a.txt", b: "b.txt" }]],
  }),
  tool("concat", {
    description: "Joins files.",
    properties: { paths: { type: "array", items: text() } },
    required: ["paths"],
    examples: [["Join a.txt and b.txt", { paths: ["a.txt", "b.txt"] }]],
  }),
  tool("light", {
    description: "Switches the light.",
    properties: { action: { enum: ["on", "off"] } },
    required: ["action"],
    examples: [
      ["Switch the light on", { action: "on" }],
      ["Switch the light off", { action: "off" }],
    ],
  }),
  tool("ping", { description: "Answers pong." }),
  tool("mail", {
    description: "Sends a mail.",
    properties: { to: text("an email address"), when: text("date and time") },
    required: ["to", "when"],
  }),
  tool("git_log", {
    description: "Shows the history of a repository.",
    examples: [
      ["Show the commit history", { tool_name: "git_log", tool_args: {} }],
      ["Forget the history", { tool_name: "something_else", tool_args: {} }],
    ],
  }),
  tool("secret_answer", { description: "Weather of a city, for the host only." }),
].map((definition) => (definition.name === "secret_answer" ? { ...definition, role: "answer" as const } : definition));

const matcher = createMatcher(TOOLS);

describe("a question finds its call", () => {
  test.each<[string, string, JsonObject]>([
    ["Say hello to Bob", "greet", { name: "Bob" }],
    ["Please greet Grace Hopper!", "greet", { name: "Grace Hopper" }],
    ["向小红问好", "greet", { name: "小红" }],
    ["Roll a dice with 20 sides", "dice", { sides: 20 }],
    ["What's the weather like in New York today?", "weather", { city: "New York" }],
    ["What is the weather in Oslo in celsius?", "weather", { city: "Oslo", unit: "celsius" }],
    ["北京的天气怎么样？", "weather", { city: "北京" }],
    ["Fetch https://example.com/a?b=c.", "web_fetch", { url: "https://example.com/a?b=c" }],
    ["Get the text of the web page https://example.com", "web_fetch", { url: "https://example.com" }],
    ["please delete old.log", "file_delete", { path: "old.log" }],
    ["请删除 old.log", "file_delete", { path: "old.log" }],
    ["Make a note: call mum tomorrow", "note", { text: "call mum tomorrow" }],
    ['Make a note "x, y."', "note", { text: "x, y." }],
    ["Compare x.md with y.md", "diff", { a: "x.md", b: "y.md" }],
    ["Join a.md, b.md and c.md", "concat", { paths: ["a.md", "b.md", "c.md"] }],
    ["Switch off the light", "light", { action: "off" }],
    ["Please ping", "ping", {}],
    ["Send a mail to bob@example.com on 2030-01-02", "mail", { to: "bob@example.com", when: "2030-01-02" }],
    ["Show me the commit history", "git_log", {}],
  ])("%s", (say, name, args) => {
    const { call } = matcher.match(say);
    expect(call && [call.tool.name, call.args]).toEqual([name, args]);
  });
});

describe("what is not clear is not guessed", () => {
  test.each([
    "Do not delete a.txt",
    "Delete a.txt and b.txt",
    "Delete",
    "Switch the light",
    "Switch the light on and off",
    "Greet",
    "Join",
    "Roll a dice with 2.5 sides",
    "Fetch example.com",
    "Forget the history",
    "Turn the oven on",
    "How many lights are there?",
  ])("%s", (say) => {
    expect(matcher.match(say).call).toBeUndefined();
  });

  test("what is missing is named", () => {
    expect(matcher.match("Roll a dice").incomplete).toMatchObject({ tool: { name: "dice" }, missing: ["sides"] });
  });

  test("the host's own tools are not offered", () => {
    expect(matcher.match("Weather of a city").closest.map(({ name }) => name)).not.toContain("secret_answer");
  });

  test("where no word is known, the tools that could take the values are named", () => {
    const match = matcher.match("Frobnicate https://example.com");
    expect(match.call).toBeUndefined();
    expect(match.closest.map(({ name }) => name)).toEqual(["web_fetch"]);
  });

  test("two tools that fit alike are both named, neither called", () => {
    const [greet] = TOOLS;
    const twins = createMatcher([greet, { ...greet, name: "salute" }] as ToolDefinition[]);
    const match = twins.match("Say hello to Bob");
    expect(match.call).toBeUndefined();
    expect(match.closest.map(({ name }) => name).sort()).toEqual(["greet", "salute"]);
  });
});

test("the order of the tools does not matter", () => {
  const turned = createMatcher(TOOLS.toReversed());
  for (const say of ["Say hello to Bob", "Compare x.md with y.md", "Switch off the light", "nothing of this kind"]) {
    expect(turned.match(say).call).toEqual(matcher.match(say).call);
  }
});

test("long texts and long lists of values are no questions", () => {
  expect(matcher.match(`Say hello to Bob ${"and Bob ".repeat(200)}`)).toEqual({ closest: [] });
  expect(matcher.match(`Delete ${"a.txt ".repeat(100)}`)).toEqual({ closest: [] });
});

test("no tools, no match", () => {
  expect(createMatcher([]).match("Say hello")).toEqual({ closest: [] });
});

test("odd schemas and examples are survived", () => {
  const odd = [
    { name: "a", description: "", parameters: {}, examples: [{ say: "", call: {} }] },
    {
      name: "b",
      description: "Does b.",
      parameters: { properties: { x: true, y: { type: ["number", "null"] } }, required: ["x", "z"] },
    },
    {
      name: "c",
      description: "Does c.",
      parameters: { anyOf: [] },
      examples: [{ say: "Do c", call: { deep: { a: [1] }, none: null } }],
    },
  ] as ToolDefinition[];
  const match = createMatcher(odd).match("Do c");
  expect(match.call?.args).toEqual({ deep: { a: [1] }, none: null });
});
