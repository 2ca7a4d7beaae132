import type { CallErrorCode } from "../sdk/errors.ts";
import type { JsonObject } from "../sdk/result.ts";
import { settingOf } from "./risk-profile.ts";
import type { Ruling } from "./ruling.ts";
import type { ListRefusal } from "./tool-lists.ts";

/** Why a call may not run: what refuses it, and what would let it run. */
export interface Denial {
  readonly code: CallErrorCode;
  /** A key of the risk profile, or the rule that somebody else named. */
  readonly rule: string;
  /** The setting, with its risk profile and file where it has them. */
  readonly setting: string;
  readonly message: string;
  readonly hint: string;
  /** Default: what the code says. */
  readonly retryable?: boolean;
  /** For programs: how much is left, when the next try is possible. */
  readonly data?: JsonObject;
}

/** A tool that a list leaves out. */
export function deniedByList(tool: string, refusal: ListRefusal): Denial {
  const code = "DENIED_BY_POLICY";
  if (refusal.rule === "allowedTools") {
    const { rule } = refusal;
    const setting = "allowedTools of the call";
    const message = `${tool} is not among the tools that this call may use: ${setting} does not name it`;
    return { code, rule, setting, message, hint: "Use another tool." };
  }
  const { rule, profile } = refusal;
  const setting = settingOf(profile, rule);
  const [does, change] =
    rule === "allowed_tools" ? ["does not name it", "adds it there"] : ["names it", "takes it out there"];
  const message = `${tool} may not be called${rule === "excluded_tools" ? " from here" : ""}: ${setting} ${does}`;
  return { code, rule, setting, message, hint: `Use another tool. A person who wants it allowed ${change}.` };
}

/** A call that the table of risk and autonomy blocks, or the tool itself. */
export function blockedByRuling(tool: string, ruling: Ruling): Denial {
  const { by, risk } = ruling;
  const code = "DENIED_BY_POLICY";
  if (by === "deny" && risk.deny) {
    const { rule, message } = risk.deny;
    const setting = `the tool ${tool} itself, under every setting`;
    return {
      code,
      rule,
      setting,
      message: `${message} (rule ${rule} of ${tool})`,
      hint: "Do not try to get around it.",
    };
  }
  const setting = settingOfRuling(tool, ruling);
  const message = `${tool} may not be called: the risk of this call is ${risk.level} (${risk.reasons.join("; ")}), which is blocked by ${setting}`;
  const change =
    by === "block_high_risk"
      ? "sets block_high_risk: false there"
      : ruling.profile.fault === undefined
        ? "chooses another level there"
        : "mends that error";
  return { code, rule: by, setting, message, hint: `Use another way. A person who wants it allowed ${change}.` };
}

/** The setting that decides, with its value where that says something. */
export function settingOfRuling(tool: string, { by, profile }: Pick<Ruling, "by" | "profile">): string {
  if (by === "deny") return `the tool ${tool} itself, under every setting`;
  return settingOf(profile, by);
}

/** A call that asks, where nobody can be asked. */
export function nobodyToAsk(tool: string, ruling: Ruling): Denial {
  const { risk, by, profile } = ruling;
  const setting = settingOfRuling(tool, ruling);
  const why = by === "always_ask" ? "" : `the risk of this call is ${risk.level} (${risk.reasons.join("; ")}), and `;
  const message = `${tool} was not run: ${why}${setting} asks a person first, and there is nobody to ask`;
  const hint =
    by === "always_ask"
      ? `A person allows it by taking it out of always_ask of risk profile ${profile.name}.`
      : `A person allows it with \`auto_approve: [${tool}]\` under risk_profiles.${profile.name} in usr/settings.yaml.`;
  return { code: "NO_APPROVER", rule: by, setting, message, hint };
}
