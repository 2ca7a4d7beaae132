import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { LAST_LOCALE, requireLocale } from "../discovery/locale-tag.ts";
import { coverageOf, type LocaleCoverage } from "../dox/locale-coverage.ts";
import { fillLocale } from "../dox/locale-fill.ts";
import { type LocaleShelf, localeShelves } from "../dox/locale-shelves.ts";
import { fileOf, localesOf } from "../dox/locales.ts";
import { createWorkspace } from "../governance/workspace.ts";
import { HostError } from "../sdk/errors.ts";
import { nearest } from "../sdk/nearest.ts";
import { type CheckParts, subjectOf } from "./check-subject.ts";

/** What `locales` takes. */
export interface LocaleQuestion {
  /** Default: the locales that each plugin has, and English. */
  readonly locale?: string;
  /** Default: all plugins of the root, and the root itself. */
  readonly plugin?: string;
}

/** What `fillLocale` takes. */
export interface FillQuestion extends LocaleQuestion {
  readonly locale: string;
}

/** The answer of `fillLocale`. */
export interface FilledLocales {
  /** The files that were written, sorted, with the keys that were added. */
  readonly files: readonly { readonly file: string; readonly added: readonly string[] }[];
  /** What keeps a file from being filled. */
  readonly diagnostics: readonly Diagnostic[];
}

/** How much of the root's content is described in which languages. @throws HostError LOCALE_INVALID, USAGE (usage) */
export async function localeCoverage(
  parts: CheckParts,
  { locale, plugin }: LocaleQuestion,
): Promise<readonly LocaleCoverage[]> {
  const wanted = requireLocale(locale);
  const shelves = shelvesOf(localeShelves(await subjectOf(parts, true)), plugin);
  return shelves.flatMap((shelf) => {
    const locales = wanted === undefined ? [...new Set([LAST_LOCALE, ...localesOf(shelf)])].sort() : [wanted];
    return locales.map((one) => coverageOf(shelf, one));
  });
}

/**
 * Adds what is missing to the `tools.ftl` of a locale, in every plugin of the root and in the root itself.
 * @throws HostError LOCALE_INVALID, USAGE (usage), FIX_REFUSED for a file that cannot be written
 */
export async function fillLocales(parts: CheckParts, { locale: tag, plugin }: FillQuestion): Promise<FilledLocales> {
  const locale = requireLocale(tag) as string;
  const shelves = shelvesOf(localeShelves(await subjectOf(parts, true)), plugin);
  const files: FilledLocales["files"][number][] = [];
  const diagnostics: Diagnostic[] = [];
  for (const shelf of shelves.filter(({ subjects }) => subjects.length > 0)) {
    const file = shelf.sources.find((source) => source.locale === locale)?.file ?? fileOf(shelf, locale);
    const text = exactText(resolve(parts.root, file), file);
    const filled = typeof text === "object" ? { faults: [text] } : fillLocale({ shelf, locale, file, text });
    if ("faults" in filled) diagnostics.push(...filled.faults);
    else if (filled.added.length > 0) {
      await write(parts.root, file, filled.text);
      files.push({ file, added: filled.added });
    }
  }
  return { files, diagnostics };
}

function shelvesOf(shelves: readonly LocaleShelf[], plugin: string | undefined): readonly LocaleShelf[] {
  if (plugin === undefined) return shelves;
  const found = shelves.filter((shelf) => shelf.plugin === plugin);
  if (found.length > 0) return found;
  const names = [...new Set(shelves.flatMap((shelf) => shelf.plugin ?? []))];
  const close = nearest(plugin, names);
  const hint = close ? ` Did you mean ${close}?` : "";
  const message = `USAGE: expected a plugin of the root with tools (${names.join(", ") || "it has none"}), found ${plugin}.${hint}`;
  throw new HostError("USAGE", message, { kind: "usage" });
}

/** What has to come out again byte for byte must be text; undefined for a file that is not there. */
function exactText(file: string, shown: string): string | undefined | Diagnostic {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return diagnostic("FILE_UNREADABLE", { file: shown, message: `expected UTF-8 text: ${message}` });
  }
}

async function write(root: string, file: string, text: string): Promise<void> {
  const workspace = await createWorkspace({ root });
  try {
    await workspace.write(file, text);
  } catch (error) {
    const message = `${file}: expected a file of the root that can be written: ${(error as Error).message}`;
    throw hostError(diagnostic("FIX_REFUSED", { message }));
  }
}
