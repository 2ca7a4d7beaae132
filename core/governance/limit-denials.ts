import { type ActionLimit, type UsedUp, WINDOW_MS } from "./action-window.ts";
import type { OpenCircuit } from "./circuit-breaker.ts";
import { type CostLimit, periodEnd } from "./cost-limits.ts";
import type { Denial } from "./denials.ts";
import { type RiskProfile, settingOf } from "./risk-profile.ts";
import type { Spent } from "./spending.ts";

/** A limit of calls, and where it stands. */
export interface NamedActionLimit extends ActionLimit {
  readonly rule: "max_actions_per_hour" | "max_tool_actions_per_hour";
  /** For a limit of one tool: as the setting names it. */
  readonly entry?: string;
  readonly profile: RiskProfile;
}

/** A call that a limit of calls has no room for. */
export function actionsUsedUp(tool: string, { limit, used, nextAt }: UsedUp<NamedActionLimit>, now: number): Denial {
  const { rule, max, entry, profile } = limit;
  const setting = settingOf(profile, rule);
  const told = `${entry === undefined ? "" : `${entry}: `}${max} in ${setting}`;
  const data = { limit: max, used, left: 0, windowMs: WINDOW_MS, ...retryOf(nextAt, now) };
  const about = { code: "RATE_LIMITED", rule, setting, data, retryable: nextAt !== undefined } as const;
  if (nextAt === undefined) {
    const message = `${tool} was not run: no calls are allowed, by ${told}`;
    return { ...about, message, hint: "Do without. A person who wants calls raises it, or sets it to unlimited." };
  }
  const message = `${tool} was not run: ${used} calls of this conversation in the last hour, none left of ${told}; the next one is possible ${whenText(nextAt, now)}`;
  return {
    ...about,
    message,
    hint: "Do without until then. A person who wants more raises it, or sets it to unlimited.",
  };
}

/** A tool that rests. */
export function circuitOpen(
  tool: string,
  { failures, code, nextAt }: OpenCircuit,
  { restMs, now }: { readonly restMs: number; readonly now: number },
): Denial {
  const setting = `tools.breakerRestMs ${restMs}`;
  const times = failures === 1 ? "its last call" : `its last ${failures} calls`;
  const next =
    nextAt === undefined
      ? "one call is trying it now, wait for that"
      : `the next try is possible ${whenText(nextAt, now)}`;
  return {
    code: "CIRCUIT_OPEN",
    rule: "circuit breaker",
    setting,
    message: `${tool} was not run: it rests, because ${times} failed with ${code}; ${next} (setting ${setting})`,
    hint: "Use another way until then. Saving the tool's file tries it at once.",
    data: { failures, lastCode: code, ...retryOf(nextAt, now) },
  };
}

/** A limit of costs that is reached. @param what was not done, such as `shell was not run` */
export function costReached(what: string, { period, max, key, profile }: CostLimit, spent: Spent, now: number): Denial {
  const setting = settingOf(profile, key);
  const end = periodEnd(period, now);
  const message = `${what}: ${amount(spent[period])} of ${max} for the ${period} are spent on models, by ${setting}; the ${period} is over ${whenText(end, now)}`;
  return {
    code: "RATE_LIMITED",
    rule: key,
    setting,
    message,
    hint: "A person who wants more raises it, or sets it to unlimited.",
    data: { spent: spent[period], limit: max, left: Math.max(0, max - spent[period]), period, ...retryOf(end, now) },
  };
}

/** What was spent cannot be known, so nobody knows whether the limit is reached. */
export function costUnknown(what: string, { key, profile }: CostLimit, fault: string): Denial {
  const setting = settingOf(profile, key);
  return {
    code: "RATE_LIMITED",
    rule: key,
    setting,
    message: `${what}: what was spent on models cannot be read (${fault}), and ${setting} limits it`,
    hint: "A person makes the file readable.",
    retryable: false,
  };
}

/** An amount of money as it is told. */
export function amount(value: number): string {
  return String(Number(value.toFixed(value < 1 ? 4 : 2)));
}

function retryOf(at: number | undefined, now: number) {
  return at === undefined
    ? {}
    : { retryAt: new Date(at).toISOString(), retryAfterMs: Math.max(0, Math.ceil(at - now)) };
}

function whenText(at: number, now: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  return `at ${time} UTC, in ${Math.max(1, Math.ceil((at - now) / 1_000))} s`;
}
