import type { JsonObject, ToolResult } from "./result.ts";

/**
 * The extension points and their payloads. An extension is a module `extensions/<point>/_NN_<name>.ts` in
 * any layer; those of one point run in the order of their file names, a file of the same name in a higher
 * layer replaces the lower one. Payload fields that are not `readonly` may be replaced by the extension.
 */
export interface PointMap {
  /** Before authorisation. `args` may be replaced (they are validated again); `deny` refuses the call. A failing extension closes the gate. */
  tool_execute_before: {
    readonly toolName: string;
    readonly method: string | undefined;
    args: JsonObject;
    deny?: string;
  };
  /** After the result was normalised and masked; `result` may be replaced by a result of the same contract. */
  tool_execute_after: { readonly toolName: string; result: ToolResult };
  /** Progress text of a running tool, and each argument as it is shown before the call. */
  tool_output_update: { readonly toolName: string; content: string };
  /** The entry of a tool result before it is written to the history. */
  hist_add_tool_result: { readonly toolName: string; entry: Record<string, unknown> };
  /** Any entry before it is written to the history; `ai` is true for the model's own text. */
  hist_add_before: { readonly ai: boolean; content: unknown };
}

/** The name of an extension point. */
export type PointName = keyof PointMap;

/**
 * How the extensions of a point combine. `waterfall`: each sees what the one before left, a failing one is
 * reported and passed over with all that it changed. `veto`: as waterfall, but a failing one, or one that sets
 * `deny`, stops the call. `replaces` names the fields that an extension may replace; other changes are dropped.
 */
export const POINTS = {
  tool_execute_before: { mode: "veto", replaces: ["args", "deny"] },
  tool_execute_after: { mode: "waterfall", replaces: ["result"] },
  tool_output_update: { mode: "waterfall", replaces: ["content"] },
  hist_add_tool_result: { mode: "waterfall", replaces: ["entry"] },
  hist_add_before: { mode: "waterfall", replaces: ["content"] },
} as const satisfies Record<PointName, { readonly mode: "waterfall" | "veto"; readonly replaces: readonly string[] }>;
