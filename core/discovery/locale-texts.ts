import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { Candidate, Catalog } from "./catalog.ts";
import type { Contents } from "./contents.ts";
import { TOOLS_FILE } from "./locale-keys.ts";
import { canonicalLocale } from "./locale-tag.ts";

/** A text of a locale, and the file that gives it. */
export interface LocaleText {
  readonly text: string;
  /** Canonical. */
  readonly locale: string;
  readonly candidate: Candidate;
}

/** What the `tools.ftl` of all layers say, by locale (canonical) and key: of the files that have a key, the highest. */
export interface LocaleKeys {
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, LocaleText>>;
  /** Schemas with these words, by the schema that they were made of and the tool's id: the same as long as the words are. */
  readonly described: WeakMap<JsonSchema, Map<string, JsonSchema>>;
  /** What is wrong in the files, and keys that two files of one sub-row claim. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the `tools.ftl` of some locales in all layers. A file of a higher layer does not replace the one of a lower: each
 * key is looked up by itself.
 * @param locales canonical; the files of others are not looked at
 */
export function readLocales(
  catalog: Pick<Catalog, "list">,
  contents: Pick<Contents, "localeTexts">,
  locales: readonly string[],
): LocaleKeys {
  const texts = new Map<string, Map<string, LocaleText>>();
  const diagnostics: Diagnostic[] = [];
  for (const [locale, files] of filesOf(catalog, locales)) {
    const keys = new Map<string, LocaleText>();
    texts.set(locale, keys);
    for (const candidate of files) {
      const { texts: found, diagnostics: faults } = contents.localeTexts(candidate);
      diagnostics.push(...faults);
      for (const [key, text] of Object.entries(found)) {
        const higher = keys.get(key);
        if (!higher) keys.set(key, { text, locale, candidate });
        else if (higher.candidate.order === candidate.order)
          diagnostics.push(collision(key, higher.candidate, candidate));
      }
    }
  }
  return { texts, described: new WeakMap(), diagnostics };
}

/** The files that count, by locale, highest first. */
function filesOf(
  catalog: Pick<Catalog, "list">,
  locales: readonly string[],
): ReadonlyMap<string, readonly Candidate[]> {
  const files = new Map<string, Candidate[]>();
  for (const { id, standings } of catalog.list("locale")) {
    const [directory, name] = id.split("/");
    const locale = name === TOOLS_FILE ? canonicalLocale(directory as string) : undefined;
    if (locale === undefined || !locales.includes(locale)) continue;
    const on = standings.map(({ candidate }) => candidate).filter(({ off }) => !off);
    const known = files.get(locale);
    // Two spellings of one tag: `zh-CN` and `zh_cn`.
    if (known)
      files.set(
        locale,
        [...known, ...on].sort((a, b) => a.order - b.order),
      );
    else files.set(locale, on);
  }
  return files;
}

function collision(key: string, first: Candidate, second: Candidate): Diagnostic {
  const files = [first, second]
    .map(({ path, plugin }) => (plugin === undefined ? path : `${path} (plugin ${plugin})`))
    .join(" and ");
  return diagnostic("LOCALE_COLLISION", {
    file: second.path,
    message: `${key} is claimed by ${files}, which stand side by side; ${first.path} serves`,
    hint: "Remove the key from one of them, or put one of the two into a higher layer.",
  });
}
