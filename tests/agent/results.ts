import { createResult, type ResultParts, type ToolResult } from "../../core/sdk/result.ts";

/** A result as the dispatcher makes it. */
export function resultOf(message: string, parts: Partial<ResultParts> = {}): ToolResult {
  return createResult({
    status: "success",
    message,
    stats: { durationMs: 3 },
    context: { tool: "echo", owner: "core", generation: 1, cwd: ".", args: {} },
    ...parts,
  });
}
