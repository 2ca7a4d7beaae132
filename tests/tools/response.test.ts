import { testTool } from "toolroom/testing";
import { expect } from "vitest";

const refusal = (name: string, args: Record<string, string>, pointer: string) => ({
  name: `refuses ${name} and lets the turn go on`,
  args,
  expect: { code: "INVALID_PARAM", pointer, breakLoop: false } as const,
});

testTool("../../tools/response.ts", {
  args: { text: "312 lines." },
  cases: [
    {
      name: "gives the text as it is and ends the loop",
      args: { text: "  312 lines.\n" },
      expect: { status: "success", message: "  312 lines.\n", breakLoop: true },
      check: ({ data }) => expect(data).toEqual({}),
    },
    {
      name: "takes message for text",
      args: { message: "Done." },
      expect: { status: "success", message: "Done.", breakLoop: true },
    },
    refusal("both", { text: "a", message: "b" }, "/message"),
    refusal("neither", {}, "/text"),
    refusal("an empty text", { text: "" }, "/text"),
    refusal("white space", { message: " \n" }, "/message"),
    {
      name: "is the answering tool",
      args: { text: "x" },
      check: async (_, { host }) => {
        const definitions = await host.toolDefinitions();
        expect(definitions.find(({ name }) => name === "response")?.role).toBe("answer");
        expect((await host.list()).tools.find(({ name }) => name === "response")?.risk).toBe("low");
      },
    },
  ],
});
