import { describe, expect, test } from "vitest";
import Response from "../../tools/response.ts";
import { runTool } from "../helpers/run-tool.ts";

const respond = async (args: Record<string, string>) => (await runTool(Response, args, { id: "response" })).result;

describe("response", () => {
  test("gives the text as it is and ends the loop", async () => {
    const result = await respond({ text: "  312 lines.\n" });
    expect(result).toMatchObject({ status: "success", message: "  312 lines.\n", breakLoop: true, data: {} });
  });

  test("takes message for text", async () => {
    expect(await respond({ message: "Done." })).toMatchObject({ message: "Done.", breakLoop: true });
  });

  test.each([
    ["both", { text: "a", message: "b" }, "/message"],
    ["neither", {}, "/text"],
    ["an empty text", { text: "" }, "/text"],
    ["white space", { message: " \n" }, "/message"],
  ])("refuses %s and lets the turn go on", async (_, args, pointer) => {
    const result = await respond(args as Record<string, string>);
    expect(result).toMatchObject({ status: "error", breakLoop: false, error: { code: "INVALID_PARAM", pointer } });
  });

  test("is the answering tool", () => {
    expect(Response.role).toBe("answer");
    expect(Response.risk).toBe("low");
  });
});
