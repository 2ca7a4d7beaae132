import type { FitContext, Place } from "./schema-context.ts";

/** What a keyword asks for is said where it is shorter than this, in characters. */
const MAX_VALUE = 120;
/** Keywords of other programs may be anything, so these only. */
const SAYABLE: ReadonlySet<string> = new Set([
  ...["format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...[
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
    "enum",
    "const",
  ],
  ...["additionalProperties", "patternProperties", "dependentRequired", "not", "default"],
]);
/** Known to tell a model nothing that it needs. */
const SILENT: ReadonlySet<string> = new Set([
  ...["title", "examples", "example", "$comment", "$id", "id", "$schema", "$anchor", "$defs", "definitions"],
  ...["deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema", "$vocabulary"],
]);

/** What the keywords of a schema ask for that a provider does not take, in words for its description. */
export interface Words {
  /** The keyword does not go along. */
  say(keyword: string, value: unknown): void;
  /** A description with what was said; undefined where there is none. */
  description(own: unknown): string | undefined;
}

/** Begins with nothing said. */
export function createWords(place: Place, fit: FitContext): Words {
  const said: string[] = [];
  return {
    say(keyword, value) {
      if (SILENT.has(keyword) || isPlain(keyword, value)) {
        fit.note("annotation", place, keyword);
        return;
      }
      const text = JSON.stringify(value) ?? "";
      // What a reference refers to is not there.
      const isClear = text !== "" && text.length <= MAX_VALUE && !text.includes('"$ref"');
      if (!SAYABLE.has(keyword) || !isClear) fit.note("left-out", place, keyword);
      else {
        fit.note("in-words", place, keyword);
        said.push(`${keyword}: ${typeof value === "string" ? value : text}`);
      }
    },
    description(own) {
      const text = typeof own === "string" ? own : "";
      const words = said.length === 0 ? "" : `(${said.join(", ")})`;
      const whole = [text, words].filter((part) => part !== "").join(" ");
      return whole === "" ? undefined : shortened(whole, place, fit);
    },
  };
}

/** A call with another key is refused, whatever the model is told; and a key is always text. */
function isPlain(keyword: string, value: unknown): boolean {
  if (keyword === "additionalProperties") return typeof value === "boolean";
  return keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}';
}

/** A description that is not longer than the provider takes. */
export function shortened(text: string, place: Place, fit: FitContext): string {
  const { maxDescription } = fit.profile;
  if (maxDescription === undefined || text.length <= maxDescription) return text;
  fit.note("description", place);
  return cutText(text, maxDescription);
}

/** The beginning of a text that is longer than `max` code units, without half of a character that takes two. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
