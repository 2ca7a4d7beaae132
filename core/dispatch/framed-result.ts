import { drawMarker, frameUntrusted } from "../governance/untrusted-text.ts";
import type { ToolResult } from "../sdk/result.ts";
import { type Call, isReplaced, nameOf } from "./call.ts";
import { changedResult } from "./outcome.ts";

/** Whether the tool ran, and what it says is text from outside. */
export function bringsUntrusted(call: Call): boolean {
  return call.loaded?.contract.untrusted === true && call.began !== undefined && !isReplaced(call);
}

/**
 * Tells the model that the message is data. `context.untrusted` names the marker; `data` is for programs and stays as it is.
 * What ends the loop is for a person, and gets its frame where the history takes it; so does what `additional` adds.
 */
export function framedResult(call: Call, result: ToolResult): ToolResult {
  const tool = nameOf(call);
  call.env.readUntrusted?.(tool);
  const { receipt: _, ...rest } = result;
  const untrusted = drawMarker();
  const context = { ...result.context, untrusted };
  const { message, breakLoop, error } = result;
  if (breakLoop || message === "") return changedResult(rest, { context }, call.clean);
  const head = error ? `${error.code}: ${tool} failed, and this is what it says of it.\n` : "";
  const framed = call.clean.kept(head + frameUntrusted(message, tool, untrusted));
  return changedResult(rest, { message: framed, context }, call.clean);
}
