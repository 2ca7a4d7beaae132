import type { JobRecord } from "../agent/transcript-records.ts";
import { isCallErrorCode, type ToolError } from "../sdk/errors.ts";
import { createResult, type ToolResult } from "../sdk/result.ts";

/** The result of a background call that came to no dispatch. */
export function failedResult(name: string, { code, message }: ToolError): ToolResult {
  const failure = { code: isCallErrorCode(code) ? code : ("INTERNAL_ERROR" as const) };
  return createResult({ ...frameOf(name), status: "error", message, failure });
}

/** What a transcript tells of a result: what the model would have read. */
export function rememberedResult({ name, status = "error", content = "", code }: JobRecord): ToolResult {
  const known = isCallErrorCode(code) ? code : "INTERNAL_ERROR";
  const failure = status === "error" ? { failure: { code: known, message: content } } : {};
  return createResult({ ...frameOf(name), status, message: content, ...failure });
}

function frameOf(name: string) {
  const tool = name.split(":")[0] as string;
  return { stats: { durationMs: 0 }, context: { tool, owner: "host", generation: 0, cwd: ".", args: {} } };
}
