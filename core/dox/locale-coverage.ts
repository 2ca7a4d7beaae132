import type { FluentMessage } from "../discovery/fluent.ts";
import { isUntranslated, type LocaleShelf, type LocaleSubject } from "./locale-shelves.ts";

/** How much of a shelf a locale describes. */
export interface LocaleCoverage {
  /** Display path of the shelf's location, `.` for the root. */
  readonly path: string;
  readonly plugin: string | null;
  readonly bundled: boolean;
  /** Canonical tag. */
  readonly locale: string;
  /** How many descriptions there are to give. */
  readonly keys: number;
  /** Given, and not marked as untranslated. */
  readonly translated: number;
  readonly untranslated: number;
  readonly missing: number;
  /** Of 100, whole, rounded down: 100 means all. */
  readonly percent: number;
}

/** The message that gives a text for a key in a locale, if any does. */
export function textIn({ sources }: LocaleShelf, locale: string, key: string): FluentMessage | undefined {
  for (const source of sources) {
    if (source.locale !== locale) continue;
    const found = source.messages.find((message) => message.key === key && message.text !== undefined);
    if (found) return found;
  }
  return undefined;
}

/** What a locale does not describe, sorted by tool, then parameter; each key once. */
export function missingIn(shelf: LocaleShelf, locale: string): readonly LocaleSubject[] {
  const seen = new Set<string>();
  return shelf.subjects.filter(({ key }) => {
    if (seen.has(key) || textIn(shelf, locale, key)) return false;
    seen.add(key);
    return true;
  });
}

/** The figures of one locale. */
export function coverageOf(shelf: LocaleShelf, locale: string): LocaleCoverage {
  const { path, plugin, bundled, subjects } = shelf;
  const keys = [...new Set(subjects.map(({ key }) => key))];
  const texts = keys.map((key) => textIn(shelf, locale, key));
  const missing = texts.filter((text) => text === undefined).length;
  const untranslated = texts.filter((text) => text !== undefined && isUntranslated(text)).length;
  const translated = keys.length - missing - untranslated;
  return {
    path,
    plugin: plugin ?? null,
    bundled,
    locale,
    keys: keys.length,
    translated,
    untranslated,
    missing,
    percent: keys.length === 0 ? 100 : Math.floor((100 * translated) / keys.length),
  };
}
