import { describe, expect, test } from "vitest";
import { findEntities } from "../../../core/model/offline/entities.ts";
import { createLexicon, stem } from "../../../core/model/offline/lexicon.ts";
import { analyse, contentTerms, unitOf } from "../../../core/model/offline/text.ts";

const lexicon = createLexicon();
const entities = (text: string) => findEntities(text, lexicon).map(({ kind, value }) => [kind, value]);

describe("findEntities", () => {
  test.each<[string, [string, string | number][]]>([
    ["How long is README.md?", [["path", "README.md"]]],
    [
      "src/a.ts and ../b/c.d.ts.",
      [
        ["path", "src/a.ts"],
        ["path", "../b/c.d.ts"],
      ],
    ],
    [
      "/etc/hosts ~/notes.md ./run",
      [
        ["path", "/etc/hosts"],
        ["path", "~/notes.md"],
        ["path", "./run"],
      ],
    ],
    [
      "in src/ or docs/intro",
      [
        ["path", "src/"],
        ["path", "docs/intro"],
      ],
    ],
    [
      ".gitignore, LICENSE and Makefile",
      [
        ["path", ".gitignore"],
        ["path", "LICENSE"],
        ["path", "Makefile"],
      ],
    ],
    ["C:\\x\\y.txt", [["path", "C:\\x\\y.txt"]]],
    ["README.md有几行", [["path", "README.md"]]],
    [
      "打开README.md和src/a.ts",
      [
        ["path", "README.md"],
        ["path", "src/a.ts"],
      ],
    ],
    ["docs/报告.md 有多长", [["path", "docs/报告.md"]]],
    ["报告.txt 有几行", [["path", "报告.txt"]]],
    ["统计报告.txt的行数", []],
    [
      "über.txt отчёт.md",
      [
        ["path", "über.txt"],
        ["path", "отчёт.md"],
      ],
    ],
    ["and/or, read/write, e.g. this", []],
    ["example.com costs 3.50", [["number", 3.5]]],
    ["see https://x.org/a.b?c=d, please", [["url", "https://x.org/a.b?c=d"]]],
    ["打开https://x.org/a。", [["url", "https://x.org/a"]]],
    ["mail bob@example.com", [["email", "bob@example.com"]]],
    [
      `"my file.txt" and 'two words'`,
      [
        ["path", "my file.txt"],
        ["quoted", "two words"],
      ],
    ],
    [
      "“提示词”和《书名》",
      [
        ["quoted", "提示词"],
        ["quoted", "书名"],
      ],
    ],
    ["`lib/x.js` isn't Bob's", [["path", "lib/x.js"]]],
    ['a quote " alone', []],
    [
      "2030-01-02 and 2030-01-02T03:04:05Z",
      [
        ["date", "2030-01-02"],
        ["date", "2030-01-02T03:04:05Z"],
      ],
    ],
    [
      "at 18:30, 6pm or 6:05 a.m.",
      [
        ["clock", "18:30"],
        ["clock", "18:00"],
        ["clock", "06:05"],
      ],
    ],
    [
      "12am 12pm",
      [
        ["clock", "00:00"],
        ["clock", "12:00"],
      ],
    ],
    [
      "下午6点半，晚上 9 点，早上八点二十分",
      [
        ["clock", "18:30"],
        ["clock", "21:00"],
        ["clock", "08:20"],
      ],
    ],
    [
      "30 -2 1,000 1.5 v2 a3",
      [
        ["number", 30],
        ["number", -2],
        ["number", 1000],
        ["number", 1.5],
      ],
    ],
    [
      "30s 5min 2h 9lives",
      [
        ["number", 30],
        ["number", 5],
        ["number", 2],
      ],
    ],
    [
      "lines 10-20",
      [
        ["number", 10],
        ["number", 20],
      ],
    ],
    [
      "two minutes, twenty-five lines",
      [
        ["number", 2],
        ["number", 25],
      ],
    ],
    [
      "half an hour, an hour, a file, one of them",
      [
        ["number", 0.5],
        ["number", 1],
      ],
    ],
    [
      "三十秒 两百五十行 半小时 一个半小时 一下",
      [
        ["number", 30],
        ["number", 250],
        ["number", 0.5],
        ["number", 1.5],
      ],
    ],
    [
      "code-review and snake_case",
      [
        ["slug", "code-review"],
        ["slug", "snake_case"],
      ],
    ],
  ])("%s", (text, expected) => {
    expect(entities(text)).toEqual(expected);
  });

  test("every entity stands where it says", () => {
    const text = "Read 20 lines of 'a b.txt' from https://x.org at 18:30 三十秒";
    for (const { start, end, value, kind } of findEntities(text, lexicon)) {
      if (kind === "path") expect(text.slice(start, end)).toBe(`'${value}'`);
      else if (kind !== "number") expect(text.slice(start, end)).toBe(value);
    }
  });
});

describe("analyse", () => {
  const terms = (text: string) => contentTerms(analyse(text, lexicon));

  test("words of a family have one meaning, in both languages", () => {
    expect(terms("How many rows?")).toEqual(terms("多少行？"));
    expect(terms("pausing")).toEqual(terms("暂停"));
    expect(terms("Display the contents")).toEqual(terms("显示内容"));
  });

  test("stop words and values are left out, unknown words keep their stem", () => {
    expect(terms("Could you please tell me the weathers of a.txt?")).toEqual(["weather"]);
  });

  test("a note is not a not", () => {
    expect(terms("note")).toEqual(["not"]);
    expect(analyse("note", lexicon).tokens[0]?.role).toBe("content");
    expect(analyse("do not", lexicon).tokens.at(-1)).toMatchObject({ term: "~not", role: "decisive" });
  });

  test("unknown Chinese words are pairs of signs, single signs are not cut out of them", () => {
    expect(terms("开发")).toEqual(["开发"]);
    expect(terms("工具开发")).toEqual(["工具", "具开", "开发"]);
  });

  test("the unit of a number is the next word, or is written with it", () => {
    for (const text of ["5 minutes", "5min", "5 分钟", "5分钟", "五分钟"]) {
      const utterance = analyse(text, lexicon);
      const number = utterance.tokens[0]?.entity;
      expect([text, number && unitOf(utterance, number)]).toEqual([text, "~minute"]);
    }
    const none = analyse("5, minutes", lexicon);
    const entity = none.tokens[0]?.entity;
    expect(entity && unitOf(none, entity)).toBeUndefined();
  });

  test("tokens stand where they say, in order", () => {
    const text = "How many lines does “我的 文件.txt” have — 好吗？ ＡＢＣ";
    let last = 0;
    for (const { start, end } of analyse(text, lexicon).tokens) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      expect(end).toBeLessThanOrEqual(text.length);
      last = start;
    }
  });
});

test.each([
  ["lines", "line"],
  ["line", "line"],
  ["pausing", "pause"],
  ["paused", "pause"],
  ["stopped", "stop"],
  ["entries", "entry"],
])("%s and %s have one stem", (a, b) => {
  expect(stem(a)).toBe(stem(b));
});

test.each(["is", "bus", "news", "class", "this", "see", "use"])("%s keeps its shape", (word) => {
  expect(word.startsWith(stem(word))).toBe(true);
  expect(stem(word).length).toBeGreaterThanOrEqual(2);
});
