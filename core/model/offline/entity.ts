import type { Lexicon } from "./lexicon.ts";

/** What can be the value of an argument by its looks. `text`: nothing by its looks, but an example says that it is one. */
export type EntityKind = "text" | "quoted" | "path" | "url" | "email" | "date" | "clock" | "number" | "slug";

/** One such value and where it stands. */
export interface Entity {
  readonly kind: EntityKind;
  readonly value: string | number;
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
  /** Term of a unit that is written together with the number: `30s`. */
  readonly unit?: string;
}

/** An entity without its place; `length` in characters. */
export type Found = Omit<Entity, "start" | "end"> & { readonly length: number };
/** Reads the entity that begins at a place, if one does. */
export type Reader = (text: string, at: number, lexicon: Lexicon) => Found | undefined;

/** A reader of one sticky pattern; it does not begin in the middle of a word. */
export function pattern(
  kind: EntityKind,
  expression: RegExp,
  value = (match: RegExpExecArray): string | undefined => match[0],
): Reader {
  return (text, at) => {
    if (at > 0 && /[\w@.~/\\-]/.test(text.charAt(at - 1))) return undefined;
    expression.lastIndex = at;
    const match = expression.exec(text);
    const found = match ? value(match) : undefined;
    return match && found !== undefined ? { kind, value: found, length: match[0].length } : undefined;
  };
}
