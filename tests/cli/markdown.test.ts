import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Colors } from "../../core/cli/colors.ts";
import { createMarkdownStream } from "../../core/cli/markdown.ts";

/** Colours that can be read. */
const tag = (name: string) => (text: unknown) => `<${name}>${text}</${name}>`;
const COLORS = {
  isColorSupported: true,
  bold: tag("b"),
  italic: tag("i"),
  underline: tag("u"),
  cyan: tag("c"),
  dim: tag("d"),
  red: tag("r"),
  yellow: tag("y"),
} as Colors;

function render(...pieces: string[]): string {
  const stream = createMarkdownStream(COLORS);
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

/** Pieces of one style, joined: where a text was cut does not count. */
function joined(text: string): string {
  const next = text.replace(/<\/(\w)><\1>/gu, "");
  return next === text ? text : joined(next);
}

describe("markdown for a terminal", () => {
  test.each([
    ["# One", "<b><u>One</u></b>"],
    ["### Three `x`", "<b>Three <c>x</c></b>"],
    ["#no heading", "#no heading"],
    ["- one\n* two\n  + three", "• one\n• two\n  • three"],
    ["1. one\n2) two", "1. one\n2) two"],
    ["> said\nI say", "<d>│ </d>said\nI say"],
    ["---", `<d>${"─".repeat(40)}</d>`],
    ["a **bold** and *slanted* word, _too_", "a <b>bold</b> and <i>slanted</i> word, <i>too</i>"],
    ["***both***", "<i><b>both</b></i>"],
    ["**a *b* c**", "<b>a <i>b</i> c</b>"],
    ["这是**重点**内容", "这是<b>重点</b>内容"],
    ["`a * b` and ``x ` y``", "<c>a * b</c> and <c>x ` y</c>"],
    ["**`a**b`**", "<b><c>a**b</c></b>"],
    ["see [the page](https://x.y/z) now", "see the page<d> (https://x.y/z)</d> now"],
    ["[https://x.y](https://x.y)", "https://x.y"],
    ["[1] and [x] and f[i](j", "[1] and [x] and f[i](j"],
    ["\\*no\\* C:\\dir", "*no* C:\\dir"],
    ["```ts\nconst a = **b**;\n\n# c\n```\nafter", "  <c>const a = **b**;</c>\n  \n  <c># c</c>\nafter"],
    ["~~~\n```\n~~~", "  <c>```</c>\n"],
    ["| a | b |\n|---|---|", "| a | b |\n|---|---|"],
    ["", ""],
    ["a\n\nb\n", "a\n\nb\n"],
  ])("%j", (text, shown) => {
    expect(joined(render(text))).toBe(shown);
  });

  test.each([
    "2 * 3 * 4 = 24, 2*3*4",
    "snake_case_name and __init__.py_x",
    "**/*.ts and src/*/x",
    "**never closed",
    "`never closed",
    "a ** b ** c",
    "-5 and +3",
    "100 %",
    "[never closed](http",
  ])("%j stays as it is", (text) => {
    expect(render(text)).toBe(text);
    expect(render(`${text}\n`)).toBe(`${text}\n`);
  });

  test("what can be shown is shown at once, and a mark waits for its other half only", () => {
    const stream = createMarkdownStream(COLORS);
    expect(
      ["Once upon", " a **ti", "me** the", "re was `x", "` and\n", "#", "# Then", " more"].map(stream.push),
    ).toEqual(["Once upon", " a ", "<b>time</b> the", "re was ", "<c>x</c> and\n", "", "<b>Then</b>", "<b> more</b>"]);
    expect(stream.end()).toBe("");
  });

  test("a line that opens something and never closes it does not wait for ever", () => {
    const stream = createMarkdownStream(COLORS);
    const word = "word ".repeat(20);
    const shown = ["*", ...Array.from({ length: 10 }, () => word)].map(stream.push).join("");
    expect(shown.length).toBeGreaterThan(500);
    expect(shown + stream.end()).toBe(`*${word.repeat(10)}`);
  });

  test("a text that ends in the middle of something ends there; the next begins anew", () => {
    const stream = createMarkdownStream(COLORS);
    expect(stream.push("```\ncode\n**") + stream.end()).toBe("  <c>code</c>\n  <c>**</c>");
    expect(stream.push("**a**") + stream.end()).toBe("<b>a</b>");
  });

  test("without colours it is the text", () => {
    const plain = { ...COLORS, isColorSupported: false };
    const stream = createMarkdownStream(plain);
    expect(stream.push("# **a**\n`") + stream.end()).toBe("# **a**\n`");
  });

  test.each([
    "[\\]()[x](y)",
    "[a\\]b](c)",
    '[x](y "a)b") c',
    "[x](<y> )",
    "[x](a b) c",
    "a [b\\\\](c)",
    "_b_c_*_*",
    "字> _---_*\\**",
  ])("%s is shown the same, cut at any place", (text) => {
    const whole = createMarkdownStream(COLORS);
    const expected = whole.push(text) + whole.end();
    for (let cut = 1; cut < text.length; cut++) {
      const stream = createMarkdownStream(COLORS);
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end(), String(cut)).toBe(expected);
    }
  });

  test("wherever it is cut, the same is shown", () => {
    const piece = fc.constantFrom(
      "**",
      "*",
      "_",
      "`",
      "```",
      "\n",
      " ",
      "a",
      "b_c",
      "# ",
      "- ",
      "[x](y)",
      "[",
      "](",
      ' "t)"',
      ")",
      "\\",
      "1. ",
      "> ",
      "---",
      "字",
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (whole, lengths) => {
        const pieces: string[] = [];
        for (let at = 0; at < whole.length; ) {
          const { value } = lengths.next();
          pieces.push(whole.slice(at, at + value));
          at += value;
        }
        expect(joined(render(...pieces))).toBe(joined(render(whole)));
      }),
      { numRuns: 3000 },
    );
  });
});
