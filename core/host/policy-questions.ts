import type { Diagnostic } from "../diagnostics.ts";
import type { Decision } from "../governance/decide.ts";
import { blockedByRuling, settingOfRuling } from "../governance/denials.ts";
import type { Masker } from "../governance/mask.ts";
import type { EffectiveSandbox, Processes } from "../processes/processes.ts";
import { type CallErrorCode, ToolError } from "../sdk/errors.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { RiskLevel } from "../sdk/tool.ts";
import type { Caller, ProfileLease } from "./calls.ts";
import { rulingFor } from "./gate.ts";
import { limitedTo } from "./limits.ts";
import { type PolicyCase, readPolicyCases } from "./policy-cases.ts";
import { unknownNames } from "./policy-names.ts";
import { sandboxOf } from "./process-access.ts";

/** Who would call. */
export interface PolicyQuestionOptions {
  /** Default: the host's profile. */
  readonly profile?: string;
  /** Where the call would come from. Default: the host's face. */
  readonly face?: string;
  /** Ids or aliases that may be called; absent = all. */
  readonly allowedTools?: readonly string[];
}

/** What the policy says of a call. */
export interface PolicyAnswer {
  /** The tool's id. */
  readonly tool: string;
  readonly risk: { readonly level: RiskLevel; readonly reasons: readonly string[] };
  /** Of lists, risk and autonomy, whether or not there is somebody to ask. */
  readonly decision: Decision;
  /** What a blocked call ends with; null for any other. */
  readonly code: CallErrorCode | null;
  /** A key of the risk profile, or the rule that somebody else named. */
  readonly rule: string;
  /** The setting, with its risk profile and file where it has them. */
  readonly setting: string;
}

/** A risk profile with where its values come from. */
export interface ShownPolicy {
  /** The agent profile. */
  readonly profile: string;
  readonly riskProfile: string;
  /** Why the level is `read_only`, and with a fault that may hide what is denied everything is, whatever it says; null where all is well. */
  readonly fault: string | null;
  /** In the order of the reference page; `from` holds the files that say the value, none for a default. */
  readonly settings: readonly { readonly key: string; readonly value: Json; readonly from: readonly string[] }[];
  /** What keeps in the programs that tools run. */
  readonly sandbox: EffectiveSandbox;
  /** Names that no tool of the agent profile has. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What became of one row of a table of decisions. */
export interface PolicyCaseResult {
  /** 1-based, in the file. */
  readonly line: number;
  readonly tool: string;
  /** What the row expects. */
  readonly expected: PolicyCase["expected"];
  /** What the policy says; null where there is no such call, see `error`. */
  readonly found: PolicyAnswer | null;
  readonly error: string | null;
  readonly ok: boolean;
}

/** Asks the policy, without running anything. */
export interface HostPolicy {
  /**
   * What would become of a call, and why. Asks nobody. Loads the tool, and asks its own risk function.
   * @param args absent: none are given, then they are not validated; as text they must be JSON
   * @throws ToolError UNKNOWN_TOOL, TOOL_LOAD_FAILED, INVALID_JSON, INVALID_PARAM; HostError PROFILE_UNKNOWN, PROFILE_DISABLED
   */
  why(name: string, args?: JsonObject | string, options?: PolicyQuestionOptions): Promise<PolicyAnswer>;
  /**
   * Compares a table of calls and decisions with what the policy says: a YAML file, see the reference page.
   * @throws HostError POLICY_TEST_INVALID
   */
  test(file: string): Promise<readonly PolicyCaseResult[]>;
  /** The risk profile of an agent profile. @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED */
  show(options?: Pick<PolicyQuestionOptions, "profile">): Promise<ShownPolicy>;
}

/** @param caller of the host @param processes of the host */
export function createPolicyQuestions(
  caller: Pick<Caller, "lease" | "authority" | "weigh" | "settle">,
  processes: Pick<Processes, "sandboxFor">,
): HostPolicy {
  const on = async <T>(profile: string | undefined, work: (lease: ProfileLease) => Promise<T>): Promise<T> => {
    const lease = caller.lease(profile);
    try {
      const done = await work(lease);
      await caller.settle();
      return done;
    } finally {
      lease.release();
    }
  };
  const why: HostPolicy["why"] = async (name, args, { profile, face, allowedTools } = {}) =>
    await on(profile, async (lease) => {
      const limits = limitedTo(allowedTools);
      const authority = await caller.authority(lease, { limits, ...(face === undefined ? {} : { face }) });
      const weighed = await caller.weigh(lease, authority, { name, args });
      const { tool, risk } = weighed;
      const listed = authority.refusal(tool.id);
      const ruling = rulingFor(weighed, authority, risk);
      const { decision } = ruling;
      const { level, reasons } = ruling.risk;
      const about = { tool: tool.id, risk: { level, reasons } };
      const denial = listed ?? (decision === "block" ? blockedByRuling(tool.id, ruling) : undefined);
      if (denial) return { ...about, decision: "block", code: denial.code, rule: denial.rule, setting: denial.setting };
      return { ...about, decision, code: null, rule: ruling.by, setting: settingOfRuling(tool.id, ruling) };
    });
  return {
    why,
    async test(file) {
      const results: PolicyCaseResult[] = [];
      for (const one of readPolicyCases(file)) results.push(await resultOf(one, why));
      return results;
    },
    show: async ({ profile } = {}) =>
      await on(profile, async (lease) => {
        const { policy } = await caller.authority(lease);
        const [own] = policy.profiles;
        if (!own) throw new ToolError("INTERNAL_ERROR", "a policy has no risk profile");
        const { name, values, origins, fault } = own;
        const keys = Object.keys(values) as (keyof typeof values)[];
        return {
          profile: lease.registry.view.profile.id,
          riskProfile: name,
          fault: fault ?? null,
          // As files say that there is no such list.
          settings: keys.map((key) => ({ key, value: (values[key] as Json) ?? [], from: origins[key] })),
          sandbox: await sandboxOf(processes, policy),
          diagnostics: unknownNames(own, lease.registry),
        };
      }),
  };
}

/** Reasons are a tool's own words. */
export function maskedPolicy(policy: HostPolicy, { maskJson }: Pick<Masker, "maskJson">): HostPolicy {
  return {
    why: async (...asked) => maskJson(await policy.why(...asked)),
    test: async (file) => maskJson(await policy.test(file)),
    show: async (asked) => maskJson(await policy.show(asked)),
  };
}

async function resultOf(
  { line, tool, args, options, expected }: PolicyCase,
  why: HostPolicy["why"],
): Promise<PolicyCaseResult> {
  const about = { line, tool, expected };
  try {
    const found = await why(tool, args, options);
    const ok = (["decision", "code", "rule"] as const).every(
      (key) => expected[key] === undefined || expected[key] === found[key],
    );
    return { ...about, found, error: null, ok };
  } catch (error) {
    return { ...about, found: null, error: error instanceof Error ? error.message : String(error), ok: false };
  }
}
