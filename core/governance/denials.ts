import type { CallErrorCode, ToolError } from "../sdk/errors.ts";
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
  /** The argument that is at fault. */
  readonly pointer?: string;
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
  if (rule === "denied_tools" && profile.closed) {
    const message = `${tool} may not be called: it is not known what risk profile ${profile.name} denies, as long as there is an error in ${profile.fault}`;
    return { code, rule, setting, message, hint: "Say so. A person who wants it allowed mends that error." };
  }
  const [does, change] =
    rule === "allowed_tools" ? ["does not name it", "adds it there"] : ["names it", "takes it out there"];
  const message = `${tool} may not be called${rule === "excluded_tools" ? " from here" : ""}: ${setting} ${does}`;
  return { code, rule, setting, message, hint: `Use another tool. A person who wants it allowed ${change}.` };
}

/** A call that the table of risk and autonomy blocks, or the tool itself. */
export function blockedByRuling(tool: string, ruling: Ruling): Denial {
  const { by, risk } = ruling;
  if (risk.refusal) return refusedItself(tool, ruling, risk.refusal);
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
  if (by === "leak_guard") {
    const message = `${tool} may not be called: ${wordsOfRaise(ruling)}, which is blocked by ${setting}`;
    return { code, rule: by, setting, message, hint: "Send it without that." };
  }
  const message = `${tool} may not be called: the risk of this call is ${risk.level} (${risk.reasons.join("; ")}), which is blocked by ${setting}`;
  const change =
    by === "block_high_risk"
      ? "sets block_high_risk: false there"
      : ruling.profile.fault === undefined
        ? "chooses another level there"
        : "mends that error";
  return { code, rule: by, setting, message, hint: `Use another way. A person who wants it allowed ${change}.` };
}

/** A call that could not do what it is asked for: its own error, before anybody is asked. */
function refusedItself(tool: string, ruling: Ruling, { code, message, details }: ToolError): Denial {
  const { pointer, hint = "Mend the arguments." } = details;
  const setting = settingOfRuling(tool, ruling);
  return { code, rule: ruling.by, setting, message, hint, ...(pointer === undefined ? {} : { pointer }) };
}

/** The setting that decides, with its value where that says something. */
export function settingOfRuling(tool: string, { by, profile }: Pick<Ruling, "by" | "profile">): string {
  if (by === "deny") return `the tool ${tool} itself, under every setting`;
  if (by === "refusal") return "the call itself, whoever lets it run";
  return settingOf(profile, by);
}

function wordsOfRaise({ raised = [] }: Ruling): string {
  return raised.join("; ");
}

/** What the call holds, or what was read before it, made it ask. */
function isRaised({ by }: Ruling): boolean {
  return by === "leak_guard" || by === "ask_after_untrusted";
}

/** A call that asks, where nobody can be asked. @param trouble why whoever could be asked gave no decision */
export function nobodyToAsk(tool: string, ruling: Ruling, trouble?: string): Denial {
  const { by, profile } = ruling;
  const setting = settingOfRuling(tool, ruling);
  const found = trouble === undefined ? "there is nobody to ask" : `there is no decision: ${trouble}`;
  const message = `${tool} was not run: ${whyAsked(tool, ruling)}, and ${found}`;
  const off = by === "leak_guard" ? "off" : "false";
  const change = isRaised(ruling)
    ? `with \`${by}: ${off}\` under risk_profiles.${profile.name} in usr/settings.yaml`
    : by === "always_ask"
      ? `by taking it out of always_ask of risk profile ${profile.name}`
      : `with \`auto_approve: [${tool}]\` under risk_profiles.${profile.name} in usr/settings.yaml`;
  const asked = "or is asked at a terminal (`toolroom chat`) and allows it for a time; `toolroom approvals` lists that";
  return {
    code: "NO_APPROVER",
    rule: by,
    setting,
    message,
    hint: `${insteadOf(by)}A person allows it ${change}, ${asked}.`,
  };
}

/** What to do without a person, where that is known. */
function insteadOf(by: Ruling["by"]): string {
  if (by === "leak_guard") return "Send it without that. ";
  return by === "ask_after_untrusted" ? "Do it before such a text is read, or in another turn. " : "";
}

/** Why a call does not run by itself: its risk where that counts, and the setting. */
function whyAsked(tool: string, ruling: Ruling): string {
  const { by, risk } = ruling;
  if (isRaised(ruling)) return `${wordsOfRaise(ruling)}; ${settingOfRuling(tool, ruling)} asks a person first`;
  const why = by === "always_ask" ? "" : `the risk of this call is ${risk.level} (${risk.reasons.join("; ")}), and `;
  return `${why}${settingOfRuling(tool, ruling)} asks a person first`;
}

/** A person said no. @param why in his words */
export function deniedByPerson(tool: string, ruling: Ruling, why: string | undefined): Denial {
  const said = why === undefined ? "" : `: ${why}`;
  return {
    code: "DENIED_BY_PERSON",
    rule: ruling.by,
    setting: settingOfRuling(tool, ruling),
    message: `${tool} was not run: a person was asked and said no${said}`,
    hint: "Do not ask for the same call again; it is denied for the rest of this turn. Ask what is wanted instead.",
  };
}

/** Nobody answered in time. */
export function approvalExpired(tool: string, ruling: Ruling, ms: number): Denial {
  return {
    code: "APPROVAL_EXPIRED",
    rule: ruling.by,
    setting: settingOfRuling(tool, ruling),
    message: `${tool} was not run: a person was asked, and did not answer within ${ms / 1000} s (approval_timeout_ms of risk profile ${ruling.profile.name})`,
    hint: "Nobody has said no. Go on without it, or say that it waits for a person.",
  };
}

/** The answer was about another call. */
export function approvedAnother(tool: string, ruling: Ruling): Denial {
  return {
    code: "APPROVAL_MISMATCH",
    rule: ruling.by,
    setting: settingOfRuling(tool, ruling),
    message: `${tool} was not run: what was approved is another call than the one that would run`,
    hint: "Ask for it once more; a person is asked anew.",
  };
}
