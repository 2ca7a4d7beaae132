import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFluent } from "../../core/discovery/fluent.ts";
import { fillLocale, fluentText } from "../../core/dox/locale-fill.ts";
import {
  compareSubjects,
  type LocaleShelf,
  type LocaleSource,
  type LocaleSubject,
} from "../../core/dox/locale-shelves.ts";
import type { CheckedTool } from "../../core/dox/subject.ts";

function subjects(...keys: readonly (readonly [tool: string, parameter?: string])[]): readonly LocaleSubject[] {
  return keys
    .map(([id, parameter]): LocaleSubject => {
      const tool = { id } as CheckedTool;
      const english = `${parameter ?? id} in English`;
      return parameter
        ? { key: `tool-${id}-param-${parameter}`, tool, parameter: [parameter], english }
        : { key: `tool-${id}`, tool, english };
    })
    .sort(compareSubjects);
}

function shelf(list: readonly LocaleSubject[], sources: Readonly<Record<string, string>> = {}): LocaleShelf {
  const read = ([locale, text]: readonly [string, string]) =>
    ({ locale, file: `${locale}.ftl`, messages: readFluent(text).messages }) as unknown as LocaleSource;
  return { path: "p", plugin: "p", bundled: false, subjects: list, sources: Object.entries(sources).map(read) };
}

function fill(list: readonly LocaleSubject[], text: string | undefined, english?: string) {
  const german = text === undefined ? {} : { de: text.replace("\uFEFF", "") };
  const shelves = shelf(list, { ...german, ...(english ? { en: english } : {}) });
  const filled = fillLocale({ shelf: shelves, locale: "de", file: "de.ftl", text });
  if ("faults" in filled) throw new Error(filled.faults.map(({ message }) => message).join());
  return filled;
}

const ALL = subjects(["ant"], ["ant", "a"], ["ant", "b"], ["bee"], ["bee", "c"]);

describe("filling a locale", () => {
  it("writes a file that is not there: English, marked, sorted, a blank line between tools", () => {
    const { text, added } = fill(ALL, undefined, "tool-bee = A bee.\n");
    expect(text).toBe(
      [
        "# untranslated",
        "tool-ant = ant in English",
        "# untranslated",
        "tool-ant-param-a = a in English",
        "# untranslated",
        "tool-ant-param-b = b in English",
        "",
        "# untranslated",
        "tool-bee = A bee.",
        "# untranslated",
        "tool-bee-param-c = c in English",
        "",
      ].join("\n"),
    );
    expect(added).toHaveLength(5);
  });

  it("puts keys beside those that come before them, and keeps every byte of what is there", () => {
    const there = [
      "\uFEFF### mine",
      "",
      "tool-bee = Biene   ",
      "    und mehr",
      "",
      "## a group",
      "-term = x",
      "# about ants",
      "tool-ant-param-a = ah",
      "other = { -term }",
    ].join("\r\n");
    const { text, added } = fill(ALL, there);
    expect(added).toEqual(["tool-ant", "tool-ant-param-b", "tool-bee-param-c"]);
    expect(text).toBe(
      [
        "\uFEFF### mine",
        "",
        "tool-bee = Biene   ",
        "    und mehr",
        "# untranslated",
        "tool-bee-param-c = c in English",
        "",
        "## a group",
        "-term = x",
        "# untranslated",
        "tool-ant = ant in English",
        "# about ants",
        "tool-ant-param-a = ah",
        "# untranslated",
        "tool-ant-param-b = b in English",
        "other = { -term }",
      ].join("\r\n"),
    );
  });

  it("ends a last line that had no end", () => {
    expect(fill(subjects(["ant"]), "other = x").text).toBe("other = x\n\n# untranslated\ntool-ant = ant in English\n");
    expect(fill(subjects(["ant"], ["bee"]), "tool-ant = x").text).toBe(
      "tool-ant = x\n\n# untranslated\ntool-bee = bee in English",
    );
  });

  it("leaves a file alone that does not parse", () => {
    const filled = fillLocale({ shelf: shelf(ALL), locale: "de", file: "de.ftl", text: "ok = x\ntool-ant = {\n" });
    expect(filled).toMatchObject({ faults: [{ code: "LOCALE_SYNTAX", file: "de.ftl", line: 2 }] });
  });

  it("adds no key a second time whose text cannot be had", () => {
    expect(fill(subjects(["ant"]), "tool-ant = { -gone }\n").added).toEqual([]);
  });

  it("marks nothing in English", () => {
    const filled = fillLocale({ shelf: shelf(subjects(["ant"])), locale: "en", file: "en.ftl", text: undefined });
    expect(filled).toEqual({ text: "tool-ant = ant in English\n", added: ["tool-ant"] });
  });

  it("is exact and comes to rest, whatever is there (property)", () => {
    const key = fc.constantFrom(...ALL.map(({ key: name }) => name), "other", "-term");
    const value = fc.constantFrom("x", "x\n    y", "x\n\n    y");
    const piece = fc.oneof(
      fc.tuple(key, value).map(([name, text]) => `${name} = ${text}`),
      fc.constantFrom("# comment", "## group", "### file", ""),
    );
    const pieces = fc.uniqueArray(piece, { selector: (text) => text.split(" =")[0] });
    fc.assert(
      fc.property(pieces, fc.boolean(), (lines, ended) => {
        const there = lines.join("\n") + (ended && lines.length > 0 ? "\n" : "");
        const { text, added } = fill(ALL, there);
        const { messages, faults } = readFluent(text);
        const keys = messages.map(({ key: name }) => name).sort();
        expect(faults).toEqual([]);
        const expected = new Set([...readFluent(there).messages, ...ALL].map(({ key: name }) => name));
        expect(keys).toEqual([...expected].sort());
        // Without what was added it is what was there.
        let at = 0;
        for (const sign of text) if (sign === there[at]) at++;
        expect(at).toBe(there.length);
        const marked = messages.filter(({ comment }) => comment.endsWith("untranslated")).map(({ key: name }) => name);
        expect(marked.sort()).toEqual([...added].sort());
        expect(fill(ALL, text)).toEqual({ text, added: [] });
      }),
      { numRuns: 200 },
    );
  });

  it("writes texts that Fluent reads as they were (property)", () => {
    const sign = fc.constantFrom("a", " ", "\n", "{", "}", ".", "*", "[", '"', "=", "-", "#", "\t", "的");
    const plain = (given: string) =>
      given
        .trim()
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n");
    fc.assert(
      fc.property(fc.string({ unit: sign }), (given) => {
        const { messages, faults } = readFluent(`tool-a = ${fluentText(given)}\ntool-b = x\n`);
        expect(faults).toEqual([]);
        expect(messages.map(({ key }) => key)).toEqual(["tool-a", "tool-b"]);
        expect(messages[0]?.text).toBe(plain(given));
      }),
      { numRuns: 500 },
    );
  });
});
