import { isObject } from "../dispatch/schema-rules.ts";
import { CALL_CODES, isCallErrorCode } from "../sdk/errors.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";

/** What a result has to say of its call. */
export interface EnvelopeOf {
  readonly tool: string;
  /** As it was asked for. */
  readonly args: JsonObject;
}

/** The fields that a result may have, and no others. */
const FIELDS = ["status", "message", "breakLoop", "additional", "data", "error", "stats", "context", "receipt"];

/** What is wrong with the envelope of a result, each in a few words; empty where all is well. */
export function envelopeFaults(result: ToolResult, { tool, args }: EnvelopeOf): readonly string[] {
  const { status, message, breakLoop, data, error, stats, context } = result;
  const rows: readonly (readonly [ok: boolean, fault: string])[] = [
    [["success", "partial", "error"].includes(status), `status ${JSON.stringify(status)}`],
    [typeof message === "string", "a message that is no text"],
    [typeof breakLoop === "boolean", "breakLoop that is neither true nor false"],
    [isObject(data), "data that is no object"],
    [(status === "error") === (error !== undefined), `status ${status} ${error ? "with" : "without"} an error`],
    [error === undefined || hasErrorFields(error), "an error without code, message, retryable or class of the table"],
    [Number.isInteger(stats?.durationMs) && stats.durationMs >= 0, "stats.durationMs that is no whole number from 0"],
    [context?.tool === tool, `context.tool ${JSON.stringify(context?.tool)}`],
    [typeof context?.owner === "string" && context.owner !== "", "no context.owner"],
    [Number.isInteger(context?.generation), "no context.generation"],
    [typeof context?.cwd === "string", "no context.cwd"],
    [
      sameJson(context?.args, args),
      `context.args ${JSON.stringify(context?.args)}, asked with ${JSON.stringify(args)}`,
    ],
  ];
  const foreign = Object.keys(result).filter((key) => !FIELDS.includes(key));
  const thawed = firstThawed(result, "");
  return [
    ...rows.flatMap(([ok, fault]) => (ok ? [] : [fault])),
    ...foreign.map((key) => `a field ${JSON.stringify(key)} that no result has`),
    ...(thawed === undefined ? [] : [`a value at ${thawed || "its root"} that is not frozen`]),
  ];
}

/** Whether two values are the same JSON; the order of keys does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key as keyof typeof a], b[key as keyof typeof b]))
  );
}

function hasErrorFields({ code, message, retryable, class: kind }: NonNullable<ToolResult["error"]>): boolean {
  const known = isCallErrorCode(code) && CALL_CODES[code].class === kind;
  return known && typeof message === "string" && typeof retryable === "boolean";
}

/** A JSON pointer to the first part that can be changed. */
function firstThawed(value: unknown, at: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Object.isFrozen(value)) return at;
  for (const [key, part] of Object.entries(value)) {
    const found = firstThawed(part, `${at}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
