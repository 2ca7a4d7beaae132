import { createHash } from "node:crypto";
import { diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import type { ToolResult } from "../sdk/result.ts";
import { cutMiddle, isTooLong, spillName } from "./bound.ts";
import type { Call } from "./call.ts";
import { changedResult, wordsOf } from "./outcome.ts";

/** Whether a result is more than the model is given. */
export function needsBound({ loaded }: Call, { status, message, additional }: ToolResult): boolean {
  // An answer is for a person, who can scroll.
  if (loaded?.contract.role === "answer" && status !== "error") return false;
  return isTooLong(message) || (additional !== undefined && isTooLong(JSON.stringify(additional)));
}

/**
 * Large output: the model is given the beginning and the end, and the whole goes to a file where the host keeps one.
 * A success becomes `partial`; `context.truncated` says how much was cut and where the rest is.
 */
export async function boundResult(call: Call, result: ToolResult): Promise<ToolResult> {
  const extra = result.additional === undefined ? "" : JSON.stringify(result.additional);
  const dropsExtra = isTooLong(extra);
  const { text, facts } = await cutMessage(call, result.message);
  const truncated = { ...facts, ...(dropsExtra ? { additionalBytes: Buffer.byteLength(extra) } : {}) };
  const changes = {
    status: result.status === "success" ? ("partial" as const) : result.status,
    message: text,
    context: { ...result.context, truncated },
    ...(dropsExtra ? { additional: undefined } : {}),
  };
  const { receipt: _, ...rest } = result;
  return changedResult(rest, changes, call.clean);
}

interface CutMessage {
  readonly text: string;
  readonly facts: Readonly<Record<string, Json>>;
}

async function cutMessage(call: Call, message: string): Promise<CutMessage> {
  if (!isTooLong(message)) return { text: message, facts: {} };
  const path = await spill(call, message);
  const { text, originalBytes, keptBytes } = cutMiddle(message, { path });
  const sha256 = createHash("sha256").update(message).digest("hex");
  return { text, facts: { originalBytes, keptBytes, sha256, ...(path === undefined ? {} : { path }) } };
}

/** The text is masked already: nothing reaches the disk that the model might not see. */
async function spill({ env, request }: Call, text: string): Promise<string | undefined> {
  try {
    return await env.spill?.(spillName(request.id, text), text);
  } catch (error) {
    const message = `a large output could not be kept in a file: ${wordsOf(error)}`;
    env.report(diagnostic("SPILL_FAILED", { message, hint: "Make the host's state directory writable." }));
    return undefined;
  }
}
