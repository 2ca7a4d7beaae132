import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDiscovery, type View } from "../../core/discovery/discovery.ts";
import { parseLocale } from "../../core/discovery/locale-file.ts";
import { parameterKey, toolKey } from "../../core/discovery/locale-keys.ts";
import { makeTree, manifest, writeTree } from "../helpers/tree.ts";

const codes = (view: View) => view.localeKeys().diagnostics.map(({ code, file, line }) => [code, file, line]);

function open(files: Readonly<Record<string, string>>, locale = "de", more = {}) {
  const root = makeTree({ "agents/default/agent.yaml": "title: x\n", ...files });
  const discovery = openDiscovery({ root, home: root, locale, ...more });
  const words = () => discovery.view("default").toolTexts;
  return { root, discovery, words, view: () => discovery.view("default") };
}

describe("a tools.ftl", () => {
  it("gives finished texts: terms, other messages, literals, several lines", () => {
    const text = [
      "-brand = ACME",
      "# a comment",
      'tool-a = { -brand } says {"{"}hello{"}"}',
      "tool-b = first",
      "    second",
      "tool-c = { tool-a }!",
      "",
    ].join("\n");
    expect(parseLocale(text, "x.ftl")).toEqual({
      value: { "tool-a": "ACME says {hello}", "tool-b": "first\nsecond", "tool-c": "ACME says {hello}!" },
      diagnostics: [],
    });
  });

  it("loses of what is wrong the one key, and tells file, line and column", () => {
    const text = [
      "tool-a = one",
      "tool-b = { $x }",
      "tool-a = two",
      "tool-c = {",
      "tool-d = { tool-d }",
      "tool-e =",
      "    .only = an attribute",
      "= nothing",
      "tool-f = six",
      "",
    ].join("\r\n");
    const { value, diagnostics } = parseLocale(text, "x.ftl");
    expect(value).toEqual({ "tool-a": "one", "tool-f": "six" });
    expect(diagnostics.map(({ code, line, column, severity }) => [code, line, column, severity])).toEqual([
      ["LOCALE_SYNTAX", 4, 1, "error"],
      ["LOCALE_SYNTAX", 8, 1, "error"],
      ["LOCALE_REFERENCE", 2, 1, "error"],
      ["LOCALE_DUPLICATE", 3, 1, "error"],
      ["LOCALE_REFERENCE", 5, 1, "error"],
      ["LOCALE_REFERENCE", 6, 1, "error"],
    ]);
    expect(diagnostics[0]?.message).toBe('expected token: "}"; found "tool-c = {"');
    expect(diagnostics.every(({ file }) => file === "x.ftl")).toBe(true);
  });

  it("has keys with - in place of _ and of what a key cannot hold; nested names are joined", () => {
    expect(toolKey("word_count")).toBe("tool-word-count");
    expect(parameterKey("word_count", ["max_lines"])).toBe("tool-word-count-param-max-lines");
    expect(parameterKey("x", ["a_b", "c.d", "eF", "$g"])).toBe("tool-x-param-a-b-c-d-eF--g");
  });
});

describe("descriptions of a view", () => {
  it("are looked up key by key: the language, what it is a kind of, English", () => {
    const { words } = open(
      {
        "usr/plugins/p/plugin.yaml": manifest("p"),
        "usr/plugins/p/locales/fr-CA/tools.ftl": "tool-a = Québec\n",
        "usr/plugins/p/locales/fr/tools.ftl": "tool-a = France\ntool-b = France\n",
        "usr/plugins/p/locales/en/tools.ftl": "tool-a = en\ntool-b = en\ntool-c = en\n",
        "usr/plugins/p/locales/de/tools.ftl": "tool-d = de\n",
      },
      "fr-CA",
    );
    const found = ["a", "b", "c", "d"].map((tool) => words().description(tool));
    expect(found.map((one) => one && [one.text, one.locale])).toEqual([
      ["Québec", "fr-CA"],
      ["France", "fr"],
      ["en", "en"],
      undefined,
    ]);
  });

  it("come from the highest layer that has the key, the language before the layer", () => {
    const { words } = open({
      "usr/plugins/p/plugin.yaml": manifest("p"),
      "usr/plugins/p/locales/de/tools.ftl": "tool-a = Plugin\ntool-b = Plugin\n",
      "usr/locales/de/tools.ftl": "tool-a = usr\n",
      "usr/locales/en/tools.ftl": "tool-a = en\ntool-b = en\n",
      "locales/de/tools.ftl": "tool-a = root\ntool-c = root\n",
    });
    const texts = ["a", "b", "c"].map((tool) => words().description(tool)?.text);
    expect(texts).toEqual(["usr", "Plugin", "root"]);
    expect(words().parameter("a", ["x"])).toBeUndefined();
  });

  it("are of what is on: a plugin that is off says nothing", () => {
    const { words } = open({
      "usr/plugins/p/plugin.yaml": manifest("p"),
      "usr/plugins/p/.toggle-0": "",
      "usr/plugins/p/locales/de/tools.ftl": "tool-a = aus\n",
    });
    expect(words().description("a")).toBeUndefined();
  });

  it("look at the languages of the chain only, in any spelling of a tag", () => {
    const { view, words } = open(
      {
        "usr/locales/zh_cn/tools.ftl": "tool-a = 甲\n",
        "usr/locales/de/tools.ftl": "broken = {\n",
        "usr/locales/en/other.ftl": "broken = {\n",
      },
      "zh-CN",
    );
    expect(words().description("a")).toMatchObject({ text: "甲", locale: "zh-CN" });
    expect(codes(view())).toEqual([]);
  });

  it("are joined, so files do not collide; keys of one sub-row do", () => {
    const { view, words } = open({
      "usr/plugins/a/plugin.yaml": manifest("a"),
      "usr/plugins/a/locales/de/tools.ftl": "tool-a = erste\n",
      "usr/plugins/b/plugin.yaml": manifest("b"),
      "usr/plugins/b/locales/de/tools.ftl": "tool-a = zweite\ntool-b = b\n",
    });
    expect(view().diagnostics).toEqual([]);
    expect(words().description("a")?.text).toBe("erste");
    expect(words().description("b")?.text).toBe("b");
    expect(codes(view())).toEqual([["LOCALE_COLLISION", "usr/plugins/b/locales/de/tools.ftl", undefined]]);
    const standings = view().catalog.get("locale", "de/tools.ftl")?.standings ?? [];
    expect(standings.map(({ state }) => state)).toEqual(["wins", "shadowed"]);
    expect(standings[1]?.reason).toContain("its keys hold where higher ones say nothing");
  });

  it("take up an edited file, and nothing else anew", () => {
    const { root, discovery, words } = open({
      "usr/locales/de/tools.ftl": "tool-a = eins\n",
      "usr/prompts/x.md": "x",
    });
    expect(words().description("a")?.text).toBe("eins");
    const before = discovery.view("default").localeKeys();
    writeTree(root, { "usr/prompts/x.md": "other" });
    discovery.refresh({ only: [`${root}/usr/prompts/x.md`] });
    expect(discovery.view("default").localeKeys()).toBe(before);
    writeTree(root, { "usr/locales/de/tools.ftl": "tool-a = zwei!\n" });
    discovery.refresh({ only: [`${root}/usr/locales/de/tools.ftl`] });
    expect(words().description("a")?.text).toBe("zwei!");
    expect(before.texts.get("de")?.get("tool-a")?.text).toBe("eins");
  });

  it("come from the index where it knows the file: no package for Fluent is loaded", () => {
    const cacheDir = mkdtempSync(join(tmpdir(), "toolroom-index-"));
    onTestFinished(() => rmSync(cacheDir, { recursive: true }));
    const later = { cacheDir, now: () => Date.now() + 60_000 };
    const files = { "usr/locales/de/tools.ftl": "tool-a = eins\nbroken = {\n" };
    const { root, discovery, view } = open(files, "de", later);
    expect(codes(view())).toHaveLength(1);
    expect(discovery.save()).toBeUndefined();
    const { cache } = createRequire(import.meta.url);
    const loaded = () => Object.keys(cache).filter((file) => file.includes("@fluent"));
    expect(loaded()).toHaveLength(2);
    for (const file of loaded()) delete cache[file];
    const again = openDiscovery({ root, home: root, locale: "de", ...later }).view("default");
    expect(again.toolTexts.description("a")?.text).toBe("eins");
    expect(codes(again)).toEqual(codes(view()));
    expect(loaded()).toEqual([]);
  });
});
