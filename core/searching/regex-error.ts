import { ToolError } from "../sdk/errors.ts";

/** The refusal of a pattern, which names the construct. */
export function regexError(what: string, hint: string): ToolError {
  return new ToolError("INVALID_PARAM", `the pattern cannot be used: ${what}`, { pointer: "/pattern", hint });
}
