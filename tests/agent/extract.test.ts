import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createExtractor, type Extraction, extractFromText } from "../../core/agent/extract.ts";
import type { ToolDefinition } from "../../core/model/model.ts";

const DEMO = { name: "demo", args: { a: 1 } };
const TOOLS: readonly ToolDefinition[] = [
  {
    name: "demo",
    description: "",
    parameters: {
      type: "object",
      properties: { a: { type: "integer" }, text: { type: "string" }, list: { type: "array" } },
    },
  },
];

/** The same text in one piece, character by character, and in pieces of some lengths: the pieces must not matter. */
async function extract(text: string): Promise<Extraction> {
  const whole = await extractFromText(text, "c1", TOOLS);
  for (const size of [1, 2, 3, 7]) {
    const extractor = createExtractor({ protocol: "json", id: "c1", tools: TOOLS });
    for (let at = 0; at < text.length; at += size) extractor.push(text.slice(at, at + size));
    expect(await extractor.end({ text, calls: [], reasoning: "" }), `in pieces of ${size}: ${text}`).toEqual(whole);
  }
  return whole;
}
const request = async (text: string) => {
  const { requests, warnings } = await extract(text);
  expect(requests, `${text}: ${warnings[0]?.message}`).toHaveLength(1);
  return { name: requests[0]?.name, args: requests[0]?.args };
};
const refusal = async (text: string) => {
  const { requests, warnings } = await extract(text);
  expect(requests, text).toEqual([]);
  return `${warnings[0]?.code} ${warnings[0]?.message}`;
};

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
    ['```\n{"tool_name":"demo","tool_args":{"a":1}}\n```  \n'],
    ['```json {"tool_name":"demo","tool_args":{"a":1}} ```'],
    ['~~~\n{"tool_name":"demo","tool_args":{"a":1}}\n~~~'],
    ['````json\n{"tool_name":"demo","tool_args":{"a":1}}\n`````'],
    ['\r\n\t {"tool_name":"demo","tool_args":{"a":1}} \r\n'],
  ])("%s", async (text) => {
    expect(await request(text)).toEqual(DEMO);
  });

  it("takes a call without arguments", async () => {
    for (const text of [
      '{"tool_name":"demo","tool_args":{}}',
      '{"tool_name":"demo"}',
      '{"tool_name":"demo","tool_args":null}',
      '{"tool_name":"demo","tool_args":""}',
    ]) {
      expect(await request(text)).toEqual({ name: "demo", args: {} });
    }
  });

  it("leaves an unknown name to dispatch, which has a tool for that", async () => {
    expect(await request('{"tool_name":"no_such","tool_args":{"a":1}}')).toEqual({ name: "no_such", args: { a: 1 } });
  });
});

describe("stripped first", () => {
  it.each([
    ['\uFEFF{"tool_name":"demo","tool_args":{"a":1}}\u200B'],
    ['{\u200B"tool_name"\u2060:\u00AD"demo",\uFEFF"tool_args":{"a":\u200D1}}'],
    ['{"tool_\u200Bname":"demo","\uFEFFtool_args":{"a":1}}'],
    ['<think>maybe {"tool_name":"no"}</think>{"tool_name":"demo","tool_args":{"a":1}}'],
    ['<thinking>a < b </think </thinking>\n{"tool_name":"demo","tool_args":{"a":1}}'],
    ['I reason, and my opening tag is in the template.</think>{"tool_name":"demo","tool_args":{"a":1}}'],
    ['{"tool_name":"demo","tool_args":{"a":1}}<think>done</think>'],
    ['<|channel|>final<|message|>{"tool_name":"demo","tool_args":{"a":1}}<|end|>'],
    [
      '<|start|>assistant<|channel|>final <|constrain|>json<|message|>{"tool_name":"demo","tool_args":{"a":1}}<|return|>',
    ],
    [
      '<|channel|>analysis<|message|>I could do {"x":1}.<|end|><|start|>assistant<|channel|>final<|message|>{"tool_name":"demo","tool_args":{"a":1}}',
    ],
    ['```json\n{"tool_name":"demo","tool_args":{"a":1}}\n```<|im_end|>'],
  ])("%s", async (text) => {
    expect(await request(text)).toEqual(DEMO);
  });

  it("but what strings hold is the argument's own", async () => {
    const args = { text: "<think>x</think> <|end|> \u200D\uFEFF ```json <tool_call> </think>" };
    expect(await request(JSON.stringify({ tool_name: "demo", tool_args: args }))).toEqual({ name: "demo", args });
  });
});

describe("strings survive", () => {
  it.each([
    ["braces and brackets", { text: 'if (a) {} }{ {"b": [ ]] ' }],
    ["surrogate pairs", { text: "😀 👩‍👩‍👧" }],
    ["backslashes", { text: "C:\\dir \\d+ \\" }],
    ["quotes of all kinds", { text: "\" ' ` “ ” it's" }],
    ["comments and addresses", { text: "http://x/*y*/ // z" }],
  ])("%s", async (_, args) => {
    expect(await request(JSON.stringify({ tool_name: "demo", tool_args: args }))).toEqual({ name: "demo", args });
  });

  it("with escaped surrogates, and with escapes that JSON does not know", async () => {
    const text = async (written: string) =>
      (await request(`{"tool_name":"demo","tool_args":{"text":"${written}"}}`)).args as { text: string };
    expect(await text("\\ud83d\\ude00")).toEqual({ text: "😀" });
    expect(await text("\\d+\\.\\s \\\\w")).toEqual({ text: "\\d+\\.\\s \\w" });
    expect(await text("C:\\Users\\Public")).toEqual({ text: "C:\\Users\\Public" });
    expect(await text("\\u12 and \\u")).toEqual({ text: "\\u12 and \\u" });
    expect(await text("it\\'s a\nline\\d")).toEqual({ text: "it's a\nline\\d" });
  });

  it("whatever they hold, however the text is cut", async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.stringMatching(/^[{}[\]"'`“”\\/<|>*:,\n a-c\u200B]{0,40}$/u),
    );
    const args = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(text, fc.integer(), fc.array(text)));
    await fc.assert(
      fc.asyncProperty(args, fc.array(fc.integer({ min: 1, max: 9 })), async (given, cuts) => {
        const written = JSON.stringify({ thoughts: ["x"], tool_name: "demo", tool_args: given });
        const extractor = createExtractor({ protocol: "json", id: "c1", tools: TOOLS });
        let at = 0;
        for (const cut of cuts) {
          expect(extractor.push(written.slice(at, at + cut))).toBe(true);
          at += cut;
        }
        extractor.push(written.slice(at));
        const { requests } = await extractor.end({ text: written, calls: [], reasoning: "" });
        expect(requests).toMatchObject([{ name: "demo" }]);
        expect(requests[0]?.args).toEqual(JSON.parse(JSON.stringify(given)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("recorded repair", () => {
  it.each([
    ['{"tool_name":"demo","tool_args":{"a":1,},}'],
    ["{'tool_name':'demo','tool_args':{'a':1}}"],
    ['{tool_name: "demo", tool_args: {a: 1}}'],
    ['{"tool_name":"demo", /* why } */ "tool_args":{"a":1}}'],
    ['{"tool_name":"demo", // }\n "tool_args":{"a":1}}'],
    ["{“tool_name”: “demo”, “tool_args”: {“a”: 1}}"],
    ['{"tool_name":"demo" "tool_args":{"a":1}}'],
  ])("%s", async (text) => {
    expect(await request(text)).toEqual(DEMO);
    expect((await extract(text)).warnings).toMatchObject([{ code: "REPAIRED", message: /not strict JSON/ }]);
  });

  it("makes text of what JSON has no value for", async () => {
    expect(await request('{"tool_name":"demo","tool_args":{"a":NaN}}')).toEqual({ name: "demo", args: { a: "NaN" } });
  });

  it("keeps brackets inside other quotes", async () => {
    const text = "{'tool_name': 'demo', 'tool_args': {'text': 'a } b'}}";
    expect(await request(text)).toEqual({ name: "demo", args: { text: "a } b" } });
  });
});

describe("never executed", () => {
  it.each([
    ['{"tool_name":"demo","tool_args":{"a":', /never closed/],
    ['{"tool_name":"demo","tool_args":{"text":"x}}', /begins at line 1, column 1 is never closed/],
    ["{'tool_name':'demo','tool_args':{'text':'x}}", /never closed/],
    ['{"thoughts":["a","tool_name":"demo","tool_args":{"a":1}}', /do not match: the "}" at line 1, column 56/],
    ['{"tool_name":"a"}{"tool_name":"b"}', /more than one JSON value: the second begins at line 1, column 18/],
    ['{"tool_name":"a"}\n\n{"tool_name":"b"}', /line 3, column 1/],
    ['```json\n{"tool_name":"a"}\n```\n```json\n{"tool_name":"b"}\n```', /behind it \(line 4, column 1/],
    ['Sure! {"tool_name":"demo","tool_args":{}}', /outside the JSON object, before it \(line 1, column 1: "Sure!"\)/],
    ['{"tool_name":"demo"}\nThat should do.', /behind it \(line 2, column 1: "That should do\."\)/],
    ['```json\n{"tool_name":"demo"}', /fence that begins at line 1, column 1 is never closed/],
    ['```json\n{"tool_name":"demo"}\n``` and so on', /outside/],
    ['use {curly} then {"tool_name":"demo"}', /before it \(line 1, column 1: "use {curly} then"\)/],
    ['[{"tool_name":"demo"}]', /a list/],
    ["Hello there", /No JSON object .*"Hello there"/],
    ["see [1] and [2]", /No JSON object/],
    ['{"answer": 4}', /names no tool.*answer/],
    ['{"name": "Bob", "age": 3}', /names no tool/],
    ['{"tool_name":""}', /non-empty string/],
    ['{"tool_name":7}', /non-empty string/],
    ['{"actions":[{"tool_name":"a"},{"tool_name":"b"}]}', /2 requests/],
    ['{"actions":[]}', /0 requests/],
    ['{{"tool_name":"demo"}}', /not JSON/],
    ["{]", /brackets/],
  ])("%s", async (text, said) => {
    const message = await refusal(text);
    expect(message).toMatch(/^MISFORMAT /);
    expect(message).toMatch(said);
  });

  it("nothing, and nothing but reasoning", async () => {
    expect(await refusal("  \u200B ")).toMatch(/^EMPTY .*empty/);
    expect(await refusal("<think>hm</think>")).toMatch(/^REASONING_ONLY /);
    expect(await refusal("<think>hm and on and on")).toMatch(/^REASONING_ONLY /);
    const extractor = createExtractor({ protocol: "json", id: "c1", tools: TOOLS });
    const { warnings } = await extractor.end({ text: "", calls: [], reasoning: "hm" });
    expect(warnings).toMatchObject([{ code: "REASONING_ONLY" }]);
  });

  it("arguments that are not JSON: the call is recorded as invalid, not run with {}", async () => {
    const { requests } = await extract('{"name":"demo","arguments":"{\\"a\\":"}');
    expect(requests).toMatchObject([{ name: "demo", args: undefined, invalid: expect.stringContaining("JSON") }]);
  });

  it("what the provider cut, and says so", async () => {
    const extractor = createExtractor({ protocol: "json", id: "c1", tools: TOOLS });
    const text = '{"tool_name":"demo","tool_args":{"text":"';
    extractor.push(text);
    const { warnings } = await extractor.end({ text, calls: [], reasoning: "", isCut: true });
    expect(warnings[0]?.message).toMatch(/never closed.*length limit/);
  });
});

describe("while the text is streamed", () => {
  const pushAll = (text: string, size: number) => {
    const extractor = createExtractor({ protocol: "json", id: "c1", tools: TOOLS });
    let read = 0;
    for (let at = 0; at < text.length; at += size) {
      read = Math.min(text.length, at + size);
      if (!extractor.push(text.slice(at, at + size))) break;
    }
    return { extractor, read };
  };

  it("a megabyte is looked at once, in however many pieces", async () => {
    const content = 'line {"x": [1, 2]} \\d "quoted" <b>\n'.repeat(30_000);
    const text = JSON.stringify({ tool_name: "demo", tool_args: { text: content } });
    expect(text.length).toBeGreaterThan(1_000_000);
    for (const size of [1, 16, 4096]) {
      const { extractor } = pushAll(text, size);
      expect(extractor.looked).toBe(text.length);
      const { requests } = await extractor.end({ text, calls: [], reasoning: "" });
      expect(requests[0]?.args).toEqual({ text: content });
    }
  });

  it.each([
    ["prose", "All that is needed is a < b, `code`, <b>bold</b>, ~50 % and so on.\n"],
    ["reasoning", "<think>a < b and </thin so on</think>\n"],
    ["markup", "<tool_call>{} </tool_call>\n"],
    ["an open tag", "<think>"],
    ["fences", "```json\n```\n"],
  ])("work grows with the length of %s only", async (_, unit) => {
    const text = unit.repeat(Math.ceil(200_000 / unit.length));
    for (const size of [1, 16, 4096]) {
      const { extractor, read } = pushAll(text, size);
      // A tag or fence that is cut in two waits, and is at most 40 characters.
      expect(extractor.looked).toBeLessThan(read * 15 + 100);
      await extractor.end({ text, calls: [], reasoning: "" });
    }
  });

  it("reading goes on to the end of the fence, and stops at the first other character", () => {
    const read = (text: string) => pushAll(text, 1).read;
    const call = '{"tool_name":"demo"}';
    const ends = [
      [call, " \n\u200B", "x"],
      [call, "\n", "{"],
      [`\`\`\`json\n${call}`, "\n```\n\n", "and"],
      [call, "<|end|>", "Now"],
      [`Sure! ${call}`, "\n", "Done."],
      ["{", "", "]"],
    ] as const;
    for (const [reply, blank, more] of ends) {
      expect(read(`${reply}${blank}`), reply).toBe(reply.length + blank.length);
      expect(read(`${reply}${blank}${more} and a thousand words more`), more).toBe(reply.length + blank.length + 1);
    }
  });

  it("shows the object as far as it is written", () => {
    const extractor = createExtractor({ protocol: "json", id: "c1", tools: TOOLS });
    const seen: unknown[] = [];
    let text = "";
    for (const piece of ["Now", '{"headline":"Coun', 'ting","tool_args":{"list":[1,', '2],"text":"a\\', 'n"}', "}"]) {
      extractor.push(piece);
      text += piece;
      seen.push(extractor.partial(text));
    }
    expect(seen).toEqual([
      undefined,
      { headline: "Coun" },
      undefined,
      { headline: "Counting", tool_args: { list: [1, 2], text: "a\\" } },
      { headline: "Counting", tool_args: { list: [1, 2], text: "a\n" } },
      { headline: "Counting", tool_args: { list: [1, 2], text: "a\n" } },
    ]);
  });
});

describe("markup of a native call in the text", () => {
  const leaks = (name: string, args = '{"a": 1}') => [
    `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`,
    `<tool_call><function=${name}><parameter=a>\n1\n</parameter></function></tool_call>`,
    `<function=${name}>${args}</function>`,
    `<function=${name}><parameter=a>1</parameter></function>`,
    `<invoke name="${name}"><parameter name="a">1</parameter></invoke>`,
    `<function_calls>\n<invoke name="${name}">\n<parameter name="a">1</parameter>\n</invoke>\n</function_calls>`,
    `<x:function_calls><x:invoke name="${name}"><parameter name="a">1</parameter></x:invoke></x:function_calls>`,
  ];
  const native = async (text: string) => {
    const extractor = createExtractor({ protocol: "native", id: "c1", tools: TOOLS });
    extractor.push(text);
    return await extractor.end({ text, calls: [], reasoning: "" });
  };

  it.each(leaks("demo"))("is recovered for a tool that was offered, and recorded: %s", async (text) => {
    for (const read of [extract, native]) {
      const { requests, warnings } = await read(`\n${text}<|im_end|>\n`);
      expect([requests.length, warnings[0]?.message]).toMatchObject([1, /came as markup.*was recovered/]);
      expect(requests).toMatchObject([DEMO]);
      expect(warnings).toMatchObject([{ code: "REPAIRED" }]);
    }
  });

  it.each(leaks("rm_everything"))("is never executed for a name that was not offered: %s", async (text) => {
    for (const read of [extract, native]) {
      const { requests, warnings, answer } = await read(text);
      expect([requests, answer]).toEqual([[], undefined]);
      expect(warnings).toMatchObject([
        { code: "MISFORMAT", message: /"rm_everything".*no tool of that name was offered/ },
      ]);
    }
  });

  it.each([
    ["that is cut", '<tool_call>{"name":"demo","arguments":{"a":1', /not one complete call/],
    ["that is nearly JSON", '<tool_call>{"name":"demo","arguments":{"a":1,}}</tool_call>', /not one complete call/],
    ["of two calls", `${leaks("demo")[0]}${leaks("demo")[0]}`, /not one complete call/],
    ["of two functions", "<function=demo>{}</function><function=demo>{}</function>", /not one complete call/],
    ["with text before it", `I will look.\n${leaks("demo")[0]}`, /other text before it/],
    ["with text behind it", `${leaks("demo")[0]}\nDone.`, /text around it/],
    ["that names nothing", "<tool_call></tool_call>", /names no tool/],
    [
      "with a parameter twice",
      "<function=demo><parameter=a>1</parameter><parameter=a>2</parameter></function>",
      /not one/,
    ],
  ])("is refused %s", async (_, text, said) => {
    for (const read of [extract, native]) {
      const { requests, warnings } = await read(text);
      expect(requests).toEqual([]);
      expect(warnings[0]?.message).toMatch(said);
    }
  });

  it("takes values as the schema wants them", async () => {
    const markup = (value: string) =>
      `<function=demo><parameter=text>${value}</parameter><parameter=list>[1, 2]</parameter></function>`;
    expect(await request(markup("1 = <b>\nx</b>"))).toEqual({
      name: "demo",
      args: { text: "1 = <b>\nx</b>", list: [1, 2] },
    });
  });
});

describe("a reply of the native protocol", () => {
  const read = async (text: string, reasoning = "") => {
    const extractor = createExtractor({ protocol: "native", id: "c1", tools: TOOLS });
    expect(extractor.push(text)).toBe(true);
    return await extractor.end({ text, calls: [], reasoning });
  };

  it("is an answer where it is plain text, whatever it is about", async () => {
    for (const text of [
      "Done.",
      '{"a": 1} and {"b": 2}',
      "The form is `<tool_call>`:\n```xml\n<tool_call>\n{}\n</tool_call>\n```",
      "Use <function> elements, or think.",
    ]) {
      expect(await read(text)).toEqual({ requests: [], warnings: [], answer: text });
    }
  });

  it("is told without the reasoning that stands before it", async () => {
    expect((await read("<think>hm <b></think>\n\nDone.")).answer).toBe("Done.");
    expect((await read("<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>Done.")).answer).toBe(
      "Done.",
    );
  });

  it("is empty, or reasoning only", async () => {
    expect((await read(" \n")).warnings).toMatchObject([{ code: "EMPTY" }]);
    expect((await read("", "hm")).warnings).toMatchObject([{ code: "REASONING_ONLY" }]);
    expect((await read("<think>hm</think>")).warnings).toMatchObject([{ code: "REASONING_ONLY" }]);
  });

  it("that holds calls is those calls", async () => {
    const extractor = createExtractor({ protocol: "native", id: "c1", tools: TOOLS });
    const calls = [{ id: "a", name: "demo", args: {} }];
    expect(await extractor.end({ text: "I look.", calls, reasoning: "" })).toEqual({ requests: calls, warnings: [] });
  });
});
