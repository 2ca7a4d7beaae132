import { receiptLine } from "../governance/receipt-id.ts";
import { frameUntrusted, intoFrame } from "../governance/untrusted-text.ts";
import type { ToolResult } from "../sdk/result.ts";

/**
 * The text of a result: its message, and what goes into the history beside it, but for the host's marks. Of a message in a
 * frame both stand in the frame.
 */
export function resultText({ message, additional = {}, context }: TextParts): string {
  const { keep: _keep, drop: _drop, ...extra } = additional;
  if (Object.keys(extra).length === 0) return message;
  const told = JSON.stringify(extra);
  return isFramed(context, message) ? intoFrame(message, told, context.untrusted) : `${message}\n${told}`;
}

type TextParts = Pick<ToolResult, "message" | "additional" | "context">;

/** All that the model is given of a result: its text and, also where the message is for a person, frame and receipt. */
export function deliveredText(result: ToolResult): string {
  const { context, message, receipt, breakLoop } = result;
  const text = resultText(result);
  const { untrusted: marker, tool } = context;
  // What a tool says of its own context may be anything.
  const isBare = typeof marker === "string" && text !== "" && !isFramed(context, message);
  const told = isBare ? frameUntrusted(text, tool, marker) : text;
  return receipt === undefined || !breakLoop ? told : `${told}\n${receiptLine(receipt)}`;
}

function isFramed(
  context: ToolResult["context"],
  message: string,
): context is ToolResult["context"] & { readonly untrusted: string } {
  return typeof context.untrusted === "string" && message.includes(`</${context.untrusted}>`);
}
