/** What a provider takes as the schema of a tool's arguments. */
export interface SchemaProfile {
  readonly id: SchemaProfileId;
  /**
   * `draft-2020-12`: every keyword of that draft, as long as the schema matches it. Else these keywords only; what the
   * others ask for is said in the description where it is short, and left out where it is not.
   */
  readonly keywords: "draft-2020-12" | readonly string[];
  /** Values of `format`. */
  readonly formats: "any" | readonly string[];
  /** The language of `pattern`, where that keyword is taken. */
  readonly patterns: "javascript" | "python";
  /** Whether a list must say what its items are. */
  readonly items: "required" | "optional";
  /** How null is written beside another type, where not all keywords are taken. */
  readonly nullable: "type-list" | "alternative";
  /** Whether a schema may do without a type, where not all keywords are taken. */
  readonly untyped: boolean;
  /** Whether a description may stand beside `anyOf`, where not all keywords are taken. */
  readonly besideAnyOf: boolean;
  /** What the names of the arguments must be like, at the top only. */
  readonly argumentNames?: RegExp;
  /** So many schemas inside each other, the top counted. */
  readonly maxDepth: number;
  /** In characters (UTF-16), of the tool and of each argument. */
  readonly maxDescription?: number;
}

/** The profiles; `generic` is for every provider that has none of its own. */
export type SchemaProfileId = "openai" | "anthropic" | "google" | "generic";

/** Anthropic's words: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'". It looks at the top only. */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** No provider with a whole draft publishes a depth; deeper than this nothing is an argument that somebody writes. */
const ANY_DEPTH = 64;

/**
 * One row for each profile. Every provider refuses a whole request for one schema that it does not take, so a rule is
 * here as soon as one refusal is known. All of them want an object at the top, and no alternatives beside it (OpenAI:
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level";
 * Anthropic: "input_schema does not support oneOf, allOf, or anyOf at the top level").
 *
 * `openai`: functions are sent with `strict: false`, so the draft's keywords pass. Refused are lists without `items`
 * ("array schema missing items"), the older form of tuples ("is not of type 'object', 'boolean'"), and a `pattern`
 * that Python's `re` does not compile ("is not a 'regex'") or that looks around ("regex lookaround is not supported").
 * `formats` are those of the guide to structured outputs, "Supported schemas".
 *
 * `anthropic`: "JSON schema is invalid. It must match JSON Schema draft 2020-12", which the boolean `exclusiveMinimum`
 * of draft 4 and the tuples of draft 7 do not; and the names of arguments.
 *
 * `google`: the Schema object of the Gemini API, a part of OpenAPI 3.0, as far as the library that speaks to it passes
 * it on. Refused are other formats ("only 'enum' and 'date-time' are supported for STRING type"), values of an `enum`
 * that are no text ("Invalid value … (TYPE_STRING), 0") or are empty ("enum[0]: cannot be empty"), names in `required`
 * that `properties` does not list ("property is not defined"), keywords of another type ("only allowed for OBJECT
 * type", "field predicate failed: $type == Type.ARRAY"), `$ref` ("reference to undefined schema"), lists without
 * `items` ("missing field"), and what is nested too deeply; for that no figure is published.
 *
 * `generic`: what all of the above and the usual servers of open models take. llama.cpp refuses a `pattern` without
 * both anchors and long repetitions, Moonshot a depth above 10 and a type beside `anyOf`, older Ollama lists of types,
 * older OpenAI endpoints a description above 1,024 characters.
 */
export const SCHEMA_PROFILES: Readonly<Record<SchemaProfileId, SchemaProfile>> = {
  openai: {
    id: "openai",
    keywords: "draft-2020-12",
    formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    patterns: "python",
    items: "required",
    nullable: "type-list",
    untyped: true,
    besideAnyOf: true,
    maxDepth: ANY_DEPTH,
  },
  anthropic: {
    id: "anthropic",
    keywords: "draft-2020-12",
    formats: "any",
    patterns: "javascript",
    items: "optional",
    nullable: "type-list",
    untyped: true,
    besideAnyOf: true,
    argumentNames: ARGUMENT_NAME,
    maxDepth: ANY_DEPTH,
  },
  google: {
    id: "google",
    keywords: ["type", "description", "properties", "required", "items", "enum", "anyOf", "format", "minLength"],
    formats: ["date-time"],
    patterns: "javascript",
    items: "required",
    nullable: "type-list",
    untyped: false,
    besideAnyOf: false,
    maxDepth: 10,
  },
  generic: {
    id: "generic",
    keywords: [
      ...["type", "description", "properties", "required", "items", "enum", "anyOf"],
      ...["additionalProperties", "minimum", "maximum"],
    ],
    formats: [],
    patterns: "javascript",
    items: "required",
    nullable: "alternative",
    untyped: true,
    besideAnyOf: true,
    argumentNames: ARGUMENT_NAME,
    maxDepth: 10,
    maxDescription: 1024,
  },
};

/** The ids of the profiles, in the order in which they are told. */
export const SCHEMA_PROFILE_IDS = Object.keys(SCHEMA_PROFILES) as readonly SchemaProfileId[];

/** Providers with rules of their own. What else speaks one of their formats is known for taking less. */
const OF_PROVIDER: Readonly<Record<string, SchemaProfileId>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
};

/** The profile of a provider, by its id in a model id. */
export function profileOfProvider(provider: string): SchemaProfile {
  return SCHEMA_PROFILES[Object.hasOwn(OF_PROVIDER, provider) ? (OF_PROVIDER[provider] ?? "generic") : "generic"];
}
