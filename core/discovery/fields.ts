import { type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import { nearest } from "../sdk/nearest.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { YamlDocument, YamlPath } from "./yaml.ts";

/** What a field may hold, and how to say so. */
export interface Check {
  /** Continues "expected …". */
  readonly expected: string;
  admits(value: Json): boolean;
}

export const TEXT: Check = { expected: "text", admits: (value) => typeof value === "string" };
export const FLAG: Check = { expected: "true or false", admits: (value) => typeof value === "boolean" };
export const MAPPING: Check = { expected: "a mapping", admits: isMapping };
export const TEXTS: Check = {
  expected: "a list of texts",
  admits: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};
/** `version: 1.0` is a number to YAML and a version to its author. */
export const VERSION: Check = {
  expected: "a version, as text",
  admits: (value) => typeof value === "string" || typeof value === "number",
};
export const COUNT: Check = {
  expected: "a whole number above 0",
  admits: (value) => typeof value === "number" && Number.isInteger(value) && value > 0,
};
/** What a limit may be where there may be none. */
export type Limit = number | "unlimited";
/** A number of things, 0 included, or no limit. */
export const COUNT_LIMIT: Check = {
  expected: "a whole number from 0, or unlimited",
  admits: (value) => value === "unlimited" || (typeof value === "number" && Number.isInteger(value) && value >= 0),
};
export const NUMBER: Check = { expected: "a number", admits: (value) => typeof value === "number" };

/** One of a closed list of words. */
export function oneOf(...words: readonly string[]): Check {
  return {
    expected: `one of ${words.join(", ")}`,
    admits: (value) => typeof value === "string" && words.includes(value),
  };
}

/** Whether a JSON value is an object. */
export function isMapping(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What {@link checkFields} reads. */
export interface FieldsInput {
  readonly document: YamlDocument;
  /** Display path of the file. */
  readonly file: string;
  /** The known fields, by key. */
  readonly fields: Readonly<Record<string, Check>>;
  readonly invalid: DiagnosticCode;
  readonly unknown: DiagnosticCode;
  /** Where the mapping stands in the document; default: at its top. */
  readonly at?: YamlPath;
  /** Which unknown keys are reported: all (the default), only those that look like a slip for a known one, or what the function says. */
  readonly report?: "all" | "slips" | ((key: string, value: Json) => boolean);
}

/** The known fields that hold what they should, and a diagnostic for each one that does not. */
export interface CheckedFields {
  readonly values: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks a mapping of a document. A field with a wrong value is left out; a document that is empty has no fields. */
export function checkFields(input: FieldsInput): CheckedFields {
  const { document, file, fields, at = [], report = "all" } = input;
  const mapping = valueAt(document.value, at);
  if (mapping === null || mapping === undefined) return { values: {}, diagnostics: [] };
  const place = document.position(at);
  if (!isMapping(mapping)) {
    const message = `expected a mapping of keys to values, found ${describe(mapping)}`;
    return { values: {}, diagnostics: [diagnostic(input.invalid, { file, ...place, message })] };
  }
  const values: Record<string, Json> = {};
  const diagnostics: Diagnostic[] = [];
  for (const [key, value] of Object.entries(mapping)) {
    const where = { file, ...document.position([...at, key]) };
    const name = [...at, key].join(".");
    const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (check?.admits(value)) values[key] = value;
    else if (check) {
      const message = `${name}: expected ${check.expected}, found ${describe(value)}`;
      diagnostics.push(diagnostic(input.invalid, { ...where, message }));
    } else {
      const meant = nearest(key, Object.keys(fields));
      const told = report === "all" || (report === "slips" ? meant !== undefined : report(key, value));
      if (told) diagnostics.push(unknownKey(input.unknown, { ...where, name, meant, known: Object.keys(fields) }));
    }
  }
  return { values, diagnostics };
}

/** What was found, in few words. */
export function describe(value: Json): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string" ? `text ${JSON.stringify(shorten(value))}` : String(value);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}

function valueAt(value: Json, path: YamlPath): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as { readonly [key: string | number]: Json })[key];
  }
  return at;
}

interface UnknownKey {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly meant: string | undefined;
  readonly known: readonly string[];
}

function unknownKey(code: DiagnosticCode, { name, meant, known, ...where }: UnknownKey): Diagnostic {
  const hint = meant ? `Did you mean ${meant}?` : `Known keys: ${known.join(", ")}.`;
  return diagnostic(code, { ...where, message: `${name} is not a key that the host knows; it has no effect`, hint });
}
