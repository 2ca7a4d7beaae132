import { describe, expect, it } from "vitest";
import { canonicalLocale, chooseLocale, requireLocale } from "../../core/discovery/locale-tag.ts";
import { HostError } from "../../core/sdk/errors.ts";

const NOBODY = { option: undefined, profile: undefined, settings: undefined, env: {} };

describe("the language of descriptions", () => {
  it.each([
    ["the option first", { option: "fr", profile: "de", settings: "it", env: { LANG: "es" } }, "fr", "option"],
    ["then the profile", { profile: "de", settings: "it", env: { LANG: "es" } }, "de", "profile"],
    ["then the settings", { settings: "it", env: { LANG: "es" } }, "it", "settings"],
    ["then the system", { env: { LANG: "es" } }, "es", "system"],
    ["else English", {}, "en", "default"],
    ["what is no tag counts as not said", { profile: "?", settings: "it" }, "it", "settings"],
  ] as const)("%s", (_, wishes, locale, source) => {
    expect(chooseLocale({ ...NOBODY, ...wishes })).toMatchObject({ locale, source });
  });

  it.each([
    [{ LC_ALL: "zh_CN.UTF-8" }, "zh-CN"],
    [{ LC_ALL: "", LC_MESSAGES: "fr_CA", LANG: "de_DE.UTF-8" }, "fr-CA"],
    [{ LC_ALL: "C", LANG: "de_DE.UTF-8@euro" }, "de-DE"],
    [{ LC_ALL: "C.UTF-8", LC_MESSAGES: "POSIX", LANG: "C" }, "en"],
    [{ LANG: "not a language!" }, "en"],
    [{ LC_CTYPE: "zh_CN" }, "en"],
  ])("the system's %j means %s", (env, locale) => {
    expect(chooseLocale({ ...NOBODY, env }).locale).toBe(locale);
  });

  it.each([
    ["zh-CN", ["zh-CN", "zh", "en"]],
    ["fr-CA", ["fr-CA", "fr", "en"]],
    ["zh_hant_tw", ["zh-Hant-TW", "zh-Hant", "zh", "en"]],
    ["en", ["en"]],
    ["en-GB", ["en-GB", "en"]],
  ])("%s is looked up in %j", (option, chain) => {
    expect(chooseLocale({ ...NOBODY, option }).chain).toEqual(chain);
  });

  it("knows the canonical form of a tag, and what is none", () => {
    expect(["ZH_cn", "de-at", "en"].map(canonicalLocale)).toEqual(["zh-CN", "de-AT", "en"]);
    expect(["", "?", "a b", "e", "zh-CN.UTF-8", "../en"].map(canonicalLocale)).toEqual(Array(6).fill(undefined));
    expect(requireLocale(undefined)).toBeUndefined();
    expect(() => requireLocale("??")).toThrow(HostError);
    expect(() => requireLocale("??")).toThrow('expected a language tag such as en or zh-CN as locale, found "??"');
  });
});
