import { expect, it } from "vitest";
import { parseFragmentText } from "../../core/dox/fragment-text.ts";

const returning = (...lines: readonly string[]) =>
  parseFragmentText(lines.join("\n"), 10)
    .lines.filter(({ returns }) => returns)
    .map(({ line }) => line - 10);

it("knows the part that says what comes back", () => {
  expect(returning("Returns the weather", "of a place.", "", "- `place`: where")).toEqual([0, 1]);
  expect(returning("Returns a list of:", "", "- `title`: of it", "  more", "", "Then `x`.", "- `y`: no")).toEqual([
    0, 1, 2, 3, 4,
  ]);
  expect(returning("Use it.", "## Output", "A list.", "", "- `title`", "| a |", "## Notes", "no")).toEqual([
    1, 2, 3, 4, 5,
  ]);
  expect(returning("返回以下内容：", "- `title`", "# 参数", "- `x`")).toEqual([0, 1]);
  expect(returning("**Returns** the text.", "```", "Returns", "```", "- `x`: y")).toEqual([0, 1, 2, 3]);
});

it("finds blocks, fenced, raw or both, with the lines of the file", () => {
  const { blocks, lines } = parseFragmentText(
    [
      "{{! note",
      "}}",
      "~~~~json",
      "~~~",
      "{}",
      "~~~~",
      "{{{{raw}}}}",
      "{",
      "}",
      "{{{{/raw}}}}",
      "{{{{raw}}}}",
      "words",
      "```",
      "1",
      "```",
      "{{{{/raw}}}}",
    ].join("\n"),
    5,
  );
  expect(blocks).toEqual([
    { line: 8, text: "~~~\n{}" },
    { line: 12, text: "{\n}" },
    { line: 18, text: "1" },
  ]);
  expect(lines.map(({ kind }) => kind).join(" ")).toBe(
    "blank blank code code code code blank code code blank blank prose code code code blank",
  );
});
