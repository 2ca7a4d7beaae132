import type { JsonObject } from "../sdk/result.ts";
import type { CallRisk } from "./call-risk.ts";
import { leakIn } from "./leaks.ts";
import type { RiskProfile } from "./risk-profile.ts";
import type { Policy, Ruling } from "./ruling.ts";

/** A call whose arguments leave the machine. */
export interface SendingCall {
  readonly args: JsonObject;
  /** The arguments that do. */
  readonly sends: readonly string[];
}

/**
 * The leak guard: a call that would send what looks like a secret asks, or is blocked, as `leak_guard` says. The value is
 * named nowhere.
 */
export function raisedByLeaks(ruling: Ruling, { args, sends }: SendingCall, { profiles }: Policy): Ruling {
  if (sends.length === 0 || ruling.decision === "block") return ruling;
  const profile = strictest(profiles);
  if (profile.values.leak_guard === "off") return ruling;
  const found = sends.flatMap((name) => {
    const kind = Object.hasOwn(args, name) ? leakInside(args[name]) : undefined;
    return kind === undefined ? [] : [`the argument ${name} holds what looks like ${kind}, and leaves the machine`];
  });
  if (found.length === 0) return ruling;
  const risk = withReasons(ruling.risk, found);
  if (profile.values.leak_guard === "block")
    return { decision: "block", risk, by: "leak_guard", profile, raised: found };
  return ruling.decision === "ask"
    ? { ...ruling, risk, raised: found }
    : { decision: "ask", risk, by: "leak_guard", profile, raised: found };
}

/** What runs at medium risk or above asks where text from outside may have asked for it. @param by who brought the text */
export function raisedByTaint(ruling: Ruling, by: string, { profiles }: Policy): Ruling {
  if (ruling.decision === "block" || ruling.risk.level === "low") return ruling;
  const profile = profiles.find(({ values }) => values.ask_after_untrusted);
  if (!profile) return ruling;
  const reason = `the turn has read text from outside, which ${by} brought`;
  const risk = withReasons(ruling.risk, [reason]);
  // What asks already asks for its own reason; what was allowed before is asked about again.
  if (ruling.decision === "ask") return { ...ruling, risk, raised: [...(ruling.raised ?? []), reason] };
  return { decision: "ask", risk, by: "ask_after_untrusted", profile, raised: [reason] };
}

const ORDER = ["off", "ask", "block"] as const;

function strictest(profiles: readonly RiskProfile[]): RiskProfile {
  return profiles.reduce((a, b) => (ORDER.indexOf(b.values.leak_guard) > ORDER.indexOf(a.values.leak_guard) ? b : a));
}

function withReasons(risk: CallRisk, reasons: readonly string[]): CallRisk {
  return { ...risk, reasons: [...risk.reasons, ...reasons] };
}

/** Texts and keys at any depth. */
function leakInside(value: unknown): string | undefined {
  if (typeof value === "string") return leakIn(value);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const kind = typeof item === "string" && !Array.isArray(value) ? leakIn(`${key}=${item}`) : leakInside(item);
    if (kind !== undefined) return kind;
  }
  return undefined;
}
