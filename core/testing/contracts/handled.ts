import type { JsonObject, ToolResult } from "../../sdk/result.ts";
import { breach, shown } from "../failure.ts";

/** Whatever a tool is given, its answer is one of its own: it did not throw, and it did not give something else. */
export function requireHandled({ error, message }: ToolResult, what: string, args: JsonObject): void {
  if (error === undefined || (error.class !== "tool" && error.code !== "INTERNAL_ERROR")) return;
  throw breach({
    expected: `an answer to ${what}, ${shown(args)}`,
    found: shown(message),
    todo: 'Refuse what the tool cannot do with this.failure("INVALID_PARAM", …), or in static parameters.',
  });
}
