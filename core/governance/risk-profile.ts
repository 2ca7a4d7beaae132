import type { Tightening } from "../discovery/plugin-states.ts";
import type { Profile } from "../discovery/profile.ts";
import {
  type AutonomyLevel,
  RISK_PROFILE_KEYS,
  type RiskProfileKey,
  type RiskProfileKeyName,
  type RiskProfileValues,
  TIGHTENING_KEYS,
} from "../discovery/risk-profile-keys.ts";
import type { Settings } from "../discovery/settings.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";

/** A risk profile as it holds for one agent profile in one project. */
export interface RiskProfile {
  /** As the settings name it. */
  readonly name: string;
  /** Each key with its value: of the project's settings over the root's over the defaults, with what plugins forbid. */
  readonly values: RiskProfileValues;
  /** Where each value comes from, the highest first: display paths of files; empty for a default. */
  readonly origins: { readonly [Key in RiskProfileKeyName]: readonly string[] };
  /**
   * Why it cannot be known what the profile forbids, with its file: a key that is none, settings that do not parse, an
   * agent whose definition is broken. As long as that is so its level is `read_only`, whatever it says.
   */
  readonly fault: string | undefined;
}

/** What a risk profile is made of. */
export interface RiskProfileSources {
  readonly profile: Pick<Profile, "id" | "riskProfile" | "faulty">;
  readonly settings: Pick<Settings, "get" | "sources">;
  readonly tightenings: readonly Tightening[];
}

/** The level of a risk profile with a fault. */
const FAULTY: AutonomyLevel = "read_only";

const NAMES = Object.keys(RISK_PROFILE_KEYS) as readonly RiskProfileKeyName[];

/** The risk profile of an agent profile. */
export function riskProfileOf({ profile, settings, tightenings }: RiskProfileSources): RiskProfile {
  const { riskProfile: name } = profile;
  const written = settings.get(`risk_profiles.${name}`) as JsonObject | undefined;
  const values: Record<string, Json> = {};
  const origins: Record<string, readonly string[]> = {};
  for (const key of NAMES) {
    const row: RiskProfileKey<Json> = RISK_PROFILE_KEYS[key] as RiskProfileKey<never>;
    const found = written?.[key];
    values[key] = found === undefined ? row.default : row.read ? row.read(found) : found;
    origins[key] = found === undefined ? [] : [originOf(settings, { name, key })];
  }
  for (const { file, policy } of tightenings) {
    for (const key of TIGHTENING_KEYS) {
      const added = policy[key];
      if (!added || added.length === 0) continue;
      values[key] = RISK_PROFILE_KEYS[key].narrow(values[key] as readonly Json[], added);
      origins[key] = [...(origins[key] ?? []), file];
    }
  }
  const fault = faultOf(profile, settings);
  if (fault) {
    values.level = FAULTY;
    origins.level = fault.files;
  }
  return {
    name,
    values: Object.freeze(values) as RiskProfileValues,
    origins: origins as RiskProfile["origins"],
    fault: fault?.words,
  };
}

/** Of two sets of values the ones that permit no more than either, key by key. */
export function narrowed(own: RiskProfileValues, above: RiskProfileValues): RiskProfileValues {
  const values: Record<string, Json> = {};
  for (const key of NAMES) {
    const row: RiskProfileKey<Json> = RISK_PROFILE_KEYS[key] as RiskProfileKey<never>;
    values[key] = row.narrow(own[key], above[key]);
  }
  return Object.freeze(values) as RiskProfileValues;
}

/** A setting as denials name it, with the files that say it. */
export function settingOf(
  { name, values, origins, fault }: Pick<RiskProfile, "name" | "values" | "origins" | "fault">,
  key: RiskProfileKeyName,
): string {
  if (key !== "level") return `${key} of risk profile ${name} (${origins[key].join(", ") || "its default"})`;
  const why =
    fault === undefined ? origins.level.join(", ") || "its default" : `as long as there is an error in ${fault}`;
  return `level ${values.level} of risk profile ${name} (${why})`;
}

function originOf({ sources }: Pick<Settings, "sources">, { name, key }: { name: string; key: string }): string {
  const source = sources.find(({ values }) => {
    const profiles = values.risk_profiles as { readonly [name: string]: JsonObject } | undefined;
    return profiles !== undefined && Object.hasOwn(profiles, name) && Object.hasOwn(profiles[name] ?? {}, key);
  });
  return source?.file ?? "settings";
}

interface Fault {
  readonly files: readonly string[];
  readonly words: string;
}

function faultOf(
  { id, riskProfile, faulty }: RiskProfileSources["profile"],
  { sources }: Pick<Settings, "sources">,
): Fault | undefined {
  for (const { file, faults } of sources) {
    const found = faults.find(({ profile }) => profile === null || profile === riskProfile);
    if (found) return { files: [file], words: `${file}: ${found.fault}` };
  }
  if (!faulty) return undefined;
  return { files: [], words: `the definition of agent profile ${id}, so its risk profile is not known` };
}
