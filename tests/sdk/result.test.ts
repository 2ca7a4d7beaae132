import { describe, expect, it } from "vitest";
import { CALL_CODES, type CallErrorCode, isToolError, type ToolError } from "../../core/sdk/errors.ts";
import { createResult, type ResultParts } from "../../core/sdk/result.ts";

const FRAME = {
  stats: { durationMs: 0 },
  context: { tool: "t", owner: "core", generation: 1, cwd: ".", args: {} },
} as const;

function build(parts: Partial<ResultParts> & Record<string, unknown>) {
  return createResult({ status: "success", message: "m", ...FRAME, ...parts } as ResultParts);
}

/** The error that building throws. */
function refused(parts: Record<string, unknown>): ToolError {
  try {
    build(parts);
  } catch (error) {
    if (isToolError(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a result", () => {
  it("is one deep-frozen value", () => {
    const result = build({ data: { x: [{ y: 1 }] }, additional: { z: {} } });
    expect(() => ((result.data.x as { y: number }[])[0] as { y: number }).y++).toThrow(TypeError);
    expect(() => Object.assign(result, { message: "other" })).toThrow(TypeError);
    expect(() => Object.assign(result.additional ?? {}, { a: 1 })).toThrow(TypeError);
    expect(() => Object.assign(result.context, { tool: "other" })).toThrow(TypeError);
    expect(() => Object.assign(result.stats, { durationMs: 5 })).toThrow(TypeError);
  });

  it("does not follow later changes of what it was built from", () => {
    const data = { list: [1] };
    const result = build({ data });
    data.list.push(2);
    expect(result.data).toEqual({ list: [1] });
  });

  it("has an object as data and no breakLoop unless told", () => {
    expect(build({})).toStrictEqual({ status: "success", message: "m", breakLoop: false, data: {}, ...FRAME });
  });

  it("may break the loop with an empty message", () => {
    expect(build({ message: "", breakLoop: true })).toMatchObject({ message: "", breakLoop: true });
  });
});

describe("an error", () => {
  it("carries class and retryable of its code, and the model reads code and hint", () => {
    const result = build({
      status: "error",
      message: "no file at a.txt",
      failure: { code: "NOT_FOUND", hint: "List the directory.", pointer: "/path" },
    });
    expect(result.message).toBe("NOT_FOUND: no file at a.txt\nList the directory.");
    expect(result.error).toEqual({
      code: "NOT_FOUND",
      message: "no file at a.txt",
      retryable: false,
      class: "model",
      hint: "List the directory.",
      pointer: "/path",
    });
  });

  it("keeps the text for the model where the words of the error are given apart", () => {
    const result = build({ status: "error", message: "whole text", failure: { code: "TIMEOUT", message: "words" } });
    expect([result.message, result.error?.message]).toEqual(["whole text", "words"]);
  });

  it("keeps a cause, of whatever kind", () => {
    const cause = (value: unknown) =>
      build({ status: "error", failure: { code: "EXECUTION_ERROR", cause: value } }).error?.cause;
    expect(cause(new Error("boom"))).toBe("boom");
    expect(cause({ file: "a.ts", line: 3 })).toEqual({ file: "a.ts", line: 3 });
    expect(cause(10n)).toBe("10");
    expect(cause(Object.assign(Object.create(null), { at: new Date() }))).toBe("not JSON: an instance of Date");
  });

  it.each(Object.keys(CALL_CODES) as CallErrorCode[])("%s has a row", (code) => {
    const { error } = build({ status: "error", failure: { code } });
    expect(error).toMatchObject({ code, class: CALL_CODES[code].class, retryable: CALL_CODES[code].retryable });
  });
});

describe("what is refused where it is built", () => {
  it.each([
    [{ data: { at: new Date() } }, "data/at must be JSON, found an instance of Date", "/data/at"],
    [{ data: { n: Number.NaN } }, "data/n must be JSON, found NaN", "/data/n"],
    [{ data: { n: 1n } }, "data/n must be JSON, found a bigint", "/data/n"],
    [{ data: [] }, "data must be an object, found an array", undefined],
    [{ data: null }, "data must be an object, found null", undefined],
    [{ additional: { f: () => 1 } }, "additional/f must be JSON, found a function", "/additional/f"],
    [{ additional: { id: 1 } }, "additional.id is reserved by the history", undefined],
    [{ additional: { tool_name: "x" } }, "additional.tool_name is reserved by the history", undefined],
    [{ additional: { tool_result: "x" } }, "additional.tool_result is reserved by the history", undefined],
    [{ failure: { code: "NOT_FOUND" } }, 'a result of status "success" cannot carry an error code', undefined],
    [
      { status: "partial", failure: { code: "NOT_FOUND" } },
      'a result of status "partial" cannot carry an error code',
      undefined,
    ],
    [{ status: "error" }, 'a result of status "error" needs an error code', undefined],
    [{ status: "done" }, 'status must be success, partial or error, found "done"', undefined],
    [
      { status: "error", failure: { code: "NOPE" } },
      'the error code must be one of the table, found "NOPE"',
      undefined,
    ],
    [
      { status: "error", failure: { code: "toString" } },
      'the error code must be one of the table, found "toString"',
      undefined,
    ],
    [{ status: "error", failure: { code: "TIMEOUT", hint: 3 } }, "hint must be a string", undefined],
    [{ status: "error", failure: { code: "TIMEOUT", retryable: "no" } }, "retryable must be a boolean", undefined],
    [{ message: undefined }, "message must be a string, found undefined", undefined],
    [{ breakLoop: "yes" }, "breakLoop must be a boolean, found string", undefined],
    [{ status: "partial", receipt: "r" }, "only a successful call has a receipt", undefined],
  ])("%# says what was expected and found", (parts, message, pointer) => {
    const error = refused(parts);
    expect(error).toMatchObject({ code: "INVALID_RESULT", message });
    expect(error.details.pointer).toBe(pointer);
  });
});
