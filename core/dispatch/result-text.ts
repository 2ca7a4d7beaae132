import { receiptLine } from "../governance/receipt-id.ts";
import type { ToolResult } from "../sdk/result.ts";

/** The text of a result: its message, and what goes into the history beside it, but for the host's marks. */
export function resultText({ message, additional = {} }: Pick<ToolResult, "message" | "additional">): string {
  const { keep: _keep, drop: _drop, ...extra } = additional;
  return Object.keys(extra).length === 0 ? message : `${message}\n${JSON.stringify(extra)}`;
}

/** All that the model is given of a result: its text and, also where the message is for a person, its receipt. */
export function deliveredText(result: ToolResult): string {
  const text = resultText(result);
  if (result.receipt === undefined || !result.breakLoop) return text;
  return `${text}\n${receiptLine(result.receipt)}`;
}
