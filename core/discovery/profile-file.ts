import type { Json } from "../sdk/json.ts";
import { nearest } from "../sdk/nearest.ts";
import { isDocument, parseDataFile } from "./data-file.ts";
import type { Parsed } from "./derived.ts";
import { type Check, checkFields, FLAG, isMapping, MAPPING, TEXT, TEXTS } from "./fields.ts";
import { LOCALE } from "./locale-tag.ts";
import type { YamlDocument } from "./yaml.ts";

/** What one `agent.yaml` or `agent.json` says. An absent key says nothing, and leaves what lower layers say. */
export interface ProfileDefinition {
  readonly title?: string;
  readonly description?: string;
  readonly context?: string;
  readonly enabled?: boolean;
  readonly model?: string;
  readonly locale?: string;
  readonly risk_profile?: string;
  readonly tools?: { readonly enable?: readonly string[]; readonly disable?: readonly string[] };
}

/** A definition that was read. */
export interface ReadDefinition {
  readonly definition: ProfileDefinition;
  /** Line of the key `risk_profile`. */
  readonly riskLine?: number;
  /** Something in it was wrong and is left out. */
  readonly faulty?: true;
  /** Which risk profile it wants cannot be known. */
  readonly riskUnknown?: true;
}

const FIELDS: Readonly<Record<string, Check>> = {
  title: TEXT,
  description: TEXT,
  context: TEXT,
  enabled: FLAG,
  model: TEXT,
  locale: LOCALE,
  risk_profile: TEXT,
  tools: MAPPING,
};
const TOOL_FIELDS: Readonly<Record<string, Check>> = { enable: TEXTS, disable: TEXTS };

/** Of a file that does not parse, or cannot be read. */
export const UNREAD_DEFINITION: ReadDefinition = { definition: {}, faulty: true, riskUnknown: true };

const RISK = "risk_profile";

/** Reads the definition of a profile. What is wrong in it is left out and reported. */
export function parseProfile(text: string, file: string): Parsed<ReadDefinition> {
  const document = parseDataFile(text, { file, invalid: "PROFILE_INVALID" });
  if (!isDocument(document)) return { value: UNREAD_DEFINITION, diagnostics: [document] };
  return checkProfile(document, file);
}

function checkProfile(document: YamlDocument, file: string): Parsed<ReadDefinition> {
  const codes = { document, file, invalid: "PROFILE_INVALID", unknown: "PROFILE_UNKNOWN_KEY" } as const;
  const top = checkFields({ ...codes, fields: FIELDS });
  const lists =
    top.values.tools === undefined ? undefined : checkFields({ ...codes, fields: TOOL_FIELDS, at: ["tools"] });
  const definition = { ...top.values, ...(lists ? { tools: lists.values } : {}) } as ProfileDefinition;
  const diagnostics = [...top.diagnostics, ...(lists?.diagnostics ?? [])].map((item) =>
    // Without effect it would let the agent do what `default` permits.
    item.hint === `Did you mean ${RISK}?` ? ({ ...item, severity: "error" } as const) : item,
  );
  const riskUnknown = definition.risk_profile === undefined && wantsRisk(document.value);
  const value: ReadDefinition = {
    definition,
    ...(definition.risk_profile === undefined ? {} : { riskLine: document.position([RISK]).line }),
    ...(riskUnknown ? { riskUnknown } : {}),
    ...(diagnostics.some(({ severity }) => severity === "error") ? { faulty: true } : {}),
  };
  return { value, diagnostics };
}

/** Whether a definition has the key, in whatever spelling. */
function wantsRisk(value: Json): boolean {
  return (
    isMapping(value) && Object.keys(value).some((key) => key === RISK || nearest(key, Object.keys(FIELDS)) === RISK)
  );
}
