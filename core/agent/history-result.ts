import { deliveredText } from "../dispatch/result-text.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import type { ToolRequest } from "./extract.ts";
import type { ResultRecord, WholeText } from "./transcript-records.ts";

/** What a history has to know of a call. */
export type CallFacts = Pick<ToolRequest, "id" | "name" | "args">;

/**
 * A result as a history keeps it. Of `additional` the model is given everything but the host's two marks:
 * `keep` (true, a name or names: the result outlives compaction) and `drop` (names that need not be kept any longer).
 */
export function resultRecord({ id, name }: CallFacts, result: ToolResult, n: number): ResultRecord {
  const { keep, drop } = result.additional ?? ({} as JsonObject);
  const kept = keep === true ? true : namesOf(keep);
  const dropped = namesOf(drop);
  const whole = wholeOf(result);
  return {
    type: "result",
    n,
    id,
    name,
    status: result.status,
    content: deliveredText(result),
    ...(result.receipt === undefined ? {} : { receipt: result.receipt }),
    ...(result.error === undefined ? {} : { code: result.error.code }),
    durationMs: result.stats.durationMs,
    ...(kept === undefined ? {} : { keep: kept }),
    ...(dropped === undefined ? {} : { drop: dropped }),
    ...(whole === undefined ? {} : { whole }),
  };
}

function namesOf(mark: Json | undefined): readonly string[] | undefined {
  const names = (Array.isArray(mark) ? mark : [mark]).filter((name): name is string => typeof name === "string");
  return names.length === 0 ? undefined : names;
}

/** Where the rest of a large output is, as the dispatcher says it. */
function wholeOf({ context }: ToolResult): WholeText | undefined {
  const { originalBytes, path } = (context.truncated ?? {}) as { originalBytes?: number; path?: string };
  if (originalBytes === undefined) return undefined;
  return { bytes: originalBytes, ...(path === undefined ? {} : { path }) };
}
