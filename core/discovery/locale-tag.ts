import { diagnostic, hostError } from "../diagnostics.ts";
import type { Check } from "./fields.ts";

/** The language that descriptions are always looked for in, after all others. */
export const LAST_LOCALE = "en";

/** What a settings file or a profile may name. */
export const LOCALE: Check = {
  expected: "a language tag such as en or zh-CN",
  admits: (value) => typeof value === "string" && canonicalLocale(value) !== undefined,
};

/** Where the language of descriptions was chosen. */
type LocaleSource = "option" | "profile" | "settings" | "system" | "default";

/** The language of descriptions, and those that stand in for it. */
export interface LocaleChoice {
  /** Canonical: `zh-CN`. */
  readonly locale: string;
  readonly source: LocaleSource;
  /** Canonical tags in which a key is looked up, first to last: the locale, what it is a kind of, `en`. */
  readonly chain: readonly string[];
}

/** What {@link chooseLocale} looks at, the first that names one first. */
interface LocaleWishes {
  readonly option: string | undefined;
  readonly profile: string | undefined;
  readonly settings: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The locale that was asked for; a tag that is none counts as not said. */
export function chooseLocale({ option, profile, settings, env }: LocaleWishes): LocaleChoice {
  for (const [source, tag] of Object.entries({ option, profile, settings }) as [LocaleSource, string | undefined][]) {
    const locale = tag === undefined ? undefined : canonicalLocale(tag);
    if (locale !== undefined) return { locale, source, chain: chainOf(locale) };
  }
  const system = systemLocale(env);
  if (system !== undefined) return { locale: system, source: "system", chain: chainOf(system) };
  return { locale: LAST_LOCALE, source: "default", chain: [LAST_LOCALE] };
}

/** The canonical form of a language tag, `zh_cn` taken for `zh-CN`; undefined for what is none. */
export function canonicalLocale(tag: string): string | undefined {
  if (tag === LAST_LOCALE) return tag;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}

/** @throws HostError LOCALE_INVALID (usage) */
export function requireLocale(tag: string | undefined): string | undefined {
  if (tag === undefined) return undefined;
  const locale = canonicalLocale(tag);
  if (locale !== undefined) return locale;
  const message = `expected ${LOCALE.expected} as locale, found ${JSON.stringify(tag)}`;
  throw hostError(diagnostic("LOCALE_INVALID", { message }), "usage");
}

/** `zh-Hant-TW` gives `zh-Hant-TW`, `zh-Hant`, `zh`, `en`. */
function chainOf(locale: string): readonly string[] {
  const parts = locale.split("-");
  const longest = parts.map((_, at) => parts.slice(0, parts.length - at).join("-"));
  return [...new Set([...longest, LAST_LOCALE])];
}

/**
 * What the system speaks: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that names a language. `zh_CN.UTF-8` means
 * `zh-CN`; `C` and `POSIX` name none.
 */
function systemLocale(env: LocaleWishes["env"]): string | undefined {
  for (const name of ["LC_ALL", "LC_MESSAGES", "LANG"]) {
    const tag = /^[^.@]*/u.exec(env[name] ?? "")?.[0] ?? "";
    if (tag === "" || tag === "C" || tag === "POSIX") continue;
    const locale = canonicalLocale(tag);
    if (locale !== undefined) return locale;
  }
  return undefined;
}
