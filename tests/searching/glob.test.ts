import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import fastGlob from "fast-glob";
import { afterAll, describe, expect, it } from "vitest";
import { compareText } from "../../core/diagnostics.ts";
import { createWorkspace } from "../../core/governance/workspace.ts";

const base = mkdtempSync(join(tmpdir(), "glob-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

/** A directory with these files. */
function tree(files: Readonly<Record<string, string>>): string {
  const root = join(base, String(++made));
  mkdirSync(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const find = async (root: string, pattern: string, more: Readonly<Record<string, unknown>> = {}) =>
  (await (await createWorkspace({ root })).glob({ pattern, ...more })).paths;

const NAMES = ["a", "b", "ab", "a.ts", "b.ts", ".h", ".h.ts", "é", "[x]", "a b", "-"];
const paths = fc.uniqueArray(
  fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/")),
  { minLength: 1, maxLength: 12 },
);
/** Without those that need a directory where another has a file. */
const trees = paths.map((all) => all.filter((path) => !all.some((other) => path.startsWith(`${other}/`))));

describe("globs", () => {
  it("find what fast-glob finds, in random trees (seed 7)", async () => {
    const segment = fc.oneof(
      fc.constantFrom("*", "**", "?", "*.ts", "[ab]*", "[!a]", "a*", ".*", "{a,b}", "{a,b}.ts", "?.ts", "*b*"),
      fc.constantFrom(...NAMES.filter((name) => !name.includes("["))),
    );
    const globs = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    await fc.assert(
      fc.asyncProperty(trees, fc.array(globs, { minLength: 5, maxLength: 5 }), fc.boolean(), async (all, some, dot) => {
        const root = tree(Object.fromEntries(all.map((path) => [path, ""])));
        for (const glob of some) {
          const theirs = fastGlob
            .sync(glob, { cwd: root, dot, followSymbolicLinks: false, suppressErrors: true })
            .sort(compareText);
          expect(await find(root, glob, { includeHidden: dot }), glob).toEqual(theirs);
        }
        rmSync(root, { recursive: true });
      }),
      { numRuns: 30, seed: 7 },
    );
  });

  it("leave out what git leaves out, in random repositories (seed 11)", async () => {
    const line = fc.oneof(
      fc.constantFrom("a", "/a", "a/", "*.ts", "!*.ts", "!a", "/*", "!/a", "a/*", "!a/b", "**/b", "a/**", "a/**/b"),
      fc.constantFrom(
        "# a",
        "",
        "  ",
        "a ",
        "a\\ b",
        "\\!a",
        "[ab]",
        "[!a]*",
        "?",
        "é",
        "\\[x]",
        "b/",
        "!b/",
        "a*b",
        "**",
      ),
      fc.constantFrom("/**/a", "**/a/**", "a//b", "/", "!", "[", "a\\", "ab\r", "**a", "a**", "*/", ".*", "!.h"),
    );
    const ignores = fc.dictionary(
      fc.constantFrom("", "a/", "b/", "a/b/"),
      fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
      { minKeys: 1 },
    );
    const exclude = fc.array(line, { maxLength: 2 }).map((lines) => lines.join("\n"));
    const one = fc.tuple(trees, ignores).map(([all, files]) => {
      const taken = (path: string) => all.some((other) => `${path}/`.startsWith(`${other}/`));
      const own = Object.entries(files).filter(([path]) => path === "" || !taken(path.slice(0, -1)));
      return [
        ...all.map((path) => [path, ""] as const),
        ...own.map(([path, text]) => [`${path}.gitignore`, text] as const),
      ];
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 15, maxLength: 15 }), exclude, async (several, excluded) => {
        const root = tree(
          Object.fromEntries(several.flatMap((files, at) => files.map(([path, text]) => [`${at}/${path}`, text]))),
        );
        git(root, "init", "-q");
        writeFileSync(join(root, ".git/info/exclude"), excluded);
        const listed = git(root, "ls-files", "-z", "--others", "--exclude-standard").split("\0").filter(Boolean);
        expect(await find(root, "**", { includeHidden: true })).toEqual(listed.sort(compareText));
        rmSync(root, { recursive: true });
      }),
      { numRuns: 6, seed: 11 },
    );
  });

  it("begin with the rules of the repository's top, and end them at a repository in it", async () => {
    const root = tree({
      ".gitignore": "*.log\n/sub/out\n",
      "sub/.gitignore": "!keep.log\n",
      "sub/a.log": "",
      "sub/keep.log": "",
      "sub/out/x": "",
      "sub/inner/.git/HEAD": "",
      "sub/inner/b.log": "",
      "sub/c": "",
    });
    git(root, "init", "-q");
    expect(await find(root, "**", { path: "sub" })).toEqual(["sub/c", "sub/inner/b.log", "sub/keep.log"]);
    expect(await find(join(root, "sub"), "**")).toEqual(["c", "inner/b.log", "keep.log"]);
    expect(await find(root, "sub/out/*", { includeIgnored: true })).toEqual(["sub/out/x"]);
    expect(await find(root, ".git/HEAD")).toEqual([]);
    expect(await find(root, ".git/HEAD", { includeIgnored: true })).toEqual([".git/HEAD"]);
  });

  it("do not count ignore files outside of a repository", async () => {
    expect(await find(tree({ ".gitignore": "*", a: "" }), "*")).toEqual(["a"]);
  });

  it.each([
    ["/etc/*", "ACCESS_DENIED", /must be relative/],
    ["{a,/etc}/*", "ACCESS_DENIED", /must be relative/],
    ["../*", "ACCESS_DENIED", /upwards/],
    ["a/../../*", "ACCESS_DENIED", /upwards/],
    ["{a,..}/*", "ACCESS_DENIED", /upwards/],
    ["\\.\\./*", "ACCESS_DENIED", /upwards/],
    ["a\0b", "INVALID_PARAM", /NUL/],
    ["!a", "INVALID_PARAM", /exclude/],
    ["@(a|b)", "INVALID_PARAM", /groups/],
    ["{1..3}", "INVALID_PARAM", /ranges/],
    ["a[", "INVALID_PARAM", /has no \]/],
    ["a\\", "INVALID_PARAM", /backslash/],
    [".", "INVALID_PARAM", /names nothing/],
    ["{a,b}".repeat(12), "INVALID_PARAM", /1,000/],
  ])("refuse %j", async (glob, code, message) => {
    await expect(find(base, glob)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it("are matched in no time, whatever they are", async () => {
    const name = `${"a".repeat(200)}`;
    expect(await find(tree({ [name]: "" }), `${"*a".repeat(60)}*b`)).toEqual([]);
  });

  it("find directories with a slash at the end, and names that are not UTF-8", async () => {
    const root = tree({ "a/b/c": "", "a/d": "" });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xff]), Buffer.from(".ts")]), "");
    expect(await find(root, "**/")).toEqual(["a", "a/b"]);
    expect(await find(root, "*.ts")).toEqual(["x\uFFFD.ts"]);
  });

  it("do not follow links, and tell of those alone that stay inside", async () => {
    const root = tree({ "a/x.ts": "", "b.ts": "" });
    const outside = tree({ "secret.ts": "" });
    symlinkSync(join(outside, "secret.ts"), join(root, "out.ts"));
    symlinkSync(outside, join(root, "dir"));
    symlinkSync("b.ts", join(root, "in.ts"));
    symlinkSync("a", join(root, "again"));
    symlinkSync("nothing.ts", join(root, "gone.ts"));
    expect(await find(root, "**/*.ts")).toEqual(["a/x.ts", "b.ts", "in.ts"]);
    await expect(find(root, "*", { path: "dir" })).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  });

  it("hand out as many as are asked for, and count the rest", async () => {
    const root = tree(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, ""])));
    const found = await (await createWorkspace({ root })).glob({ pattern: "*", maxResults: 4 });
    expect(found).toEqual({ paths: ["f0", "f1", "f2", "f3"], total: 9, cut: ["results"], unreadable: 0 });
  });

  it("end with their signal, and with their time", async () => {
    const root = tree(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`d${index}/f`, ""])));
    await expect(find(root, "**", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
    const late = new AbortController();
    setImmediate(() => late.abort());
    await expect(find(root, "**", { signal: late.signal })).rejects.toMatchObject({ code: "ABORTED" });
    const found = await (await createWorkspace({ root })).glob({ pattern: "**", timeLimitMs: 0 });
    expect(found.cut).toEqual(["time"]);
  });
});

function git(root: string, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", env });
}
