import type { RiskProfile } from "../governance/risk-profile.ts";

/** What bounds an agent from above, and so those that work for it. */
export interface ToolLimits {
  /** Ids or aliases that whoever started the run or the call named; absent = all. */
  readonly allowed?: readonly string[] | undefined;
  /** What the agent profiles of those above have switched on and off, each as its `agent.yaml` says. */
  readonly above: readonly ToolSwitches[];
  /** The risk profiles of those above. */
  readonly profiles: readonly RiskProfile[];
  /** The conversation that it works in, whose calls count together; absent for whoever a person talks to. */
  readonly account?: string | undefined;
}

/** The tools that an agent profile switches on and off. */
export interface ToolSwitches {
  /** The agent profile. */
  readonly profile: string;
  /** Where it is not empty, nothing else. */
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

/** Of whoever a person talks to. */
export const NO_LIMITS: ToolLimits = Object.freeze({ above: Object.freeze([]), profiles: Object.freeze([]) });

/** Of a run or a call for which somebody named the tools. @param allowed ids or aliases; undefined = all */
export function limitedTo(allowed: readonly string[] | undefined): ToolLimits {
  return allowed ? { ...NO_LIMITS, allowed } : NO_LIMITS;
}
