import { argsDigest } from "../governance/ledger-digests.ts";
import type { LedgerOutcome } from "../governance/ledger-lines.ts";
import type { CallErrorCode } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import { type Call, isReplaced, nameOf, shortName } from "./call.ts";

/** What ledger and audit say of a call in the same way. Nothing in it is a secret: texts are masked. */
export interface CallFacts {
  readonly call: string;
  /** The tool's id; of a call that no tool answers for, the name that was asked for. */
  readonly tool: string;
  readonly owner: string;
  readonly face: string;
  /** SHA-256, in hex, of the canonical JSON of the arguments, with placeholders in place of secrets. */
  readonly args: string;
  readonly outcome: LedgerOutcome;
  readonly code: string | null;
  readonly decision: string | null;
  readonly approver: string | null;
  readonly generation: number;
}

/** Of a call whose result is final. Field by field, because both are written for every call. */
export function factsOf(call: Call, result: ToolResult): CallFacts {
  const { env, request, clean, asked, authorised, target, isUnknown } = call;
  const approver = (call.verdict ?? call.judged)?.approver;
  const outcome = outcomeOf(call, result);
  return {
    call: clean.kept(String(request.id)),
    // Who answers for an unknown name is not the tool that was asked for.
    tool: clean.kept(isUnknown ? shortName(request.name) : nameOf(call)),
    owner: (isUnknown ? undefined : target?.owner) ?? "host",
    face: env.face,
    args: argsDigest(authorised ?? asked, clean.kept),
    outcome,
    code: result.error?.code ?? null,
    decision: decisionOf(call, outcome),
    approver: approver === undefined ? null : clean.kept(approver),
    generation: env.lease.generation,
  };
}

/** A call that came to no verdict may still have been refused by its name alone. */
function decisionOf({ verdict, judged }: Call, outcome: LedgerOutcome): string | null {
  if (verdict) return verdict.decision ?? ("deny" in verdict ? "block" : "run");
  if (judged?.decision) return judged.decision;
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
