import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../core/model/model.ts";
import { jsonMessages, nativeMessages as messagesWith } from "../../core/model/wire-messages.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const call = (id: string, name = "word_count", args: unknown = { path: "a" }) => ({ id, name, args });
const assistant = (content: string, ...toolCalls: ReturnType<typeof call>[]): ModelMessage => ({
  role: "assistant",
  content,
  ...(toolCalls.length > 0 ? { toolCalls } : {}),
});
const result = (toolCallId: string, content: string, isError = false): ModelMessage => ({
  role: "tool",
  toolCallId,
  toolName: "word_count",
  content,
  isError,
});

const nativeMessages = (messages: readonly ModelMessage[]) => messagesWith(messages, (name) => `the_${name}`);

describe("nativeMessages", () => {
  test("calls and their results, several of one reply in one message", () => {
    const wire = nativeMessages([
      user("count"),
      assistant("Let me see.", call("1"), call("2")),
      result("2", "two"),
      result("1", "NOT_FOUND: no a", true),
      assistant("Done."),
    ]);
    expect(wire).toEqual([
      { role: "user", content: "count" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { type: "tool-call", toolCallId: "1", toolName: "the_word_count", input: { path: "a" } },
          { type: "tool-call", toolCallId: "2", toolName: "the_word_count", input: { path: "a" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "1",
            toolName: "the_word_count",
            output: { type: "error-text", value: "NOT_FOUND: no a" },
          },
          { type: "tool-result", toolCallId: "2", toolName: "the_word_count", output: { type: "text", value: "two" } },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ]);
  });

  test("a call without a result gets one that says so, before what comes next", () => {
    const wire = nativeMessages([user("count"), assistant("", call("1")), user("stop that")]);
    expect(wire.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(wire[2]).toMatchObject({
      content: [{ output: { type: "error-text", value: expect.stringContaining("did not finish") } }],
    });
  });

  test("a result after an interjection still follows its call", () => {
    const wire = nativeMessages([assistant("", call("1")), user("hurry"), result("1", "three")]);
    expect(wire.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
  });

  test("a result without a call becomes text", () => {
    expect(nativeMessages([result("9", "three")])).toEqual([
      { role: "user", content: '{"tool_name":"word_count","tool_result":"three"}' },
    ]);
  });

  test("call ids may come again in a later reply", () => {
    const wire = nativeMessages([
      assistant("", call("call_0")),
      result("call_0", "first"),
      assistant("", call("call_0")),
      result("call_0", "second"),
    ]);
    expect(wire[1]).toMatchObject({ content: [{ output: { value: "first" } }] });
    expect(wire[3]).toMatchObject({ content: [{ output: { value: "second" } }] });
  });

  test("arguments that were no object are shown as what they were; tools have the names that they are published by", () => {
    const wire = nativeMessages([
      assistant("", call("1", "my tool:x", '{"path":'), call("2", "t", undefined), call("3", "t", [1])),
    ]);
    expect(wire[0]).toMatchObject({
      content: [
        { toolName: "the_my tool:x", input: { invalid_arguments: '{"path":' } },
        { input: {} },
        { input: { invalid_arguments: [1] } },
      ],
    });
  });

  test("empty replies are left out, empty words are filled", () => {
    const wire = nativeMessages([user(""), assistant(" "), assistant("", call("1")), result("1", "")]);
    expect(wire[0]).toEqual({ role: "user", content: "(empty)" });
    expect(wire).toHaveLength(3);
    expect(wire[2]).toMatchObject({ content: [{ output: { type: "text", value: "(empty)" } }] });
  });
});

describe("jsonMessages", () => {
  test("plain text; a result is a user message with one JSON object", () => {
    expect(jsonMessages([user("count"), assistant('{"tool_name":"word_count"}'), result("1", "three")])).toEqual([
      { role: "user", content: "count" },
      { role: "assistant", content: [{ type: "text", text: '{"tool_name":"word_count"}' }] },
      { role: "user", content: '{"tool_name":"word_count","tool_result":"three"}' },
    ]);
  });

  test("users and assistant take turns", () => {
    const wire = jsonMessages([
      user("a"),
      user("b"),
      assistant("c"),
      assistant("d"),
      assistant(""),
      result("1", "e"),
      user("f"),
    ]);
    expect(wire.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(wire[0]).toEqual({ role: "user", content: "a\n\nb" });
    expect(wire[1]).toMatchObject({ content: [{ text: "c" }, { text: "d" }] });
  });

  test("native calls of an earlier reply become text", () => {
    expect(jsonMessages([assistant("", call("1"))])).toEqual([
      { role: "assistant", content: [{ type: "text", text: '{"tool_name":"word_count","tool_args":{"path":"a"}}' }] },
    ]);
  });
});
