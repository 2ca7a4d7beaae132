import type { Settings } from "../discovery/settings.ts";
import type { BreakerSettings } from "../governance/circuit-breaker.ts";
import { numberSetting } from "./setting-values.ts";

/** What settings say of the calls of a registry. */
export interface LimitSettings {
  readonly breaker: BreakerSettings;
  /** Infinity: no limit. */
  readonly maxConcurrent: number;
}

/** Read once for a registry. */
export function limitSettings(settings: Settings): LimitSettings {
  return {
    breaker: {
      failures: numberSetting(settings, "tools.breakerFailures", 3),
      restMs: numberSetting(settings, "tools.breakerRestMs", 300_000),
    },
    maxConcurrent: numberSetting(settings, "tools.maxConcurrent", Number.POSITIVE_INFINITY),
  };
}
