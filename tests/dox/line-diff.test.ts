import fc from "fast-check";
import { expect, it } from "vitest";
import { lineDifferences } from "../../core/dox/line-diff.ts";

it("tells each part that differs by itself", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  expect(lineDifferences(before, "a\nB\nc\nd\nf\ng\n")).toEqual([
    { line: 2, removed: ["b"], added: ["B"] },
    { line: 5, removed: ["e"], added: [] },
    { line: 7, removed: [], added: ["g"] },
  ]);
  expect(lineDifferences(before, before)).toEqual([]);
});

it("makes the second text of the first", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines: string[] = [...before];
      for (const { line, removed, added } of lineDifferences(before.join("\n"), after.join("\n")).toReversed()) {
        expect(lines.splice(line - 1, removed.length, ...added)).toEqual(removed);
      }
      expect(lines).toEqual(after);
    }),
  );
});
