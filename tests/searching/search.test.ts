import { execFileSync, spawn } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { SearchQuery } from "../../core/sdk/workspace-search.ts";
import { searchFiles } from "../../core/searching/search.ts";
import type { SearchPlace } from "../../core/searching/search-place.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "search-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

type Files = readonly (readonly [path: string | Buffer, content: string | Uint8Array])[];

function tree(files: Files): string {
  const root = join(base, String(++made));
  mkdirSync(root);
  for (const [path, content] of files) {
    const target = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path)]);
    mkdirSync(dirname(target.toString("latin1")), { recursive: true });
    writeFileSync(target, content);
  }
  return root;
}

function placeOf(root: string, real = root): SearchPlace {
  return { root, real, shown: "here", isClosed: () => false, isClosedFile: () => false, follow: async () => undefined };
}

/** Both engines; they must tell the same. */
async function both(root: string, query: SearchQuery, real = root) {
  const ripgrep = await searchFiles(placeOf(root, real), query);
  const walked = await searchFiles(placeOf(root, real), query, "built-in");
  const { engine, ...found } = ripgrep;
  expect(engine).toBe("ripgrep");
  const { engine: other, reason, ...same } = walked;
  expect([other, reason]).toEqual(["built-in", "it was asked for"]);
  expect(same).toEqual(found);
  return found;
}

const PIECES = [
  "a",
  "b",
  "ab",
  "foo",
  "Foo",
  "FOO bar",
  " ",
  "\t",
  "\n",
  "\n",
  "\r\n",
  "\r",
  "x1",
  "_",
  "é",
  "É",
  "日本",
  "ſ",
  "K",
  "\u212a",
  "-",
  ".",
  "(",
  "\u00a0",
  "\u{1F600}",
  "\u2028",
  "\u0301",
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => Buffer.from(pieces.join("")));
/** @param long so many bytes are on a very long line */
const contents = (long: number) =>
  fc.oneof(
    { weight: 12, arbitrary: text },
    { weight: 2, arbitrary: text.map((bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes])) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(text, fc.constantFrom(0xff, 0xe9, 0xc3, 0x80, 0xed), text)
        .map(([a, byte, b]) => Buffer.concat([a, Buffer.from([byte]), b])),
    },
    { weight: 1, arbitrary: fc.tuple(text, text).map(([a, b]) => Buffer.concat([a, Buffer.from([0]), b])) },
    { weight: 1, arbitrary: text.map((bytes) => Buffer.from(`\ufeff${bytes.toString()}`, "utf16le")) },
    { weight: 1, arbitrary: fc.tuple(text, text).map(([a, b]) => Buffer.concat([a, Buffer.alloc(long, "zy "), b])) },
  );
const path = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<string | Buffer>(
      "a.ts",
      "b.ts",
      "c",
      "d/a.ts",
      "d/e/b.md",
      ".h",
      ".hide/a.ts",
      "d/out/a.ts",
      "x\ny",
      "a b",
      "-e",
      "[z].ts",
      "é",
    ),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.from([0x78, 0xff, 0x79])) },
);
const ignore = fc.tuple(
  fc.constantFrom(".gitignore", "d/.gitignore", ".git/info/exclude"),
  fc
    .array(fc.constantFrom("a.ts", "/c", "out/", "*.md", "!b.md", "d/*", "!.h", ".hide", "{c,é}", "?", "**/e", "x*"), {
      maxLength: 3,
    })
    .map((lines) => lines.join("\n")),
);
const trees = (long: number) =>
  fc
    .tuple(
      fc.uniqueArray(fc.tuple(path, contents(long)), { selector: ([name]) => String(name), maxLength: 9 }),
      fc.uniqueArray(ignore, { selector: ([name]) => name, maxLength: 2 }),
      fc.boolean(),
    )
    .map(
      ([some, rules, repository]): Files => [
        ...some,
        ...rules,
        ...(repository ? ([[".git/HEAD", "foo"]] as const) : []),
      ],
    );

const atom = fc.constantFrom(
  "a",
  "b",
  "foo",
  "o",
  ".",
  "\\w",
  "\\W",
  "\\d",
  "\\s",
  "\\S",
  "\\b",
  "\\B",
  "^",
  "$",
  "[ab]",
  "[^a]",
  "[a-z]",
  "[^\\w]",
  "é",
  "K",
  "s",
  "日",
  "x1",
  "(?i:foo)",
  "\\p{Lu}",
  "\\P{L}",
  "[[:alpha:]]",
  "(a|b)",
  "(?:fo|f)o",
  "\\.",
  "\\(",
  "{",
  "[\\s\\d]",
  " ",
  "(?s:.)",
  "-",
  "[^\\n]",
  "\\x{212a}",
  "ar",
);
const count = fc.constantFrom("", "", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?");
const piece = fc.tuple(atom, count).map(([one, many]) => (/^(?:\\b|\\B|\^|\$|\{)$/u.test(one) ? one : one + many));
const sequence = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const pattern = fc.oneof(
  { weight: 5, arbitrary: sequence },
  { weight: 1, arbitrary: fc.tuple(sequence, sequence).map((two) => two.join("|")) },
);
const across = fc
  .tuple(pattern, fc.constantFrom("\\n", "\\r?\\n", "\\s+", "[^x]", "(?s:.*?)", "\\r", "\\n\\n*", "(?s:.)"), pattern)
  .map((parts) => parts.join(""));

const query = fc.record(
  {
    pattern,
    caseSensitive: fc.boolean(),
    want: fc.constantFrom("lines" as const, "files" as const, "counts" as const),
    before: fc.constantFrom(0, 1, 3),
    after: fc.constantFrom(0, 1, 2),
    maxResults: fc.constantFrom(2, 1_000, 1_000),
    includeHidden: fc.boolean(),
    includeIgnored: fc.boolean(),
    include: fc.constantFrom("*.ts", "d/**", "{a,c}*", ".h*", "[!a]*", "**/*.md", "é"),
  },
  { requiredKeys: ["pattern"] },
);

/** `SEARCH_SEED` and `SEARCH_RUNS` ask for other trees, and for more of them. */
function seedOf(seed: number): number {
  return Number(process.env.SEARCH_SEED ?? seed);
}

describe("ripgrep and the walk", () => {
  it(`find the same, in random trees, within lines (seed ${seedOf(5)})`, async () => {
    await fc.assert(
      fc.asyncProperty(trees(70_000), fc.array(query, { minLength: 4, maxLength: 4 }), async (some, queries) => {
        const root = tree(some);
        for (const one of queries) await both(root, one);
        rmSync(root, { recursive: true });
      }),
      {
        numRuns: Number(process.env.SEARCH_RUNS ?? 15),
        seed: seedOf(5),
      },
    );
  });

  it(`find the same, in random trees, across lines (seed ${seedOf(6)})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        trees(2_000),
        fc.array(fc.tuple(query, across), { minLength: 4, maxLength: 4 }),
        async (some, queries) => {
          const root = tree(some);
          for (const [one, spanning] of queries) {
            await both(root, { ...one, pattern: spanning, multiline: true }).catch((error: unknown) => {
              if (!/matches nothing/u.test(String(error))) throw error;
            });
          }
          rmSync(root, { recursive: true });
        },
      ),
      {
        numRuns: Number(process.env.SEARCH_RUNS ?? 15),
        seed: seedOf(6),
      },
    );
  });
});

describe("a search", () => {
  it.each([
    ["a(?=b)", /look-around/],
    ["(?<!a)b", /look-around/],
    ["(a)\\1", /backreferences/],
    ["\\k<a>", /backreferences/],
    ["(?>a)", /atomic/],
    ["a++", /followed by another/],
    ["\\Afoo", /anchors for the whole text/],
    ["\\<foo", /word anchors/],
    ["[a&&b]", /&& in a class/],
    ["[[a]]", /\[ in a class/],
    ["[\\b]", /\\b in a class/],
    ["[z-a]", /range/],
    ["(?x)a", /flag x/],
    ["(a", /a \( has no \)/],
    ["a)", /a \) has no \(/],
    ["[a", /a \[ has no \]/],
    ["*a", /nothing before/],
    ["^*", /a place cannot be repeated/],
    ["a{3,2}", /ends before it begins/],
    ["a{1001}", /over 1000/],
    ["(?:\\w{1000}){1000}", /too big/],
    ["\\p{Nonsense}", /no property/],
    ["\\q", /no meaning/],
    ["a\\", /backslash/],
    ["\\uD83D", /no number/],
    ["a\nb", /line break/],
    ["[\\r\\n]", /line break/],
    ["(".repeat(150) + ")".repeat(150), /more than 100 groups/],
  ])("refuses %j and names what it is", async (pattern, message) => {
    const refusal = {
      code: "INVALID_PARAM",
      message: expect.stringMatching(message),
      details: expect.objectContaining({ pointer: "/pattern", hint: expect.any(String) }),
    };
    await expect(searchFiles(placeOf(base), { pattern })).rejects.toMatchObject(refusal);
  });

  it.each(["x*", "^$", "\\n?"])("refuses %j across lines, because it matches everywhere", async (pattern) => {
    const found = searchFiles(placeOf(tree([["a", "x"]])), { pattern: `${pattern}|\\n*`, multiline: true });
    await expect(found).rejects.toMatchObject({
      code: "INVALID_PARAM",
      message: expect.stringMatching(/also matches nothing/),
    });
  });

  it("takes what programs hold as it is", async () => {
    const root = tree([["a.js", "function foo() {\n  return [1]; // a-b\n}\n"]]);
    for (const pattern of ["foo\\(\\) {", "\\/\\/ a\\-b", "\\[1\\];", "^}", "function (?<name>\\w+)"]) {
      expect((await both(root, { pattern })).totals.matches, pattern).toBe(1);
    }
  });

  it("lets no pattern keep the host from other work", async () => {
    const root = tree([["a", `${"a".repeat(300_000)}!`]]);
    let turns = 0;
    const count = setInterval(() => turns++, 1);
    for (const pattern of ["(a*)*b", "(a|aa)+$", "(?:a?){500}a{500}b", "(.*)(.*)(.*)(.*)(.*)[^a]b"]) {
      expect((await searchFiles(placeOf(root), { pattern }, "built-in")).totals.matches, pattern).toBe(0);
    }
    clearInterval(count);
    expect(turns).toBeGreaterThan(3);
  });

  it("ends with its signal before it has begun, and on the way", async () => {
    const root = tree([["a", "foo"]]);
    for (const engine of ["ripgrep", "built-in"] as const) {
      const given = { pattern: "foo", signal: AbortSignal.abort() };
      await expect(searchFiles(placeOf(root), given, engine)).rejects.toMatchObject({ code: "ABORTED" });
      const controller = new AbortController();
      const running = searchFiles(placeOf(root), { pattern: "foo", signal: controller.signal }, engine);
      setImmediate(() => controller.abort());
      await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    }
  });

  it("ends ripgrep with its signal and with its time, where it waits for ever", async () => {
    const root = tree([
      [".git/HEAD", ""],
      ["a", "foo"],
    ]);
    // Ripgrep opens it.
    execFileSync("mkfifo", [join(root, ".gitignore")]);
    const controller = new AbortController();
    const running = searchFiles(placeOf(root), { pattern: "foo", signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    expect((await searchFiles(placeOf(root), { pattern: "foo", timeLimitMs: 100 })).cut).toEqual(["time"]);
    const processes = execFileSync("ps", ["-o", "comm=", "--ppid", String(process.pid)], { encoding: "utf8" });
    expect(processes).not.toMatch(/^rg$/mu);
    expect((await searchFiles(placeOf(root), { pattern: "foo" }, "built-in")).totals.matches).toBe(1);
  });

  it("ends when its time is over with what it has", async () => {
    const root = tree([["a", "foo"]]);
    expect((await searchFiles(placeOf(root), { pattern: "foo", timeLimitMs: 0 }, "built-in")).cut).toEqual(["time"]);
  });

  it("goes on with the walk where ripgrep cannot take the pattern, and says why", async () => {
    const root = tree([["a", "x".repeat(3_000)]]);
    // A name of a property that JavaScript knows and Rust does not.
    const found = await searchFiles(placeOf(root), { pattern: "\\p{Changes_When_NFKC_Casefolded}|x" });
    expect(found).toMatchObject({
      totals: { files: 1 },
      engine: "built-in",
      reason: expect.stringMatching(/^ripgrep: /),
    });
  });

  it("tells nothing of what is closed, nor of hard links to it", async () => {
    const root = tree([
      ["a", "foo"],
      ["closed/b", "foo"],
      ["c", "foo"],
    ]);
    linkSync(join(root, "closed/b"), join(root, "hard"));
    const secret = statSync(join(root, "closed/b")).ino;
    const place: SearchPlace = {
      ...placeOf(root),
      isClosed: (real) => real.startsWith(join(root, "closed")),
      isClosedFile: ({ ino }) => ino === secret,
    };
    for (const engine of ["ripgrep", "built-in"] as const) {
      const found = await searchFiles(place, { pattern: "foo" }, engine);
      expect(found.files.map(({ path }) => path)).toEqual(["a", "c"]);
      expect(found.totals).toEqual({ matches: 2, files: 2 });
    }
  });

  it("is led nowhere by links that are swapped meanwhile, and waits for no pipe", async () => {
    const outside = tree([["deep/a", "SECRET outside\n"]]);
    const root = tree([
      ["d/deep/a", "SECRET inside\n"],
      ["other/deep/a", "SECRET inside\n"],
    ]);
    execFileSync("mkfifo", [join(root, "pipe")]);
    const swapper = spawn(process.execPath, ["-e", SWAP, root, outside], { stdio: "ignore" });
    try {
      for (let round = 0; round < 25; round++) {
        for (const engine of ["ripgrep", "built-in"] as const) {
          const { files } = await searchFiles(placeOf(root), { pattern: "SECRET.*" }, engine);
          expect(
            files.flatMap(({ lines }) => lines.map(({ text }) => text)).filter((text) => text !== "SECRET inside"),
          ).toEqual([]);
        }
      }
    } finally {
      swapper.kill("SIGKILL");
    }
  });
});

/** Puts a link to the outside in the place of a directory, and takes it away, again and again. */
const SWAP = `
const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const [root, outside] = process.argv.slice(1);
for (;;) {
  renameSync(root + "/d", root + "/.kept");
  symlinkSync(outside, root + "/d");
  for (let turn = 0; turn < 2000; turn++);
  unlinkSync(root + "/d");
  renameSync(root + "/.kept", root + "/d");
  for (let turn = 0; turn < 2000; turn++);
}`;
