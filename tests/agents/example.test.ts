import { testTool } from "toolroom/testing";
import { expect } from "vitest";

testTool("../../agents/_example/tools/example_tool.ts", {
  cases: [
    {
      name: "gives its input back, and its progress as the profile's extension marks it",
      args: { test_input: "XYZ" },
      expect: {
        status: "success",
        message: 'The example tool was given "XYZ".',
        data: { test_input: "XYZ", length: 3 },
        breakLoop: false,
      },
      check: (_, { progress }) => expect(progress()).toEqual(["[example] Looking at the input."]),
    },
    { name: "needs its argument", expect: { code: "INVALID_PARAM", pointer: "/test_input" } },
  ],
});

testTool("../../agents/_example/tools/response.ts", {
  args: { text: "Done." },
  cases: [
    {
      name: "signs the answer and ends the loop",
      args: { text: "Done." },
      expect: { status: "success", message: "Done.\n\n(the example agent)", breakLoop: true },
    },
    { name: "refuses an empty answer", args: { text: "" }, expect: { code: "INVALID_PARAM", pointer: "/text" } },
    {
      name: "is the answering tool of its profile",
      args: { text: "x" },
      check: async (_, { host }) => {
        const definitions = await host.toolDefinitions({ profile: "_example" });
        expect(definitions.find(({ name }) => name === "response")?.role).toBe("answer");
      },
    },
  ],
});
