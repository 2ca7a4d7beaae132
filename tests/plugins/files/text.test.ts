import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdits } from "../../../plugins/_files/lib/edits.ts";
import { lineChanges } from "../../../plugins/_files/lib/line-changes.ts";
import { unifiedDiff } from "../../../plugins/_files/lib/unified-diff.ts";

const RUNS = { numRuns: 300, seed: 7 };
const line = fc.constantFrom("a", "b", "c", "");
const lines = fc.array(line, { maxLength: 12 });

/** The length of the longest list that both have in common. */
function common(a: readonly string[], b: readonly string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const [up, left, corner] = [rows[i - 1]?.[j] ?? 0, rows[i]?.[j - 1] ?? 0, rows[i - 1]?.[j - 1] ?? 0];
      (rows[i] as number[])[j] = a[i - 1] === b[j - 1] ? corner + 1 : Math.max(up, left);
    }
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** What a unified difference makes of a text whose last line has an end. */
function patched(before: string, diff: string): string {
  const old = before.split("\n").slice(0, -1);
  const made: string[] = [];
  let at = 0;
  for (const row of diff.split("\n").slice(2, -1)) {
    const hunk = /^@@ -(\d+)(,0)?/u.exec(row);
    if (hunk) {
      const from = Number(hunk[1]) - (hunk[2] === undefined ? 1 : 0);
      made.push(...old.slice(at, from));
      at = from;
    } else if (row.startsWith("+")) made.push(row.slice(1));
    else {
      expect(row.slice(1)).toBe(old[at++]);
      if (row.startsWith(" ")) made.push(row.slice(1));
    }
  }
  return [...made, ...old.slice(at)].map((row) => `${row}\n`).join("");
}

describe("the difference of two texts", () => {
  test("has no line more than it must, and makes the one of the other", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const changes = lineChanges(before, after);
        let at = 0;
        const made = changes.flatMap(({ from, to, newFrom, newTo }) => {
          const kept = before.slice(at, from);
          at = to;
          return [...kept, ...after.slice(newFrom, newTo)];
        });
        expect([...made, ...before.slice(at)]).toEqual(after);
        const [gone, come] = [
          changes.reduce((sum, { from, to }) => sum + to - from, 0),
          changes.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
        ];
        expect(gone + come).toBe(before.length + after.length - 2 * common(before, after));
      }),
      RUNS,
    );
  });

  test("in the unified form is one that makes the one of the other", () => {
    const texts = lines.map((all) => all.map((row) => `${row}\n`).join(""));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        expect(patched(before, unifiedDiff(before, after, { path: "x" }).text)).toBe(after);
      }),
      RUNS,
    );
    expect(unifiedDiff("a\nb", "a\nb\n", { path: "x" }).text).toBe(
      "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    );
    expect(unifiedDiff(undefined, "a\n", { path: "x" }).text).toBe("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
  });

  test("is cut where it is long, also where hundreds of thousands of lines differ, and says so", () => {
    const long = "line\n".repeat(300_000);
    const { text, cut, added, removed } = unifiedDiff("old\n", long, { path: "x" });
    expect({ cut, added, removed }).toEqual({ cut: true, added: 300_000, removed: 1 });
    expect(text).toMatch(/\n… \(\d+ more lines\)\n$/u);
    expect(text.length).toBeLessThan(11_000);
    const wide = unifiedDiff("", `${"x".repeat(10_000)}\n`, { path: "x" });
    expect(wide.text).toContain(`+${"x".repeat(100)}`);
    expect(wide.text.length).toBeLessThan(1000);
  });
});

test("an edit touches nothing but its place, whatever line ends are around it", () => {
  const plainOf = (text: string): string => text.replaceAll("\r\n", "\n");
  const part = fc.constantFrom("one", "two", " ", "\n", "\r\n", "é", "👍");
  const text = fc.array(part, { minLength: 1, maxLength: 20 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), text, (whole, a, b, put) => {
      const plain = plainOf(whole);
      const [one, other] = [a % plain.length, b % plain.length];
      const [from, to] = [Math.min(one, other), Math.max(one, other) + 1];
      const old_string = plain.slice(from, to);
      fc.pre(plain.indexOf(old_string) === from && plain.indexOf(old_string, from + 1) < 0);
      fc.pre(old_string !== plainOf(put));
      const { text: after } = applyEdits(whole, [{ old_string, new_string: put }], () => "/old_string");
      expect(plainOf(after)).toBe(plain.slice(0, from) + plainOf(put) + plain.slice(to));
      // Where a part of the plain text stands in the whole one: as many units later as returns were dropped before.
      const behind = [...whole.matchAll(/\r\n/gu)].map(({ index }, dropped) => index - dropped);
      const place = (offset: number): number => offset + behind.filter((at) => at < offset).length;
      expect(after.startsWith(whole.slice(0, place(from)))).toBe(true);
      expect(after.endsWith(whole.slice(place(to)))).toBe(true);
      if (!whole.includes("\r")) expect(after).not.toContain("\r");
      if (!/(?<!\r)\n/u.test(whole) && whole.includes("\n")) expect(after).not.toMatch(/(?<!\r)\n/u);
    }),
    RUNS,
  );
});
