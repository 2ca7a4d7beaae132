/**
 * What is done to a schema so that a provider takes it. None of it makes a valid call impossible: what comes out admits
 * at least what went in, and the dispatcher checks a call against the whole schema. `told`: worth an author's while,
 * because the model is told less than the schema says; the others say the same in other words.
 */
export const REWRITE_RULES = {
  "top-alternatives": {
    told: true,
    words: "alternatives at the top are one object, which asks for what all of them ask for",
  },
  "top-keyword": { told: true, words: "may not stand at the top and is left out" },
  "top-object": { told: false, words: "the top is said to be an object" },
  "older-draft": { told: false, words: "is written as in draft 2020-12" },
  annotation: { told: false, words: "is left out" },
  "in-words": { told: false, words: "is said in the description" },
  "left-out": { told: true, words: "is left out" },
  reference: { told: false, words: "what it refers to stands in its place" },
  recursion: { told: true, words: "refers to what it is part of, and is cut there" },
  unresolved: { told: true, words: "refers to nothing in this schema; any value is admitted" },
  "too-deep": { told: true, words: "is nested too deeply; any value is admitted" },
  "too-large": { told: true, words: "the schema is too large; any value is admitted here" },
  alternatives: { told: false, words: "is written as anyOf" },
  any: { told: false, words: "one of its alternatives admits any value, so it is said to admit any" },
  "all-of": { told: false, words: "its parts are merged" },
  tuple: { told: true, words: "each item may be what any place of the tuple may be" },
  items: { told: false, words: "its items are said to be anything" },
  types: { told: false, words: "its types are written as alternatives" },
  untyped: { told: false, words: "has no type, so every type is listed" },
  never: { told: false, words: "admits no value and is left out" },
  "empty-enum": { told: true, words: "has no values and is left out" },
  required: { told: true, words: "names an argument that properties does not list, and is left out" },
  "argument-name": { told: true, words: "has a name that is refused, and is left out" },
  description: { told: true, words: "the description is cut" },
} as const satisfies Record<string, { readonly told: boolean; readonly words: string }>;

/** A key of {@link REWRITE_RULES}. */
export type RewriteRule = keyof typeof REWRITE_RULES;

/** Why a schema cannot be made one that a provider takes. */
export const REFUSAL_RULES = {
  "not-a-schema": "is not valid JSON Schema",
  "not-an-object": "admits no object, and the arguments of a call are one",
  "argument-name": "is required and has a name that is refused",
} as const satisfies Record<string, string>;

/** A key of {@link REFUSAL_RULES}. */
export type RefusalRule = keyof typeof REFUSAL_RULES;

/** One place of a schema that was rewritten. */
export interface SchemaRewrite {
  /** JSON pointer into the schema as its author wrote it; empty for its top. */
  readonly pointer: string;
  readonly rule: RewriteRule;
  /** What was done, with the keyword where one is meant. */
  readonly message: string;
}

/** One place of a schema that nothing can be done about. */
export interface SchemaRefusal {
  readonly pointer: string;
  readonly rule: RefusalRule;
  readonly message: string;
}
