import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import { HOST_API_VERSION, satisfies } from "./api-version.ts";
import { isDocument, parseDataFile } from "./data-file.ts";
import type { Parsed } from "./derived.ts";
import { type Check, checkFields, FLAG, isMapping, MAPPING, TEXT, TEXTS, VERSION } from "./fields.ts";
import { isRiskProfileKey, RISK_PROFILE_KEYS, TIGHTENING_KEYS, type TighteningKey } from "./risk-profile-keys.ts";
import { entryFaults } from "./risk-profiles-section.ts";
import type { YamlDocument } from "./yaml.ts";

/** What `plugin.yaml` may say; every key may be left out. The id of a plugin is its directory's name. */
export interface Manifest {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly version?: string;
  /** Sections of the settings that the plugin brings a form for. */
  readonly settings_sections?: readonly string[];
  /** Whether its settings make sense per project, and per agent profile: for those who edit settings. */
  readonly per_project_config?: boolean;
  readonly per_agent_config?: boolean;
  /** No toggle can switch it off. */
  readonly always_enabled?: boolean;
  /** Range of the host's contract version that the plugin is made for, for example `^1`. */
  readonly apiVersion?: string;
  /** What holds for every agent besides its risk profile while the plugin is on: calls and tools, as settings name them. */
  readonly policy?: { readonly [Key in TighteningKey]?: readonly Json[] };
}

/** A manifest that was read: `fault` says why the plugin must stay off. */
export interface ReadManifest {
  readonly manifest: Manifest;
  readonly fault?: string;
}

/** The file that makes a directory a plugin. */
export const MANIFEST_FILE = "plugin.yaml";

const FIELDS: Readonly<Record<string, Check>> = {
  name: TEXT,
  title: TEXT,
  description: TEXT,
  version: VERSION,
  settings_sections: TEXTS,
  per_project_config: FLAG,
  per_agent_config: FLAG,
  always_enabled: FLAG,
  apiVersion: VERSION,
  policy: MAPPING,
};
const POLICY_FIELDS = Object.fromEntries(TIGHTENING_KEYS.map((key) => [key, RISK_PROFILE_KEYS[key].check]));

/** Reads a manifest. One that does not parse or validate has a fault, as has one that asks for another host. */
export function parseManifest(text: string, file: string): Parsed<ReadManifest> {
  const document = parseDataFile(text, { file, invalid: "MANIFEST_INVALID" });
  if (!isDocument(document)) return faulty([document]);
  const checked = checkFields({
    document,
    file,
    fields: FIELDS,
    invalid: "MANIFEST_INVALID",
    unknown: "MANIFEST_UNKNOWN_KEY",
  });
  const diagnostics = [...checked.diagnostics, ...policyProblems(document, file)];
  if (diagnostics.some(({ severity }) => severity === "error")) return faulty(diagnostics);
  const manifest: Manifest = { ...checked.values, ...versions(document) };
  const mismatch = apiProblem(manifest.apiVersion, document, file);
  if (!mismatch) return { value: { manifest }, diagnostics };
  const value = { manifest, fault: faultOf(mismatch) };
  return { value, diagnostics: [...diagnostics, mismatch] };
}

/** What a plugin may not say of the policy. It is refused whole: what it wants to forbid could not be relied on. */
function policyProblems(document: YamlDocument, file: string): readonly Diagnostic[] {
  const policy = isMapping(document.value) ? document.value.policy : undefined;
  if (!isMapping(policy)) return [];
  const at = ["policy"];
  const place = { document, file, at };
  const sound = { invalid: "MANIFEST_INVALID", unknown: "MANIFEST_UNKNOWN_KEY" } as const;
  const checked = checkFields({ ...place, ...sound, fields: POLICY_FIELDS, report: (key) => !isRiskProfileKey(key) });
  const loosening = Object.keys(policy).filter((key) => isRiskProfileKey(key) && !Object.hasOwn(POLICY_FIELDS, key));
  return [
    ...checked.diagnostics.map((item) => ({ ...item, severity: "error" }) as const),
    ...entryFaults(checked.values, { ...place, code: sound.invalid }),
    ...loosening.map((key) => loosens(key, { file, ...document.position([...at, key]) })),
  ];
}

function loosens(key: string, place: Pick<Diagnostic, "file" | "line" | "column">): Diagnostic {
  const message = `policy.${key}: a plugin may tighten the policy and never loosen it, so this is for the settings alone; the plugin is disabled`;
  return diagnostic("POLICY_LOOSENED", { ...place, message, hint: `A plugin may say ${TIGHTENING_KEYS.join(", ")}.` });
}

/** Versions as they were written: YAML reads `1.10` as the number 1.1. */
function versions(document: YamlDocument): Partial<Manifest> {
  const written: Record<string, string> = {};
  for (const key of ["version", "apiVersion"]) {
    const source = document.source([key]);
    if (source !== undefined) written[key] = source;
  }
  return written;
}

function apiProblem(range: string | undefined, document: YamlDocument, file: string): Diagnostic | undefined {
  const fits = range === undefined || satisfies(HOST_API_VERSION, range);
  if (fits === true) return undefined;
  const place = { file, ...document.position(["apiVersion"]) };
  if (fits === undefined) {
    const message = `apiVersion: expected a range such as ^1, 1.x or ">=1 <2", found ${JSON.stringify(range)}`;
    return diagnostic("MANIFEST_INVALID", { ...place, message });
  }
  const message = `the plugin is made for apiVersion ${range}, and this host has ${HOST_API_VERSION}; the plugin is disabled`;
  return diagnostic("PLUGIN_API_VERSION", {
    ...place,
    message,
    hint: "Use a version of the plugin that is made for this host.",
  });
}

function faulty(diagnostics: readonly Diagnostic[]): Parsed<ReadManifest> {
  const [first] = diagnostics.filter(({ severity }) => severity === "error");
  return { value: { manifest: {}, fault: first ? faultOf(first) : "its manifest is not valid" }, diagnostics };
}

function faultOf({ file, line, message }: Diagnostic): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${message}`;
}
