import type { StandingApproval } from "../sdk/approval.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { RiskLevel } from "../sdk/tool.ts";
import { createCallPatterns, type Match } from "./call-pattern.ts";
import type { Policy } from "./ruling.ts";

/** A call that asks, as approvals see it. */
export interface AskedCall {
  /** The tool's id. */
  readonly tool: string;
  readonly method: string | undefined;
  readonly args: JsonObject;
  readonly hash: string;
  readonly modules: string;
  readonly risk: RiskLevel;
  readonly riskProfile: string;
  readonly session: string;
  readonly face: string;
  /** How exactly `always_ask` means it; 3 as well where what it holds, or what was read before it, made it ask. */
  readonly alwaysAsk: Match;
}

/**
 * Whether an approval that was given before is one for this call. It never is for a call of more risk, of another version
 * of the tool, under another risk profile or from another face than the one that was asked about. An approval of exactly
 * these arguments counts always; one of a pattern as an entry of `auto_approve` does: where `always_ask` means the call, it
 * has to name arguments, and `always_ask` must not.
 */
export function covers(approval: StandingApproval, call: AskedCall): boolean {
  const { tool, risk, scope } = approval;
  const isSame = SAME.every((key) => approval[key] === call[key]);
  if (!isSame || !isWithin(call.risk, risk)) return false;
  if (scope !== "pattern") return approval.session === call.session && approval.hash === call.hash;
  const entry = approval.args === undefined ? tool : { [tool]: approval.args };
  const match = createCallPatterns([entry]).match({ names: [tool], args: call.args }, { admits: true });
  return match > 0 && (call.alwaysAsk === 0 || (match === 3 && call.alwaysAsk < 3));
}

const SAME = ["tool", "method", "modules", "riskProfile", "face"] as const;

/** Whether a call of risk `level` is covered by what was approved for `highest`. */
export function isWithin(level: RiskLevel, highest: RiskLevel): boolean {
  return ORDER.indexOf(level) <= ORDER.indexOf(highest);
}

const ORDER: readonly RiskLevel[] = ["low", "medium", "high"];

/** How exactly `always_ask` of any risk profile of the agent means a call. */
export function alwaysAskMatch(
  call: { readonly names: readonly string[]; readonly args: JsonObject },
  { patterns }: Pick<Policy, "patterns">,
): Match {
  const matches = patterns.map(({ alwaysAsk }) => (alwaysAsk.empty ? 0 : alwaysAsk.match(call, { admits: false })));
  return Math.max(0, ...matches) as Match;
}
