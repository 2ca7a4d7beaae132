import { isAbsolute } from "node:path";
import { type Diagnostic, type DiagnosticFields, diagnostic } from "../diagnostics.ts";
import { TOOLS_FILE, toolKey } from "../discovery/locale-keys.ts";
import { canonicalLocale, LAST_LOCALE } from "../discovery/locale-tag.ts";
import { readLocales } from "../discovery/locale-texts.ts";
import { nearest } from "../sdk/nearest.ts";
import { coverageOf, missingIn, textIn } from "./locale-coverage.ts";
import {
  type LocaleShelf,
  type LocaleSource,
  type LocaleSubject,
  localeFiles,
  localeShelves,
} from "./locale-shelves.ts";
import { keysInUse } from "./locale-use.ts";
import { checkTranslations } from "./readme-translation.ts";
import type { CheckSubject } from "./subject.ts";

/**
 * Whether descriptions in all languages agree with the tools that they describe, and with each other:
 *
 * - what does not parse or refers to nothing, and keys that two files claim, in every language;
 * - keys that are missing: bundled content has all of them in English and in every language that any of it is shipped in
 *   (error); a person's plugin in the languages that it has (warning; in English info, since fragments and schemas are
 *   English);
 * - keys of no tool or parameter; keys that mean two things;
 * - other placeholders than the English text; scripts that the language is not written in;
 * - how much is translated, where it is not all;
 * - translations of the product's README.
 */
export function checkLocales(subject: CheckSubject): readonly Diagnostic[] {
  const shelves = localeShelves(subject);
  const required = [...new Set([LAST_LOCALE, ...shelves.filter(({ bundled }) => bundled).flatMap(localesOf)])].sort();
  const inUse = keysInUse(subject, shelves);
  return [
    ...faults(subject),
    ...ambiguities(shelves),
    ...shelves.flatMap((shelf) => [
      ...(shelf.bundled ? required : localesOf(shelf)).flatMap((locale) => missing(shelf, locale)),
      ...(shelf.bundled ? [] : withoutEnglish(shelf)),
      ...shelf.sources.flatMap((source) => [
        ...unused(shelf, source, inUse),
        ...placeholders(shelf, source),
        ...scripts(source),
      ]),
      ...localesOf(shelf).flatMap((locale) => coverage(shelf, locale)),
    ]),
    ...checkTranslations(subject),
  ];
}

/** The languages of a shelf, sorted. */
export function localesOf({ sources }: LocaleShelf): readonly string[] {
  return [...new Set(sources.map(({ locale }) => locale))].sort();
}

/** Display path of the file of a locale that a shelf has not. */
export function fileOf({ path }: Pick<LocaleShelf, "path">, locale: string): string {
  return `${path === "." ? "" : `${path}/`}locales/${locale}/${TOOLS_FILE}`;
}

/** What is wrong with files by themselves, whatever language is spoken now. */
function faults({ profiles }: CheckSubject): readonly Diagnostic[] {
  const files = localeFiles(profiles.map(({ view }) => view));
  const tags = new Set(files.map(({ id }) => id.slice(0, -TOOLS_FILE.length - 1)));
  const locales = [...tags].flatMap((tag) => canonicalLocale(tag) ?? []);
  const found = profiles.flatMap(({ view }) => readLocales(view.catalog, view, locales).diagnostics);
  const misnamed = files.flatMap(({ id, path }) => {
    const tag = id.slice(0, -TOOLS_FILE.length - 1);
    const locale = canonicalLocale(tag);
    if (locale === tag) return [];
    const message = `expected the directory of a locale to be named by its tag, such as zh-CN, found ${tag}`;
    const hint = locale === undefined ? "Rename the directory; nothing in it is read." : `Rename it to ${locale}.`;
    return [diagnostic("LOCALE_DIRECTORY", { file: path, message, hint })];
  });
  return [...found, ...misnamed].filter(({ file }) => file !== undefined && !isAbsolute(file));
}

/** Two different things with one key: the same words would describe both. */
function ambiguities(shelves: readonly LocaleShelf[]): readonly Diagnostic[] {
  const first = new Map<string, LocaleSubject>();
  return shelves
    .flatMap(({ subjects }) => subjects)
    .flatMap((subject) => {
      const other = first.get(subject.key) ?? subject;
      first.set(subject.key, other);
      if (nameOf(other) === nameOf(subject)) return [];
      const message = `the key ${subject.key} means ${nameOf(other)} of ${other.tool.file}, and ${nameOf(subject)}`;
      const hint = "Rename one of the two: in keys _ and all that is no letter or digit is -.";
      return [diagnostic("LOCALE_AMBIGUOUS", { file: subject.tool.file, message, hint })];
    });
}

function missing(shelf: LocaleShelf, locale: string): readonly Diagnostic[] {
  const source = shelf.sources.find((one) => one.locale === locale);
  const file = source?.file ?? fileOf(shelf, locale);
  const severity = shelf.bundled ? "error" : locale === LAST_LOCALE ? "info" : "warning";
  const found = source ? "the file has none" : "there is no such file";
  const hint = `\`toolroom locales fill --locale ${locale}\` adds it${locale === LAST_LOCALE ? "" : ", untranslated"}.`;
  return missingIn(shelf, locale).map((subject) => {
    const message = `expected ${subject.key}, the description of ${nameOf(subject)}; ${found}`;
    return diagnostic("LOCALE_MISSING", { severity, ...placeFor(source, subject, file), message, hint });
  });
}

/** One finding for all: English words are there, in fragments and schemas. */
function withoutEnglish(shelf: LocaleShelf): readonly Diagnostic[] {
  const locales = localesOf(shelf);
  if (locales.length === 0 || shelf.subjects.length === 0 || locales.includes(LAST_LOCALE)) return [];
  const message = `expected English beside ${locales.join(", ")}, found none; in English, fragments and schemas describe the tools`;
  const hint = `\`toolroom locales fill --locale ${LAST_LOCALE}\` writes it.`;
  return [diagnostic("LOCALE_MISSING", { severity: "info", file: fileOf(shelf, LAST_LOCALE), message, hint })];
}

/** The place of a key that is not there: that of the tool's own key. */
function placeFor(
  source: LocaleSource | undefined,
  { tool }: LocaleSubject,
  file: string,
): Pick<DiagnosticFields, "file" | "line" | "column"> {
  const near = source?.messages.find(({ key }) => key === toolKey(tool.id));
  return near ? { file, line: near.line, column: near.column } : { file };
}

function unused(shelf: LocaleShelf, source: LocaleSource, inUse: ReturnType<typeof keysInUse>): readonly Diagnostic[] {
  const referred = new Set(source.messages.flatMap(({ placeholders: names }) => names));
  return source.messages.flatMap(({ key, line, column, attributes }) => {
    const at = { severity: shelf.bundled ? "error" : "warning", file: source.file, line, column } as const;
    const found: Diagnostic[] = attributes.map((name) =>
      diagnostic("LOCALE_UNUSED", {
        ...at,
        message: `nothing reads the attribute .${name} of ${key}`,
        hint: "Remove it.",
      }),
    );
    if (referred.has(key) || inUse(shelf, key)) return found;
    const meant = nearest(
      key,
      missingIn(shelf, source.locale).map((subject) => subject.key),
    );
    const message = `no tool or parameter has the key ${key}`;
    const hint = meant ? `Did you mean ${meant}?` : "Remove it, or name it after a tool or parameter that there is.";
    return [...found, diagnostic("LOCALE_UNUSED", { ...at, message, hint })];
  });
}

function placeholders(shelf: LocaleShelf, { locale, file, messages }: LocaleSource): readonly Diagnostic[] {
  if (locale === LAST_LOCALE) return [];
  return messages.flatMap(({ key, line, column, placeholders: names }) => {
    const english = textIn(shelf, LAST_LOCALE, key);
    const [expected, found] = [told(english?.placeholders ?? names), told(names)];
    if (expected === found) return [];
    const message = `${key}: expected the placeholders of the English text, ${expected}; found ${found}`;
    return [diagnostic("LOCALE_PLACEHOLDERS", { file, line, column, message })];
  });
}

function told(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `{ ${name} }`).join(", ");
}

const OF_EAST_ASIA = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** A stray word of another language is easily overlooked: Chinese in French, for one. */
function scripts({ locale, file, messages }: LocaleSource): readonly Diagnostic[] {
  if (new Intl.Locale(locale).maximize().script !== "Latn") return [];
  return messages.flatMap(({ key, text, line, column }) => {
    const found = OF_EAST_ASIA.exec(text ?? "")?.[0];
    if (found === undefined) return [];
    const message = `${key}: expected Latin letters in ${locale}, found ${JSON.stringify(found)}`;
    return [diagnostic("LOCALE_SCRIPT", { file, line, column, message })];
  });
}

function coverage(shelf: LocaleShelf, locale: string): readonly Diagnostic[] {
  const { keys, translated, untranslated, missing: absent, percent } = coverageOf(shelf, locale);
  if (translated === keys) return [];
  const severity = shelf.bundled ? "warning" : "info";
  const parts = [absent > 0 ? `${absent} missing` : "", untranslated > 0 ? `${untranslated} untranslated` : ""];
  const where = shelf.path === "." ? "the root" : shelf.path;
  const message = `${locale} has ${translated} of the ${keys} descriptions of ${where} (${percent} %): ${parts.filter(Boolean).join(", ")}`;
  const file = shelf.sources.find((source) => source.locale === locale)?.file ?? fileOf(shelf, locale);
  return [diagnostic("LOCALE_COVERAGE", { severity, file, message })];
}

function nameOf({ tool, parameter }: LocaleSubject): string {
  return parameter ? `the parameter ${parameter.join(".")} of ${tool.id}` : `the tool ${tool.id}`;
}
