import fc from "fast-check";
import { expect, test } from "vitest";
import { publishedNames } from "../../core/model/published-names.ts";

const nameOf = (id: string, others: readonly string[] = []) => publishedNames([...others, id]).published.get(id);

test.each(["word_count", "WordCount", "Linear__resolve-library-id", "_", "a".repeat(64)])("%s keeps its name", (id) => {
  expect(nameOf(id)).toBe(id);
});

test("two long ids that begin with the same 63 characters have names of their own", () => {
  const ids = ["x".repeat(63) + "1".repeat(17), "x".repeat(63) + "2".repeat(17)];
  const { published, original } = publishedNames(ids);
  const names = ids.map((id) => published.get(id) ?? "");
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^x{55}_[0-9a-f]{8}$/);
  expect(names.map((name) => original.get(name))).toEqual(ids);
});

test("a server and a tool of 40 characters each are one name of 64", () => {
  expect(nameOf(`${"s".repeat(40)}__${"t".repeat(40)}`)).toHaveLength(64);
});

test.each([
  ["my tool:x", /^my_tool_x_[0-9a-f]{8}$/],
  ["3d__print", /^_3d__print_[0-9a-f]{8}$/],
  ["-x", /^_-x_[0-9a-f]{8}$/],
  ["wörter", /^w_rter_[0-9a-f]{8}$/],
  ["", /^__[0-9a-f]{8}$/],
])("%s is made fit", (id, name) => {
  expect(nameOf(id)).toMatch(name);
});

test("names are known: they are the same after every start", () => {
  expect(nameOf("my tool:x")).toBe("my_tool_x_e4375b0c");
});

test("an id that looks like the name of another keeps it", () => {
  const taken = nameOf("my tool:x") ?? "";
  const { published } = publishedNames(["my tool:x", taken]);
  expect(published.get(taken)).toBe(taken);
  expect(published.get("my tool:x")).toMatch(/^my_tool_x_[0-9a-f]{16}$/);
});

/** Many that are alike once they are made fit. */
const id = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "_", "-", " ", "é", "1", ":"), maxLength: 6 }),
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.integer({ min: 60, max: 80 }).map((length) => "n".repeat(length)),
);
const ids = fc.uniqueArray(id, { maxLength: 40 });

test("names fit, each is one tool's, and both maps are each other's", () => {
  const check = fc.property(ids, (all) => {
    const { published, original } = publishedNames(all);
    expect([...published.keys()].sort()).toEqual([...all].sort());
    expect(original.size).toBe(all.length);
    for (const [key, name] of published) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(original.get(name)).toBe(key);
      if (/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(key)) expect(name).toBe(key);
    }
  });
  fc.assert(check, { seed: 5 });
});

test("a name depends neither on the order nor on the other tools", () => {
  const check = fc.property(ids, id, (others, one) => {
    const all = [...others.filter((other) => other !== one), one];
    const forwards = publishedNames(all).published;
    const backwards = publishedNames([...all].reverse()).published;
    for (const each of all) {
      expect(backwards.get(each)).toBe(forwards.get(each));
      expect(nameOf(each)).toBe(forwards.get(each));
    }
  });
  fc.assert(check, { seed: 5 });
});
