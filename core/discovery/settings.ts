import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { isDocument, parseDataFile } from "./data-file.ts";
import type { FilePlace, FileReader, Parsed } from "./derived.ts";
import { type Check, COUNT, checkFields, FLAG, isMapping, MAPPING, oneOf, TEXT, TEXTS } from "./fields.ts";
import { LOCALE } from "./locale-tag.ts";
import { lookUp, merge } from "./merge.ts";
import { joinDisplay } from "./paths.ts";
import { checkRiskProfiles, type RiskProfileFault } from "./risk-profiles-section.ts";
import type { YamlDocument } from "./yaml.ts";

/** The settings of a root, or of a project over them, with the defaults under both. */
export interface Settings {
  readonly values: JsonObject;
  /** The value at a dotted key, for example `tools.timeoutMs`. */
  get(key: string): Json | undefined;
  /** Absolute real paths of the directories that plugin links may lead to. From `usr/settings.yaml` only. */
  readonly linkRoots: readonly string[];
  /** The files that the values come from, the project's first. */
  readonly sources: readonly SettingsSource[];
}

/** What one file says. */
export interface SettingsSource {
  /** Display path. */
  readonly file: string;
  /** What of it can be used. */
  readonly values: JsonObject;
  /** What it may have said of risk profiles and cannot be known. */
  readonly faults: readonly RiskProfileFault[];
}

/** The settings file of a `usr/` or of a project. */
export const SETTINGS_FILE = "settings.yaml";

/** Settings that say how far content is let: whoever trusts a root has seen them, and a change asks again. */
export const GUARDED_SETTINGS = ["risk_profiles", "linkRoots"] as const;

/** The guarded settings of a file, which go on in place of those that it holds now. */
export type HeldSettings = Omit<SettingsSource, "file">;

/** What holds where no file says otherwise. */
export const DEFAULT_SETTINGS = {
  profile: "default",
  linkRoots: [],
  fallbackOnLoadError: false,
  tools: {
    timeoutMs: 120_000,
    loadTimeoutMs: 10_000,
    maxConcurrent: "unlimited",
    breakerFailures: 3,
    breakerRestMs: 300_000,
  },
  agent: { maxIterations: 25, maxDepth: 3, contextTokens: 128_000 },
  receipts: { enabled: false },
  audit: { enabled: true, maxBytes: 10 * 1024 * 1024, keep: 5 },
  risk_profiles: {},
} as const satisfies JsonObject;

const FIELDS: Readonly<Record<string, Check>> = {
  profile: TEXT,
  project: TEXT,
  model: TEXT,
  protocol: oneOf("auto", "native", "json"),
  locale: LOCALE,
  linkRoots: TEXTS,
  fallbackOnLoadError: FLAG,
  models: MAPPING,
  tools: MAPPING,
  agent: MAPPING,
  prompt: MAPPING,
  receipts: MAPPING,
  audit: MAPPING,
  // Checked by `checkRiskProfiles`.
  risk_profiles: { expected: "a mapping", admits: () => true },
  log: MAPPING,
};

const isPrice = (value: Json | undefined): boolean => typeof value === "number" && value >= 0 && Number.isFinite(value);
const PRICES: Check = {
  expected: "a mapping of provider/model to { input, output }, each a number from 0: what a million tokens cost",
  admits: (value) =>
    isMapping(value) &&
    Object.values(value).every(
      (price) => isMapping(price) && isPrice(price.input) && isPrice(price.output) && Object.keys(price).length === 2,
    ),
};
const PLACES: Check = {
  expected: `${COUNT.expected}, or unlimited`,
  admits: (value) => value === "unlimited" || COUNT.admits(value),
};
const FAILURES: Check = {
  expected: `${COUNT.expected}, or 0 for never`,
  admits: (value) => value === 0 || COUNT.admits(value),
};

/** Fields of the sections that the host itself reads. Other keys of a section belong to whoever reads them. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  models: { providers: MAPPING, prices: PRICES },
  tools: {
    timeoutMs: COUNT,
    loadTimeoutMs: COUNT,
    maxConcurrent: PLACES,
    breakerFailures: FAILURES,
    breakerRestMs: COUNT,
  },
  agent: { maxIterations: COUNT, maxDepth: COUNT, contextTokens: COUNT },
  prompt: { maxTokens: COUNT, fragmentTokens: COUNT, descriptionLength: COUNT },
  receipts: { enabled: FLAG },
  audit: { enabled: FLAG, file: TEXT, maxBytes: COUNT, keep: COUNT },
  log: { level: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"), file: TEXT },
};

/** What {@link loadSettings} needs besides the place. */
export interface SettingsSources {
  readonly reader: FileReader;
  readonly root: string;
  /** Default: the defaults. */
  readonly under?: Settings;
  /** Goes in place of the guarded settings of the file, whether it is there or not; its display path is `file`. */
  readonly held?: SettingsSource | undefined;
}

/** Reads the file at `place` (undefined: there is none) and lays it over `under`. */
export function loadSettings(
  place: FilePlace | undefined,
  { reader, root, under, held }: SettingsSources,
): { readonly settings: Settings; readonly diagnostics: readonly Diagnostic[] } {
  const below = under?.values ?? DEFAULT_SETTINGS;
  const written = place && joinDisplay(place.shown, place.name);
  const file = written ?? (held && Object.keys(held.values).length > 0 ? held.file : undefined);
  const read = place ? readSettings(place, reader) : { value: unread(), diagnostics: [] };
  const { diagnostics } = read;
  const value = held ? withHeld(read.value, held) : read.value;
  const values = merge(below, value.values);
  const links = under ? { found: under.linkRoots, diagnostics: [] } : resolveLinkRoots(values.linkRoots, root, file);
  const sources = [...(file === undefined ? [] : [{ file, ...value }]), ...(under?.sources ?? [])];
  const settings: Settings = { values, linkRoots: links.found, sources, get: (key) => lookUp(values, key) };
  return { settings, diagnostics: [...diagnostics, ...links.diagnostics] };
}

/**
 * Whether a settings key is on, for `when:` of a fragment: its value is there and is neither false, null, 0 nor
 * empty text.
 */
export function isOn(settings: Settings, key: string): boolean {
  return Boolean(settings.get(key));
}

/** What a settings file says. */
export function readSettings(place: FilePlace, reader: FileReader): Parsed<ReadSettings> {
  return reader.derive<ReadSettings>(place, parseSettings, unread("it could not be read"));
}

/** The guarded ones among settings. */
export function guardedOf(values: JsonObject): JsonObject {
  return pick(values, (key) => (GUARDED_SETTINGS as readonly string[]).includes(key));
}

type ReadSettings = Omit<SettingsSource, "file">;

/** Settings with others in place of the guarded ones. What is wrong with either permits less. */
function withHeld({ values, faults }: ReadSettings, held: HeldSettings): ReadSettings {
  const free = pick(values, (key) => !(GUARDED_SETTINGS as readonly string[]).includes(key));
  return { values: { ...free, ...held.values }, faults: [...faults, ...held.faults] };
}

function pick(values: JsonObject, wanted: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => wanted(key)));
}

/** A file of which nothing is known. @param fault why; absent: there is none */
function unread(fault?: string): ReadSettings {
  return { values: {}, faults: fault === undefined ? [] : [{ profile: null, fault, hides: true }] };
}

function parseSettings(text: string, file: string): Parsed<ReadSettings> {
  const document = parseDataFile(text, { file, invalid: "SETTINGS_INVALID" });
  if (!isDocument(document)) return { value: unread(document.message), diagnostics: [document] };
  return checkSettings(document, file);
}

function checkSettings(document: YamlDocument, file: string): Parsed<ReadSettings> {
  const codes = { document, file, invalid: "SETTINGS_INVALID", unknown: "SETTINGS_UNKNOWN_KEY" } as const;
  // A mapping may be a section of a plugin's author; a lone value that nobody reads is a slip.
  const top = checkFields({ ...codes, fields: FIELDS, report: (_, value) => !isMapping(value) });
  const profiles = checkRiskProfiles(document, file);
  const diagnostics = [...top.diagnostics, ...profiles.diagnostics];
  const values: Record<string, Json> = {};
  for (const [key, value] of Object.entries(isMapping(document.value) ? document.value : {})) {
    const known = Object.hasOwn(FIELDS, key);
    if (key === "__proto__" || (known && !Object.hasOwn(top.values, key))) continue;
    const fields = Object.hasOwn(SECTIONS, key) ? SECTIONS[key] : undefined;
    if (!fields || !isMapping(value)) {
      values[key] = value;
      continue;
    }
    const section = checkFields({ ...codes, fields, at: [key], report: "slips" });
    diagnostics.push(...section.diagnostics);
    values[key] = Object.fromEntries(
      Object.entries(value).filter(([name]) => !Object.hasOwn(fields, name) || Object.hasOwn(section.values, name)),
    );
  }
  return { value: { values: { ...values, ...profiles.values }, faults: profiles.faults }, diagnostics };
}

function resolveLinkRoots(
  value: Json | undefined,
  root: string,
  file = SETTINGS_FILE,
): { found: string[]; diagnostics: Diagnostic[] } {
  const found: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const item of Array.isArray(value) ? (value as readonly string[]) : []) {
    const path = resolve(root, item.startsWith("~/") ? `${homedir()}/${item.slice(2)}` : item);
    try {
      found.push(realpathSync(path));
    } catch {
      const message = `linkRoots: expected existing directories, found nothing at ${item}`;
      diagnostics.push(diagnostic("SETTINGS_INVALID", { severity: "warning", file, message }));
    }
  }
  return { found, diagnostics };
}
