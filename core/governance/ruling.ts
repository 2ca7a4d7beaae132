import type { JsonObject } from "../sdk/result.ts";
import type { ToolRole } from "../sdk/tool.ts";
import { type CallPatterns, createCallPatterns, type Match } from "./call-pattern.ts";
import type { CallRisk } from "./call-risk.ts";
import { type DecidingKey, type Decision, decide, isStricter } from "./decide.ts";
import { narrowed, type RiskProfile } from "./risk-profile.ts";

/** What holds for the calls of one agent. */
export interface Policy {
  /** The risk profile of the agent, then those of its superiors: the strictest answer of all of them counts. */
  readonly profiles: readonly RiskProfile[];
  /** Their values together, each as strict as the strictest: what risk functions see. */
  readonly values: JsonObject;
  /** The lists of each profile, prepared. */
  readonly patterns: readonly { readonly autoApprove: CallPatterns; readonly alwaysAsk: CallPatterns }[];
}

/** A decision about one call, and what it hangs on. */
export interface Ruling {
  readonly decision: Decision;
  readonly risk: CallRisk;
  /** The setting that decides; `deny` where the tool's own risk function forbids the call, `refusal` where it could not do what it is asked for. */
  readonly by: DecidingKey | RaisingKey | "deny" | "refusal";
  /** The risk profile that decides. */
  readonly profile: RiskProfile;
  /** What made the decision stricter than risk and autonomy alone, or would have. Among the reasons of the risk as well. */
  readonly raised?: readonly string[];
}

/** Settings that make a decision stricter, besides those of the table. */
export type RaisingKey = "ask_after_untrusted" | "leak_guard";

/** A call whose risk is known. */
export interface RatedCall {
  /** The tool's id, then its aliases. */
  readonly names: readonly string[];
  readonly args: JsonObject;
  readonly role: ToolRole | undefined;
  readonly risk: CallRisk;
}

/** @param superiors risk profiles of which this one must not permit more than any */
export function createPolicy(own: RiskProfile, superiors: readonly RiskProfile[] = []): Policy {
  const profiles = [...new Set([own, ...superiors])];
  return {
    profiles,
    values: profiles.map(({ values }) => values).reduce(narrowed) as unknown as JsonObject,
    patterns: profiles.map(({ values }) => ({
      autoApprove: createCallPatterns(values.auto_approve),
      alwaysAsk: createCallPatterns(values.always_ask),
    })),
  };
}

/** Decides about a call that no list leaves out: the strictest of what its risk profiles say. */
export function ruleOn(call: RatedCall, policy: Policy): Ruling {
  const { profiles } = policy;
  let strictest = rulingOf(call, policy, 0);
  for (let index = 1; index < profiles.length; index++) {
    const next = rulingOf(call, policy, index);
    if (isStricter(next.decision, strictest.decision)) strictest = next;
  }
  const { refusal, deny } = call.risk;
  if (refusal) return { ...strictest, decision: "block", by: "refusal" };
  return deny ? { ...strictest, decision: "block", by: "deny" } : strictest;
}

function rulingOf(call: RatedCall, { profiles, patterns }: Policy, index: number): Ruling {
  const profile = profiles[index] as RiskProfile;
  const { autoApprove, alwaysAsk } = patterns[index] as Policy["patterns"][number];
  const { risk } = call;
  const { decision, by } = decide({
    level: profile.values.level,
    blockHighRisk: profile.values.block_high_risk,
    risk: risk.level,
    autoApprove: matchOf(call, autoApprove, true),
    alwaysAsk: matchOf(call, alwaysAsk, false),
  });
  return { decision, risk, by, profile };
}

function matchOf(call: RatedCall, list: CallPatterns, admits: boolean): Match {
  if (list.empty) return 0;
  const match = list.match(call, { admits });
  // An agent has to be able to answer: that is not meant by "everything".
  return match === 1 && call.role !== undefined ? 0 : match;
}
