import type { AutonomyLevel } from "../discovery/risk-profile-keys.ts";
import type { RiskLevel } from "../sdk/tool.ts";
import type { Match } from "./call-pattern.ts";

/** What becomes of a call: it runs, somebody is asked, it does not run. */
export type Decision = "run" | "ask" | "block";

/** What a decision is made of. */
export interface DecisionInput {
  readonly level: AutonomyLevel;
  readonly blockHighRisk: boolean;
  readonly risk: RiskLevel;
  /** How exactly `auto_approve` and `always_ask` mean the call. */
  readonly autoApprove: Match;
  readonly alwaysAsk: Match;
}

/** The setting that a decision hangs on. */
export type DecidingKey = "level" | "block_high_risk" | "auto_approve" | "always_ask";

const TABLE: Readonly<Record<AutonomyLevel, Readonly<Record<"low" | "medium" | "high", Decision>>>> = {
  read_only: { low: "run", medium: "block", high: "block" },
  supervised: { low: "run", medium: "ask", high: "ask" },
  full: { low: "run", medium: "run", high: "run" },
};

/**
 * Risk × autonomy:
 *
 * | level | low | medium | high, block_high_risk | high, not blocked |
 * |---|---|---|---|---|
 * | read_only | run | block | block | block |
 * | supervised | run | ask | block | ask |
 * | full | run | run | block | run |
 *
 * `auto_approve` turns ask into run, never block into run; `always_ask` turns run into ask. Where both mean the call the
 * one that names arguments counts, else `always_ask`.
 */
export function decide(input: DecisionInput): { readonly decision: Decision; readonly by: DecidingKey } {
  const { level, blockHighRisk, risk, autoApprove, alwaysAsk } = input;
  if (risk === "high" && blockHighRisk && level !== "read_only") return { decision: "block", by: "block_high_risk" };
  const decision = TABLE[level][risk];
  if (decision === "block") return { decision, by: "level" };
  const approves = autoApprove > 0 && (alwaysAsk === 0 || (autoApprove === 3 && alwaysAsk < 3));
  if (decision === "ask" && approves) return { decision: "run", by: "auto_approve" };
  if (decision === "run" && alwaysAsk > 0 && !approves) return { decision: "ask", by: "always_ask" };
  return { decision, by: "level" };
}

const ORDER: readonly Decision[] = ["run", "ask", "block"];

/** Whether `a` permits less than `b`. */
export function isStricter(a: Decision, b: Decision): boolean {
  return ORDER.indexOf(a) > ORDER.indexOf(b);
}
