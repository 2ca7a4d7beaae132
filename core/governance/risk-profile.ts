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
  /** The fault may hide what the profile keeps from running: then it denies all tools, but those that answer. */
  readonly closed: boolean;
}

/** What a risk profile is made of. */
export interface RiskProfileSources {
  readonly profile: Pick<Profile, "id" | "riskProfile" | "faulty" | "riskUnknown">;
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
  if (fault?.hides) {
    values.denied_tools = [...(values.denied_tools as readonly Json[]), "*"];
    origins.denied_tools = fault.files;
  }
  return {
    name,
    values: Object.freeze(values) as RiskProfileValues,
    origins: origins as RiskProfile["origins"],
    fault: fault?.words,
    closed: fault?.hides === true,
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
  { name, values, origins, fault, closed }: Pick<RiskProfile, "name" | "values" | "origins" | "fault" | "closed">,
  key: RiskProfileKeyName,
): string {
  const isFaulty = key === "level" ? fault !== undefined : key === "denied_tools" && closed;
  const why = isFaulty ? `as long as there is an error in ${fault}` : origins[key].join(", ") || "its default";
  return `${key}${key === "level" ? ` ${values.level}` : ""} of risk profile ${name} (${why})`;
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
  /** It may hide what is denied. */
  readonly hides: boolean;
}

/** The worst of the faults, of those as bad the first. */
function faultOf(
  { id, riskProfile, faulty, riskUnknown }: RiskProfileSources["profile"],
  { sources }: Pick<Settings, "sources">,
): Fault | undefined {
  const found = sources.flatMap(({ file, faults }): readonly Fault[] =>
    faults
      .filter(({ profile }) => profile === null || profile === riskProfile)
      .map(({ fault, hides }) => ({ files: [file], words: `${file}: ${fault}`, hides })),
  );
  const of = `the definition of agent profile ${id}`;
  if (riskUnknown) found.push({ files: [], words: `${of}, so its risk profile is not known`, hides: true });
  else if (faulty) found.push({ files: [], words: of, hides: false });
  return found.find(({ hides }) => hides) ?? found[0];
}
