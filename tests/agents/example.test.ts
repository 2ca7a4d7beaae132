import { describe, expect, test } from "vitest";
import Mark from "../../agents/_example/extensions/tool_output_update/_50_mark.ts";
import ExampleTool from "../../agents/_example/tools/example_tool.ts";
import Response from "../../agents/_example/tools/response.ts";
import { runTool, testAgent } from "../helpers/run-tool.ts";

describe("agents/_example", () => {
  test("example_tool gives its input back, with progress and a checkpoint", async () => {
    let checkpoints = 0;
    const agent = {
      handleIntervention: async () => {
        checkpoints++;
      },
    };
    const { result, progress } = await runTool(ExampleTool, { test_input: "XYZ" }, { id: "example_tool", agent });
    expect(result).toMatchObject({
      status: "success",
      message: 'The example tool was given "XYZ".',
      data: { test_input: "XYZ", length: 3 },
      breakLoop: false,
    });
    expect(progress).toEqual(["Looking at the input."]);
    expect(checkpoints).toBe(1);
  });

  test("example_tool needs its argument", async () => {
    const { result } = await runTool(ExampleTool, {}, { id: "example_tool" });
    expect(result).toMatchObject({ error: { code: "INVALID_PARAM", pointer: "/test_input" } });
  });

  test("its response signs the answer and ends the loop", async () => {
    const { result } = await runTool(Response, { text: "Done." }, { id: "response" });
    expect(result).toMatchObject({ message: "Done.\n\n(the example agent)", breakLoop: true });
    expect(Response.role).toBe("answer");
    expect((await runTool(Response, { text: "" }, { id: "response" })).result.error?.code).toBe("INVALID_PARAM");
  });

  test("its extension marks progress", () => {
    const payload = { toolName: "wait", content: "5 s left" };
    new Mark().execute(payload);
    expect(payload.content).toBe("[example] 5 s left");
    expect(testAgent().profile).toBe("default");
  });
});
