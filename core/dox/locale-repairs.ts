import { LAST_LOCALE } from "../discovery/locale-tag.ts";
import { fillLocale } from "./locale-fill.ts";
import { localeShelves } from "./locale-shelves.ts";
import { fileOf } from "./locales.ts";
import type { CheckSubject, Edit } from "./subject.ts";

/**
 * English descriptions that are missing where English has a file, or must have one: the words of fragments, modules and
 * schemas. What nobody has described is left to its author, and so is every other language.
 */
export function localeRepairs(subject: CheckSubject): readonly Edit[] {
  return localeShelves(subject).flatMap((shelf) => {
    const source = shelf.sources.find(({ locale }) => locale === LAST_LOCALE);
    const described = shelf.subjects.filter(({ english }) => english);
    if ((!source && !shelf.bundled) || described.length === 0) return [];
    const file = source?.file ?? fileOf(shelf, LAST_LOCALE);
    const known = { ...shelf, subjects: described };
    const filled = fillLocale({ shelf: known, locale: LAST_LOCALE, file, text: subject.files.read(file) });
    if ("faults" in filled || filled.added.length === 0) return [];
    return [{ file, description: `add ${filled.added.join(", ")}`, text: filled.text }];
  });
}
