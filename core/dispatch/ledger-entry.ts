import { isPromiseLike } from "../governance/cancellation.ts";
import { argsDigest } from "../governance/ledger-digests.ts";
import { type LedgerEntry, type LedgerOutcome, sha256 } from "../governance/ledger-lines.ts";
import { receiptLine } from "../governance/receipt-id.ts";
import type { CallErrorCode } from "../sdk/errors.ts";
import { type ToolResult, withReceipt } from "../sdk/result.ts";
import { type Call, isReplaced, nameOf, shortName } from "./call.ts";
import type { CallLedger } from "./environment.ts";
import { resultText } from "./result-text.ts";

/**
 * Enters a call whose result is final.
 * @returns the result; of a call that succeeded, and was entered, with its receipt
 */
export function enter(call: Call, result: ToolResult): ToolResult | Promise<ToolResult> {
  const { ledger } = call.env;
  if (!ledger) return result;
  const entry = entryOf(call, result, ledger);
  const confirm = (id: string | undefined): ToolResult =>
    id === undefined || entry.outcome !== "success" ? result : withReceipt(result, id, receiptLine(id));
  const entered = ledger.enter(entry);
  return isPromiseLike(entered) ? Promise.resolve(entered).then(confirm) : confirm(entered);
}

function entryOf(call: Call, result: ToolResult, { turn, agent }: CallLedger): LedgerEntry {
  const { env, request, clean, asked, authorised, verdict, target, isUnknown } = call;
  const outcome = outcomeOf(call, result);
  return {
    turn,
    agent,
    call: clean.kept(String(request.id)),
    // Who answers for an unknown name is not the tool that was asked for.
    tool: clean.kept(isUnknown ? shortName(request.name) : nameOf(call)),
    owner: (isUnknown ? undefined : target?.owner) ?? "host",
    face: env.face,
    args: argsDigest(authorised ?? asked, clean.kept),
    result: sha256(resultText(result)),
    outcome,
    code: result.error?.code ?? null,
    decision: decisionOf(call, outcome),
    approver: verdict?.approver === undefined ? null : clean.kept(verdict.approver),
    generation: env.lease.generation,
  };
}

/** A call that came to no verdict may still have been refused by its name alone. */
function decisionOf({ verdict }: Call, outcome: LedgerOutcome): string | null {
  if (verdict) return verdict.decision ?? ("deny" in verdict ? "block" : "run");
  return outcome === "blocked" ? "block" : null;
}

function outcomeOf(call: Call, { status, error }: ToolResult): LedgerOutcome {
  if (call.isUnknown) return "unknown";
  if (error) return FAILURES[error.code] ?? "error";
  return isReplaced(call) ? "replaced" : status;
}

/** What has a name of its own among failures. */
const FAILURES: { readonly [Code in CallErrorCode]?: LedgerOutcome } = {
  DENIED_BY_PERSON: "denied",
  DENIED_BY_EXTENSION: "denied",
  NO_APPROVER: "denied",
  APPROVAL_EXPIRED: "denied",
  APPROVAL_MISMATCH: "denied",
  DENIED_BY_POLICY: "blocked",
  RATE_LIMITED: "blocked",
  CIRCUIT_OPEN: "blocked",
  ABORTED: "interrupted",
  STOPPED: "interrupted",
  UNKNOWN_TOOL: "unknown",
  SKIPPED: "skipped",
};
