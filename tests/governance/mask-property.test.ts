import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMasker, placeholderOf, type SecretValue } from "../../core/governance/mask.ts";
import { formsOf } from "../../core/governance/mask-forms.ts";
import { createPatternSearch } from "../../core/governance/pattern-search.ts";

/** Few letters, so that secrets overlap with themselves, with each other and with the text. */
const dense = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", "é", "芝", "\n"), minLength, maxLength });
const wild = (minLength: number, maxLength: number) => fc.string({ unit: "binary", minLength, maxLength });
const secretsOf = (value: fc.Arbitrary<string>) =>
  fc
    .array(value, { minLength: 1, maxLength: 6 })
    .map((values) => values.map((text, index) => ({ name: `N${index}`, value: text })));

/** What can stand in a text: anything, secrets, their forms, parts of them, placeholders. */
const textOver = (secrets: readonly SecretValue[]) => {
  const values = secrets.map(({ value }) => value);
  const forms = values.flatMap((value) => [...formsOf(value)]);
  const parts = values.map((value) => value.slice(0, -1));
  const placeholders = secrets.map(({ name }) => placeholderOf(name));
  const piece = fc.oneof(
    dense(0, 6),
    wild(0, 4),
    fc.constantFrom(...values, ...parts),
    fc.constantFrom(...forms, ""),
    fc.constantFrom(...placeholders, "§§secret("),
  );
  return fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
};
const secretsAndText = fc
  .oneof(secretsOf(dense(1, 8)), secretsOf(wild(1, 12)))
  .chain((secrets) => fc.record({ secrets: fc.constant(secrets), text: textOver(secrets) }));

/** The rule in its plainest form: at every place the longest pattern, each covers what it reaches. */
function reference(secrets: readonly SecretValue[], text: string): string {
  const usable = secrets.filter(({ value }) => value.length >= 4);
  const patterns = new Map<string, string>();
  const add = (pattern: string, name: string) => {
    if (!patterns.has(pattern)) patterns.set(pattern, placeholderOf(name));
  };
  for (const { name } of usable) add(placeholderOf(name), name);
  for (const { name, value } of usable) add(value, name);
  for (const { name, value } of usable) for (const form of formsOf(value)) add(form, name);
  let out = "";
  let until = 0;
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const here = [...patterns.keys()].filter((pattern) => text.startsWith(pattern, at));
    const longest = here.sort((a, b) => b.length - a.length)[0];
    if (longest !== undefined && at + longest.length > until) {
      const replacement = patterns.get(longest) as string;
      if (at >= until || replacement !== last) out += replacement;
      last = replacement;
      until = at + longest.length;
    }
    if (at >= until) out += text[at];
  }
  return out;
}

describe("masking, whatever the secrets and the text", () => {
  it("is what the rule says", () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text }) => {
        expect(createMasker(secrets).mask(text)).toBe(reference(secrets, text));
      }),
      { numRuns: 500 },
    );
  });

  it("is the loop of replaceAll where no value overlaps with anything", () => {
    // Digits that no base64, percent or JSON form of another value can spell, and no placeholder.
    const values = fc.uniqueArray(fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 6, maxLength: 6 }), {
      minLength: 1,
      maxLength: 8,
    });
    const text = (known: readonly string[]) =>
      fc.array(fc.oneof(fc.constantFrom(...known), dense(0, 9))).map((pieces) => pieces.join("|"));
    const both = values.chain((known) => fc.record({ known: fc.constant(known), text: text(known) }));
    fc.assert(
      fc.property(both, (given) => {
        const secrets = given.known.map((value, index) => ({ name: `N_${"ABCDEFGH"[index]}`, value }));
        const looped = secrets.reduce(
          (left, { name, value }) => left.replaceAll(value, placeholderOf(name)),
          given.text,
        );
        expect(createMasker(secrets).mask(given.text)).toBe(looped);
      }),
    );
  });

  it("leaves neither a value nor a form of one outside of placeholders", () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text }) => {
        const usable = secrets.filter(({ value }) => value.length >= 4);
        const masked = createMasker(secrets).mask(text);
        const names = usable.map(({ name }) => placeholderOf(name));
        const outside = names.reduce<string[]>(
          (pieces, name) => pieces.flatMap((piece) => piece.split(name)),
          [masked],
        );
        for (const { value } of usable) {
          for (const form of [value, ...formsOf(value)]) for (const piece of outside) expect(piece).not.toContain(form);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is the same for a text in pieces, wherever it is cut", () => {
    const cut = fc.tuple(secretsAndText, fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 }));
    fc.assert(
      fc.property(cut, ([{ secrets, text }, sizes]) => {
        const masker = createMasker(secrets);
        const stream = masker.stream();
        for (let round = 0; round < 2; round++) {
          let shown = "";
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = (sizes[turn % sizes.length] as number) + (turn % 2);
            shown += stream.push(text.slice(at, at + size));
            at += size;
          }
          // The second round sees that the first has left nothing behind.
          expect(shown + stream.end()).toBe(masker.mask(text));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("of a text in pieces never shows what the whole hides", () => {
    const masker = createMasker([{ name: "K", value: "sk-proj-1234" }]);
    const stream = masker.stream();
    expect([..."my: sk-proj-1234!"].map((unit) => stream.push(unit))).toEqual([
      ..."my: ",
      ...Array(11).fill(""),
      "§§secret(K)",
      "!",
    ]);
    expect(stream.push("and sk-proj-")).toBe("and ");
    expect(stream.push("9")).toBe("sk-proj-9");
    expect(stream.end()).toBe("");
  });

  it("masks JSON as it masks each of its strings", () => {
    const json = secretsAndText.chain(({ secrets, text }) =>
      fc.record({
        secrets: fc.constant(secrets),
        value: fc.jsonValue().map((value) => ({ value, text: [text], [text]: 1 })),
      }),
    );
    fc.assert(
      fc.property(json, ({ secrets, value }) => {
        const { mask, maskJson } = createMasker(secrets);
        const masked = (item: unknown): unknown => {
          if (typeof item === "string") return mask(item);
          if (Array.isArray(item)) return item.map(masked);
          if (typeof item !== "object" || item === null) return item;
          return Object.fromEntries(Object.entries(item).map(([name, child]) => [mask(name), masked(child)]));
        };
        expect(maskJson(value)).toEqual(masked(value));
      }),
    );
  });
});

describe("the search", () => {
  const patternsAndText = fc.oneof(
    fc.tuple(fc.uniqueArray(dense(4, 9), { minLength: 1, maxLength: 9 }), dense(0, 60)),
    fc.tuple(fc.uniqueArray(wild(4, 9), { minLength: 1, maxLength: 9 }), wild(0, 60)),
  );

  it("finds the longest pattern of every place, and where an end is open", () => {
    fc.assert(
      fc.property(patternsAndText, ([patterns, text]) => {
        const search = createPatternSearch(patterns);
        const found: [number, number, string | undefined][] = [];
        search.each(text, text.length, (start, length, index) => found.push([start, length, patterns[index]]));
        const expected = [...text.split("").keys()].flatMap((at) => {
          const here = patterns.filter((pattern) => text.startsWith(pattern, at));
          const [longest] = here.sort((a, b) => b.length - a.length);
          return longest === undefined ? [] : [[at, longest.length, longest]];
        });
        expect(found).toEqual(expected);
        const open = [...text.split("").keys()].find((at) =>
          patterns.some((pattern) => pattern.length > text.length - at && pattern.startsWith(text.slice(at))),
        );
        expect(search.openEnd(text)).toBe(open ?? text.length);
      }),
      { numRuns: 500 },
    );
  });

  it("finds patterns that are far longer than its steps, in texts that are longer than its buffer", () => {
    const long = "x".repeat(3_000) + "y".repeat(3_000);
    const search = createPatternSearch([long, "z".repeat(300)]);
    const starts: number[] = [];
    const text = `${"x".repeat(500_000)}${"y".repeat(3_000)}${"z".repeat(300)}`;
    search.each(text, text.length, (start) => starts.push(start));
    expect(starts).toEqual([497_000, 503_000]);
  });
});
