import { isPromiseLike } from "../governance/cancellation.ts";
import { type LedgerEntry, sha256 } from "../governance/ledger-lines.ts";
import { receiptLine } from "../governance/receipt-id.ts";
import { type ToolResult, withReceipt } from "../sdk/result.ts";
import { noteDecision } from "./audit-entry.ts";
import type { Call } from "./call.ts";
import { factsOf } from "./call-facts.ts";
import { resultText } from "./result-text.ts";

/**
 * Enters a call whose result is final in the ledger and in the audit log, where they are on.
 * @returns the result; of a call that succeeded, and was entered in the ledger, with its receipt
 */
export function enter(call: Call, result: ToolResult): ToolResult | Promise<ToolResult> {
  const { ledger, audit } = call.env;
  if (!ledger && !audit) return result;
  const facts = factsOf(call, result);
  if (audit) noteDecision(call, { facts, result, audit });
  if (!ledger) return result;
  const { turn, agent } = ledger;
  const entry: LedgerEntry = { turn, agent, ...facts, result: sha256(resultText(result)) };
  const confirm = (id: string | undefined): ToolResult =>
    id === undefined || entry.outcome !== "success" ? result : withReceipt(result, id, receiptLine(id));
  const entered = ledger.enter(entry);
  return isPromiseLike(entered) ? Promise.resolve(entered).then(confirm) : confirm(entered);
}
