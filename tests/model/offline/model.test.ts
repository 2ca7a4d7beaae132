import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelPart, ToolDefinition } from "../../../core/model/model.ts";
import { createOfflineModel } from "../../../core/model/offline/model.ts";
import type { JsonObject } from "../../../core/sdk/result.ts";

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "reply_now",
    description: "Answers.",
    parameters: { type: "object", properties: { urgent: { type: "boolean" }, words: { type: "string" } } },
    role: "answer",
  },
  {
    name: "line_counter",
    description: "Counts the lines of a file.",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, deep: { type: "boolean" } },
      required: ["path"],
      additionalProperties: false,
    },
    examples: [
      { say: "How many lines does README.md have?", call: { path: "README.md" } },
      { say: "README.md 有多少行？", call: { path: "README.md" } },
    ],
  },
];

const user = (content: string): ModelMessage => ({ role: "user", content });
const result = (content: string, isError = false): ModelMessage => ({
  role: "tool",
  toolCallId: "1",
  toolName: "line_counter",
  content,
  isError,
});

async function partsOf(messages: readonly ModelMessage[], tools = TOOLS, signal = new AbortController().signal) {
  const parts: ModelPart[] = [];
  const system = () => Promise.reject(new Error("the offline model reads no system prompt"));
  const request = { system, messages, tools, protocol: "json", signal } as const;
  for await (const part of createOfflineModel().stream(request)) parts.push(part);
  return parts;
}

async function ask(message: string | readonly ModelMessage[], tools = TOOLS) {
  const parts = await partsOf(typeof message === "string" ? [user(message)] : message, tools);
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return JSON.parse(text) as { thoughts: string[]; headline: string; tool_name: string; tool_args: JsonObject };
}

async function answer(message: string | readonly ModelMessage[], tools = TOOLS): Promise<string> {
  const request = await ask(message, tools);
  expect(request.tool_name).toBe("reply_now");
  expect(Object.keys(request.tool_args)).toEqual(["words"]);
  return String(request.tool_args.words);
}

test("it is offline, speaks the JSON protocol, reads no system prompt and reports no tokens", async () => {
  expect(createOfflineModel()).toMatchObject({ id: "offline", protocol: "json" });
  const parts = await partsOf([user("How many lines does a.txt have?")]);
  expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop", usage: {} });
});

test("a reply is one JSON request with all four fields", async () => {
  expect(await ask("How many lines are in src/a.ts?")).toEqual({
    thoughts: [expect.stringContaining("line_counter")],
    headline: "Calling line_counter",
    tool_name: "line_counter",
    tool_args: { path: "src/a.ts" },
  });
});

test("the same question has the same reply", async () => {
  const messages = [user("README.md 有多少行？")];
  expect(await partsOf(messages)).toEqual(await partsOf(messages));
});

describe("a call that is written out", () => {
  test.each([
    ["/line_counter path=a.txt", "line_counter", { path: "a.txt" }],
    ["  /line_counter path='my file.txt' deep=true ", "line_counter", { path: "my file.txt", deep: true }],
    ['/line_counter {"path": "a.txt"}', "line_counter", { path: "a.txt" }],
    ['/line_counter {"path":\n "a b.txt"}', "line_counter", { path: "a b.txt" }],
    ["/line_counter:deep path=a.txt", "line_counter:deep", { path: "a.txt" }],
    ["/line_counter", "line_counter", {}],
    ["/tool line_counter path=a.txt", "line_counter", { path: "a.txt" }],
    ["/LineCounter path=1", "LineCounter", { path: 1 }],
    ["/made_up x=1", "made_up", { x: 1 }],
    ['{"tool_name": "line_counter", "tool_args": {"path": "a"}}', "line_counter", { path: "a" }],
    ['{"tool_name": "line_counter"}', "line_counter", {}],
  ])("%s", async (message, tool_name, tool_args) => {
    expect(await ask(message)).toMatchObject({ tool_name, tool_args });
  });

  test("the answering tool can be called like any other", async () => {
    expect(await ask("/reply_now words=hi")).toMatchObject({ tool_name: "reply_now", tool_args: { words: "hi" } });
  });

  test.each([
    ["/line_counter README.md", '"README.md"'],
    ["/line_counter path=a path=b", "path twice"],
    ['/line_counter {"path":', "JSON"],
    ["/line_counter path='a", "closing"],
  ])("what is wrong with %s is said, with how to write it", async (message, words) => {
    const text = await answer(message);
    expect(text).toContain(words);
    expect(text).toContain("/line_counter path=…");
  });

  test.each(["/tmp is full, why?", "/etc/passwd", '{"a": 1}', "{not json}"])("%s is no call", async (message) => {
    expect(await answer(message)).toContain("offline model");
  });
});

describe("after a call", () => {
  test("the tool's words are the answer", async () => {
    expect(
      await answer([user("How many lines?"), { role: "assistant", content: "{}" }, result("a.txt: 3 lines")]),
    ).toBe("a.txt: 3 lines");
  });

  test("a failure is called a failure, in the language of the question", async () => {
    const failed = result("NOT_FOUND: there is no a.txt", true);
    expect(await answer([user("How many lines does a.txt have?"), failed])).toBe(
      "line_counter did not succeed. NOT_FOUND: there is no a.txt",
    );
    expect(await answer([user("a.txt 有多少行？"), failed])).toBe(
      "line_counter 没有成功。NOT_FOUND: there is no a.txt",
    );
  });

  test("several results are all told; a silent one says so", async () => {
    expect(await answer([user("x"), result("one"), result(" ")])).toBe(
      "one\n\nline_counter is done; it returned no text.",
    );
  });

  test("a new question counts for itself", async () => {
    const messages = [
      user("x"),
      result("one"),
      { role: "assistant", content: "{}" } as const,
      user("How many lines does b.txt have?"),
    ];
    expect(await ask(messages)).toMatchObject({ tool_name: "line_counter", tool_args: { path: "b.txt" } });
  });
});

describe("when it is not sure", () => {
  test("it says who it is, what was close, and how to choose a model", async () => {
    const text = await answer("Delete the lines of README.md");
    expect(text).toContain("I am the offline model");
    expect(text).toContain("I am not sure");
    expect(text).toContain("- /line_counter path=…: Counts the lines of a file.");
    expect(text).toContain("TOOLROOM_MODEL");
    expect(text).toContain("--model");
  });

  test("it says what it misses", async () => {
    expect(await answer("How many lines are there?")).toContain("I found no path in it");
  });

  test("it answers Chinese in Chinese", async () => {
    expect(await answer("今天天气怎么样？")).toContain("离线模型");
    expect(await answer("有多少行？")).toContain("没有找到 path");
  });

  test("it names three tools at most", async () => {
    const many = Array.from({ length: 6 }, (_, index) => ({
      ...(TOOLS[1] as ToolDefinition),
      name: `counter_${index}`,
    }));
    const text = await answer("How many lines does README.md have?", [TOOLS[0] as ToolDefinition, ...many]);
    expect(text.match(/^- \/counter_/gm)).toHaveLength(3);
  });

  test.each(["", "   ", "?!", "🙂", "x".repeat(100_000), "第".repeat(5000)])(
    "it declines odd messages",
    async (message) => {
      expect(await answer(message)).toMatch(/offline model|离线模型/);
    },
  );
});

test("without an answering tool it speaks plain text", async () => {
  const parts = await partsOf([user("hello")], []);
  expect(parts[0]).toMatchObject({ type: "text", text: expect.stringContaining("I am the offline model") });
});

test("without a message it declines", async () => {
  expect(await answer([])).toContain("offline model");
});

test("other tools, other answers, from one model", async () => {
  const model = createOfflineModel();
  const textOf = async (tools: readonly ToolDefinition[]) => {
    const request = {
      system: async () => "",
      messages: [user("How many lines does a.txt have?")],
      tools,
      protocol: "json",
      signal: new AbortController().signal,
    } as const;
    for await (const part of model.stream(request)) if (part.type === "text") return part.text;
    return "";
  };
  expect(await textOf(TOOLS)).toContain('"line_counter"');
  expect(await textOf(TOOLS.map((tool) => ({ ...tool })))).toContain('"line_counter"');
  expect(await textOf(TOOLS.slice(0, 1))).toContain("offline model");
  expect(await textOf(TOOLS)).toContain('"line_counter"');
});

test("a signal that has fired ends it with its reason", async () => {
  const reason = new Error("stop");
  await expect(partsOf([user("hello")], TOOLS, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test("without any tool it tells, in plain text, what the tools had found", async () => {
  const parts = await partsOf([user("go"), result("12 lines"), user("The limit is reached: what did you find?")], []);
  expect(parts[0]).toEqual({ type: "text", text: "12 lines" });
});
