import { expect, test } from "vitest";
import { refusedTools } from "../../core/agent/refused-tools.ts";
import { HostError } from "../../core/sdk/errors.ts";

const TOOLS = Array.from({ length: 13 }, (_, at) => ({
  name: `tool_${at}`,
  description: "",
  parameters: {},
  ...(at === 4 ? { published: "tool_4_abcdef01" } : {}),
}));

const refusal = (words: string, status = 400) =>
  new HostError(
    "MODEL_REFUSED",
    `The model x/y at http://127.0.0.1/v1 refused the request with status ${status}: ${words}.`,
    {
      provider: { transient: false, status },
    },
  );
const named = (error: unknown) => refusedTools(error, TOOLS).map(({ tool }) => tool.name);

test.each<[string, string[]]>([
  ["tools.12.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12", ["tool_12"]],
  ["tools.3.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", ["tool_3"]],
  ["Invalid schema for function 'tool_2': In context=('properties', 'a'), array schema missing items", ["tool_2"]],
  ["Invalid schema for function 'tool_4_abcdef01': 'x' is not a 'regex'", ["tool_4"]],
  ["Invalid 'tools[5].function.description': string too long", ["tool_5"]],
  [
    "* GenerateContentRequest.tools[0].function_declarations[9].parameters.required[0]: property is not defined * GenerateContentRequest.tools[0].function_declarations[11].name: Invalid function name",
    ["tool_9", "tool_11"],
  ],
  ["Invalid value at 'request.tools[0].function_declarations[1].parameters' (TYPE_STRING), 0", ["tool_1"]],
  ["FunctionDeclaration 'tool_6' in the request exceeds the maximum allowed nesting depth", ["tool_6"]],
  ["A FunctionDeclaration in the request exceeds the maximum allowed nesting depth", []],
  ["tools.99.custom.input_schema: too far", []],
  ["messages.3.content: text is empty", []],
])("%s", (words, tools) => {
  expect(named(refusal(words))).toEqual(tools);
});

test("only a refusal is one", () => {
  expect(named(refusal("tools.3.custom.input_schema: no", 422))).toEqual(["tool_3"]);
  expect(named(refusal("tools.3.custom.input_schema: no", 500))).toEqual([]);
  expect(named(new Error("tools.3.custom.input_schema: no"))).toEqual([]);
  expect(named(undefined)).toEqual([]);
});
