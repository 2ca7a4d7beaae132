import type { RiskProfile } from "./risk-profile.ts";
import type { Spent } from "./spending.ts";

/** How long a limit of costs is for. */
export type CostPeriod = keyof Spent;

/** A limit of costs. */
export interface CostLimit {
  readonly period: CostPeriod;
  readonly key: "max_cost_per_day" | "max_cost_per_month";
  readonly max: number;
  /** That it belongs to. */
  readonly profile: RiskProfile;
}

const KEYS = { day: "max_cost_per_day", month: "max_cost_per_month" } as const;

/** The limits that hold: of several risk profiles the strictest of each kind. */
export function costLimits(profiles: readonly RiskProfile[]): readonly CostLimit[] {
  return (["day", "month"] as const).flatMap((period) => {
    const key = KEYS[period];
    const all = profiles.flatMap((profile) => {
      const max = profile.values[key];
      return max === "unlimited" ? [] : [{ period, key, max, profile }];
    });
    return all.length === 0 ? [] : [all.reduce((least, one) => (one.max < least.max ? one : least))];
  });
}

/** When the period is over, in milliseconds since 1970. */
export function periodEnd(period: CostPeriod, now: number): number {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return period === "month" ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, date.getUTCDate() + 1);
}
