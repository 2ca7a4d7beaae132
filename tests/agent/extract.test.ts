import { describe, expect, it } from "vitest";
import { extractFromText } from "../../core/agent/extract.ts";

const extract = (text: string) => extractFromText(text, "c1");
const request = async (text: string) => {
  const { requests } = await extract(text);
  expect(requests, text).toHaveLength(1);
  return { name: requests[0]?.name, args: requests[0]?.args };
};
const refusal = async (text: string) => {
  const { requests, warnings } = await extract(text);
  expect(requests, text).toEqual([]);
  return warnings[0]?.message ?? "";
};
const DEMO = { name: "demo", args: { a: 1 } };

describe("accepted spellings", () => {
  it.each([
    ['{"tool_name":"demo","tool_args":{"a":1}}'],
    ['{"thoughts":["x"],"headline":"h","tool_name":"demo","tool_args":{"a":1}}'],
    ['{"tool":"demo","args":{"a":1}}'],
    ['{"type":"function","name":"demo","parameters":{"a":1}}'],
    ['{"name":"demo","arguments":{"a":1}}'],
    ['{"name":"demo","arguments":"{\\"a\\":1}"}'],
    ['{"actions":[{"tool_name":"demo","tool_args":{"a":1}}]}'],
    ['```json\n{"tool_name":"demo","tool_args":{"a":1}}\n```'],
    ['~~~\n{"tool_name":"demo","tool_args":{"a":1}}\n~~~'],
    ['\uFEFF{"tool_name":"demo","tool_args":{"a":1}}\u200B'],
    ['<think>maybe {"tool_name":"no"}</think>{"tool_name":"demo","tool_args":{"a":1}}'],
    ['<|channel|>final<|message|>{"tool_name":"demo","tool_args":{"a":1}}<|end|>'],
  ])("%s", async (text) => {
    expect(await request(text)).toEqual(DEMO);
  });

  it("takes a call without arguments", async () => {
    expect(await request('{"tool_name":"demo","tool_args":{}}')).toEqual({ name: "demo", args: {} });
    expect(await request('{"tool_name":"demo"}')).toEqual({ name: "demo", args: {} });
  });

  it("keeps braces, escapes and surrogate pairs inside strings", async () => {
    const args = { code: 'if (a) {} {"b": [', emoji: "😀", path: "C:\\dir", regex: "\\d+" };
    expect(await request(JSON.stringify({ tool_name: "demo", tool_args: args }))).toEqual({ name: "demo", args });
    expect(await request('{"tool_name":"demo","tool_args":{"e":"\\ud83d\\ude00"}}')).toEqual({
      name: "demo",
      args: { e: "😀" },
    });
  });
});

describe("recorded repair", () => {
  it.each([
    ['{"tool_name":"demo","tool_args":{"a":1,},}'],
    ["{'tool_name':'demo','tool_args':{'a':1}}"],
    ['{tool_name: "demo", tool_args: {a: 1}}'],
    ['{"tool_name":"demo", /* why */ "tool_args":{"a":1}}'],
    ["{“tool_name”: “demo”, “tool_args”: {“a”: 1}}"],
  ])("%s", async (text) => {
    const { requests, warnings } = await extract(text);
    expect(requests).toMatchObject([DEMO]);
    expect(warnings).toMatchObject([{ code: "REPAIRED" }]);
  });
});

describe("never executed", () => {
  it("a truncated object", async () => {
    expect(await refusal('{"tool_name":"demo","tool_args":{"a":')).toMatch(/never closed/);
  });
  it("two objects", async () => {
    expect(await refusal('{"tool_name":"a"}{"tool_name":"b"}')).toMatch(/2 JSON values.*line 1, column 18/);
  });
  it("a request inside prose", async () => {
    expect(await refusal('Sure! {"tool_name":"demo","tool_args":{}}')).toMatch(/outside.*"Sure!"/);
  });
  it("a list", async () => {
    expect(await refusal('[{"tool_name":"demo"}]')).toMatch(/list/);
  });
  it("prose, nothing, an object that names no tool", async () => {
    expect(await refusal("Hello there")).toMatch(/"Hello there"/);
    expect(await refusal("  \u200B ")).toMatch(/empty/);
    expect(await refusal('{"answer": 4}')).toMatch(/answer/);
    expect(await refusal('{"tool_name":""}')).toMatch(/tool_name/);
    expect(await refusal('{"actions":[{"tool_name":"a"},{"tool_name":"b"}]}')).toMatch(/2 requests/);
  });
  it("arguments that are not JSON: the call is recorded as invalid, not run with {}", async () => {
    const { requests } = await extract('{"name":"demo","arguments":"{\\"a\\":"}');
    expect(requests[0]).toMatchObject({ name: "demo", invalid: expect.stringContaining("JSON") });
  });
});
