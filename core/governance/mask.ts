import { formsOf, MIN_FORM_LENGTH } from "./mask-forms.ts";
import { createPatternSearch, type PatternSearch } from "./pattern-search.ts";

/** A secret by name. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** Takes secret values out of what leaves the host. */
export interface Masker {
  /**
   * `text` with every occurrence of a value, and of its forms in base64, URLs and JSON, replaced by
   * `§§secret(NAME)`; the very same text when there is none.
   *
   * Of those that begin at one place the longest counts. Where occurrences overlap, each that reaches beyond the one
   * before adds its name, and every character that any of them covers is gone. The placeholders of known names are
   * never looked into.
   */
  mask(text: string): string;
  /** A copy of a JSON value with all strings and keys masked; what holds nothing to mask is not copied. */
  maskJson<T>(value: T): T;
  /** Masks a text that comes in pieces, wherever it is cut. */
  stream(): MaskStream;
}

/** The pieces of one text, joined, are what {@link Masker.mask} would have made of the whole. */
export interface MaskStream {
  /** What can be shown by now; an end that could be the beginning of a secret is held back. */
  push(chunk: string): string;
  /** What was held back. The stream is then at the beginning of another text. */
  end(): string;
}

/** How the model and people see a secret. */
export function placeholderOf(name: string): string {
  return `§§secret(${name})`;
}

/** @param values shorter ones than 4 characters are ignored; of two names for one value the first serves */
export function createMasker(values: readonly SecretValue[]): Masker {
  const usable = values.filter(({ value }) => value.length >= MIN_FORM_LENGTH);
  if (usable.length === 0) {
    return {
      mask: (text) => text,
      maskJson: (value) => value,
      stream: () => ({ push: (chunk) => chunk, end: () => "" }),
    };
  }
  // Many commands never mask anything.
  let made: Patterns | undefined;
  const patterns = (): Patterns => {
    made ??= compile(usable);
    return made;
  };
  const mask = (text: string): string => {
    if (text.length < MIN_FORM_LENGTH) return text;
    const known = patterns();
    if (text.length < known.search.shortest) return text;
    const cover = { out: "", until: 0, last: "" };
    sweep(text, text.length, known, cover);
    return cover.until === 0 ? text : cover.out + text.slice(cover.until);
  };
  return {
    mask,
    maskJson: (value) => (holdsAny(value, patterns) ? (maskValue(value, mask) as typeof value) : value),
    stream: () => createStream(patterns),
  };
}

/** Every text that is replaced, and by what. A placeholder is replaced by itself, and so kept whole. */
interface Patterns {
  readonly search: PatternSearch;
  readonly replacements: readonly string[];
}

function compile(values: readonly SecretValue[]): Patterns {
  const replacements = new Map<string, string>();
  const add = (pattern: string, replacement: string): void => {
    if (!replacements.has(pattern)) replacements.set(pattern, replacement);
  };
  // What is literally a secret, or a placeholder, is nobody else's form.
  for (const { name } of values) add(placeholderOf(name), placeholderOf(name));
  for (const { name, value } of values) add(value, placeholderOf(name));
  for (const { name, value } of values) for (const form of formsOf(value)) add(form, placeholderOf(name));
  return { search: createPatternSearch([...replacements.keys()]), replacements: [...replacements.values()] };
}

/** How far a text is done: `out` stands for everything before `until`. `last` is what the last occurrence was replaced by. */
interface Cover {
  out: string;
  until: number;
  last: string;
}

/** Replaces the occurrences that begin before `before`. */
function sweep(text: string, before: number, { search, replacements }: Patterns, cover: Cover): void {
  search.each(text, before, (start, length, index) => {
    const end = start + length;
    if (end <= cover.until) return;
    const replacement = replacements[index] as string;
    if (start >= cover.until) cover.out += text.slice(cover.until, start) + replacement;
    else if (replacement !== cover.last) cover.out += replacement;
    cover.last = replacement;
    cover.until = end;
  });
}

function createStream(patterns: () => Patterns): MaskStream {
  let held = "";
  // Of the text that is held back so many characters are covered already.
  let covered = 0;
  let last = "";

  const advance = (text: string, before: number): string => {
    const cover = { out: "", until: covered, last };
    sweep(text, before, patterns(), cover);
    const { out, until } = cover;
    last = cover.last;
    const shown = until < before ? out + text.slice(until, before) : out;
    held = text.slice(before);
    covered = Math.max(0, until - before);
    return shown;
  };

  return {
    push(chunk) {
      const text = held + chunk;
      return advance(text, patterns().search.openEnd(text));
    },
    end() {
      const rest = advance(held, held.length);
      last = "";
      return rest;
    },
  };
}

/** Whether any text of a JSON value may need to be masked. One search over all of them is far cheaper than one for each. */
function holdsAny(value: unknown, patterns: () => Patterns): boolean {
  const texts: string[] = [];
  collectTexts(value, texts);
  let found = false;
  // An occurrence in one of the texts is one in all of them together; one across two is only looked at in vain.
  const all = texts.join("\0");
  patterns().search.each(all, all.length, () => {
    found = true;
  });
  return found;
}

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const item of value) collectTexts(item, into);
  else
    for (const key of Object.keys(value)) {
      into.push(key);
      collectTexts((value as Record<string, unknown>)[key], into);
    }
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? maskArray(value, mask) : maskObject(value, mask);
}

function maskArray(items: readonly unknown[], mask: (text: string) => string): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const masked = maskValue(items[index], mask);
    if (masked === items[index]) continue;
    copy ??= [...items];
    copy[index] = masked;
  }
  return copy ?? items;
}

function maskObject(value: object, mask: (text: string) => string): object {
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    const masked = maskValue(item, mask);
    const name = mask(key);
    changed ||= masked !== item || name !== key;
    entries.push([name, masked]);
  }
  return changed ? Object.fromEntries(entries) : value;
}
