import type { Tightening } from "../../core/discovery/plugin-states.ts";
import { type RiskProfile, riskProfileOf } from "../../core/governance/risk-profile.ts";
import type { Json } from "../../core/sdk/json.ts";

/** The risk profile `default` with these values in its file. */
export function riskProfile(
  written: Readonly<Record<string, Json>>,
  fault?: string,
  tightenings: readonly Tightening[] = [],
): RiskProfile {
  const file = "usr/settings.yaml";
  const values = { risk_profiles: { default: written } };
  const faults = fault === undefined ? [] : [{ profile: null, fault, hides: false }];
  return riskProfileOf({
    profile: { id: "p", riskProfile: "default", faulty: false, riskUnknown: false },
    settings: {
      get: (key) => (key === "risk_profiles.default" ? written : undefined),
      sources: [{ file, values, faults }],
    },
    tightenings,
  });
}
