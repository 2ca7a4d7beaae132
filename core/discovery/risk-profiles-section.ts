import { type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import { nearest } from "../sdk/nearest.ts";
import type { JsonObject } from "../sdk/result.ts";
import { checkFields, describe, isMapping } from "./fields.ts";
import {
  isRiskProfileKey,
  RISK_PROFILE_KEYS,
  type RiskProfileKey,
  type RiskProfileKeyName,
} from "./risk-profile-keys.ts";
import type { YamlDocument } from "./yaml.ts";

/** What cannot be known of a risk profile, and so must not be taken for its default. */
export interface RiskProfileFault {
  /** null: of none of them. */
  readonly profile: string | null;
  /** With the line, where there is one. */
  readonly fault: string;
  /** What is wrong may have been meant to keep tools from being called, or to ask first: a key that is none, a list. */
  readonly hides: boolean;
}

/** The section as far as it is sound. */
export interface CheckedRiskProfiles {
  /** Empty where the file has no such section. */
  readonly values: { readonly risk_profiles?: JsonObject };
  readonly faults: readonly RiskProfileFault[];
  readonly diagnostics: readonly Diagnostic[];
}

const SECTION = "risk_profiles";

/** Checks the section `risk_profiles` of a settings file: a key that is not known is an error there. */
export function checkRiskProfiles(document: YamlDocument, file: string): CheckedRiskProfiles {
  const { value } = document;
  const section = isMapping(value) ? value[SECTION] : undefined;
  const faults: RiskProfileFault[] = [];
  const diagnostics: Diagnostic[] = [];
  const refuse = (profile: string | null, found: readonly Diagnostic[], hides = true): void => {
    for (const item of found) {
      diagnostics.push({ ...item, severity: "error" });
      faults.push({ profile, fault: `line ${item.line}: ${item.message}${item.hint ? `. ${item.hint}` : ""}`, hides });
    }
  };
  const mistake = (path: readonly string[], expected: string, found: Json): Diagnostic => {
    const message = `${path.join(".")}: expected ${expected}, found ${describe(found)}`;
    return diagnostic("SETTINGS_INVALID", { file, ...document.position(path), message });
  };
  // It is told already.
  if (value !== null && !isMapping(value)) {
    faults.push({ profile: null, fault: "it is no mapping of keys to values", hides: true });
  }
  for (const key of slipsOf(value)) {
    const message = `${key} is not a key that the host knows; it has no effect`;
    const place = { file, ...document.position([key]) };
    refuse(null, [diagnostic("SETTINGS_UNKNOWN_KEY", { ...place, message, hint: `Did you mean ${SECTION}?` })]);
  }
  if (section === undefined) return { values: {}, faults, diagnostics };
  if (section === null) return { values: { [SECTION]: {} }, faults, diagnostics };
  if (!isMapping(section)) {
    refuse(null, [mistake([SECTION], "a mapping of names to risk profiles", section)]);
    return { values: { [SECTION]: {} }, faults, diagnostics };
  }
  const profiles: Record<string, Json> = {};
  for (const [name, profile] of Object.entries(section)) {
    const at = [SECTION, name];
    if (!isMapping(profile)) {
      refuse(name, [mistake(at, "a mapping of keys to values", profile)]);
      continue;
    }
    const checked = checkFields({ document, file, at, fields: FIELDS, ...CODES });
    const entries = entryFaults(checked.values, { document, file, at, code: CODES.invalid });
    refuse(name, [...checked.diagnostics, ...entries], hidesSome(profile, checked.values));
    profiles[name] = { ...checked.values, ...unsoundValues(profile, checked.values) };
  }
  return { values: { [SECTION]: profiles }, faults, diagnostics };
}

/** Keys that look like a slip for the section: what they hold would be without effect. */
function slipsOf(value: Json): readonly string[] {
  if (!isMapping(value)) return [];
  return Object.keys(value).filter((key) => key !== SECTION && nearest(key, [SECTION]) !== undefined);
}

/** Keys that keep calls from running by themselves. */
const KEEPING: readonly RiskProfileKeyName[] = [
  "denied_tools",
  "excluded_tools",
  "allowed_tools",
  "always_ask",
  "denied_commands",
];

/** Whether it cannot be known what a profile keeps from running by itself. */
function hidesSome(written: JsonObject, sound: JsonObject): boolean {
  return Object.keys(written).some((key) => {
    if (!isRiskProfileKey(key)) return true;
    if (!KEEPING.includes(key)) return false;
    const list = Object.hasOwn(sound, key) ? sound[key] : undefined;
    return !Array.isArray(list) || list.some((entry) => entryCheck(key)?.(entry as Json) !== undefined);
  });
}

/** Of keys whose value is wrong: what cannot be known permits less. */
function unsoundValues(written: JsonObject, sound: JsonObject): JsonObject {
  const values: Record<string, Json> = {};
  for (const key of Object.keys(written)) {
    if (!isRiskProfileKey(key) || Object.hasOwn(sound, key)) continue;
    const { unsound }: RiskProfileKey<never> = RISK_PROFILE_KEYS[key] as RiskProfileKey<never>;
    if (unsound !== undefined) values[key] = unsound;
  }
  return values;
}

const CODES = { invalid: "SETTINGS_INVALID", unknown: "SETTINGS_UNKNOWN_KEY" } as const;

const FIELDS = Object.fromEntries(Object.entries(RISK_PROFILE_KEYS).map(([key, { check }]) => [key, check]));

/** What is wrong with entries of the lists of a mapping, each at its line. */
export function entryFaults(values: JsonObject, { document, file, at, code }: EntryPlace): readonly Diagnostic[] {
  return Object.entries(values).flatMap(([key, list]) => {
    const check = isRiskProfileKey(key) ? entryCheck(key) : undefined;
    if (!check || !Array.isArray(list)) return [];
    return (list as readonly Json[]).flatMap((entry, index) => {
      const fault = check(entry);
      if (fault === undefined) return [];
      const message = `${[...at, key].join(".")}[${index}]: ${fault}`;
      return [diagnostic(code, { file, ...document.position([...at, key, index]), message })];
    });
  });
}

interface EntryPlace {
  readonly document: YamlDocument;
  readonly file: string;
  /** Where the mapping stands in the document. */
  readonly at: readonly string[];
  readonly code: DiagnosticCode;
}

function entryCheck(key: RiskProfileKeyName): ((entry: Json) => string | undefined) | undefined {
  return RISK_PROFILE_KEYS[key].entry;
}
