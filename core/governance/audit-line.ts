import type { LedgerOutcome } from "./ledger-lines.ts";

/** What was decided of one call: who asked for what, what was said of it and why, and what came of it. All is masked. */
export interface AuditEntry {
  /** Where the call came from: `cli`, `library`, `delegate`, `channel:<name>`, … */
  readonly face: string;
  /** Of the conversation; null for a call without one. */
  readonly session: string | null;
  /** The turn, or the call of its own. */
  readonly turn: string;
  /** `agent.<profile>`. */
  readonly agent: string;
  /** How its superior names the agent; null for the one that a person talks to. */
  readonly subordinate: string | null;
  /** The request's id. */
  readonly call: string;
  /** `tool.<id>`; of a call that no tool answers for, the name that was asked for. */
  readonly tool: string;
  readonly owner: string;
  readonly method: string | null;
  /** SHA-256, in hex, of the canonical JSON of the arguments: the same as in the ledger. */
  readonly args: string;
  /** The beginning of the arguments. */
  readonly summary: string;
  /** `run`, `ask` or `block`; null where the call came to no decision. */
  readonly decision: string | null;
  /** The code that the call ended with; null where it did not fail. */
  readonly code: string | null;
  /** A key of the risk profile, or the rule that somebody else named. */
  readonly rule: string | null;
  readonly setting: string | null;
  readonly risk: { readonly level: string; readonly reasons: readonly string[] } | null;
  /** Who was asked and answered. */
  readonly approver: string | null;
  readonly outcome: LedgerOutcome;
  readonly durationMs: number;
  readonly generation: number;
}

/** A line of the audit log. */
export interface AuditLine extends AuditEntry {
  readonly v: 1;
  /** ISO 8601, UTC: when the call was over. */
  readonly time: string;
}

/** Stands where lines are missing because they could not be written for too long. */
export interface AuditGap {
  readonly v: 1;
  readonly time: string;
  readonly lost: number;
}
