import { isDocument, parseDataFile } from "./data-file.ts";
import type { Parsed } from "./derived.ts";
import { type Check, checkFields, FLAG, MAPPING, TEXT, TEXTS } from "./fields.ts";
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

/** Reads the definition of a profile. What is wrong in it is left out and reported. */
export function parseProfile(text: string, file: string): Parsed<ReadDefinition> {
  const document = parseDataFile(text, { file, invalid: "PROFILE_INVALID" });
  if (!isDocument(document)) return { value: { definition: {}, faulty: true }, diagnostics: [document] };
  return checkProfile(document, file);
}

function checkProfile(document: YamlDocument, file: string): Parsed<ReadDefinition> {
  const codes = { document, file, invalid: "PROFILE_INVALID", unknown: "PROFILE_UNKNOWN_KEY" } as const;
  const top = checkFields({ ...codes, fields: FIELDS });
  const lists =
    top.values.tools === undefined ? undefined : checkFields({ ...codes, fields: TOOL_FIELDS, at: ["tools"] });
  const definition = { ...top.values, ...(lists ? { tools: lists.values } : {}) } as ProfileDefinition;
  const diagnostics = [...top.diagnostics, ...(lists?.diagnostics ?? [])];
  const value: ReadDefinition = {
    definition,
    ...(definition.risk_profile === undefined ? {} : { riskLine: document.position(["risk_profile"]).line }),
    ...(diagnostics.some(({ severity }) => severity === "error") ? { faulty: true } : {}),
  };
  return { value, diagnostics };
}
