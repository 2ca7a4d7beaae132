import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkspace } from "../../core/governance/workspace.ts";
import { searchFiles } from "../../core/searching/search.ts";
import { makeTree, writeTree } from "../helpers/tree.ts";

const WHO = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "protocol.file.allow=always"];

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", [...WHO, ...args], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Files that are there and in no commit, of which `exclude` may name some. */
const LOOSE = {
  "out.txt": "x",
  "seen.txt": "x",
  "back.txt": "x",
  "sub/out.txt": "x",
  "sub/rooted.txt": "x",
  "rooted.txt": "x",
  "build/deep/a.txt": "x",
};
const EXCLUDE = "out.txt\n/rooted.txt\nbuild/\nback.txt\n";
const NOT_OUT = ["back.txt", "seen.txt", "sub/rooted.txt"];

/** A repository with one commit, in which a `.gitignore` takes back what another file leaves out. */
function repository(): string {
  const base = realpathSync(makeTree({ "main/.gitignore": "!back.txt\n" }));
  git(join(base, "main"), "init", "-q");
  git(join(base, "main"), "add", ".");
  git(join(base, "main"), "commit", "-qm", "first");
  return base;
}

/** What git, glob and both engines find below a directory of a repository. */
async function found(root: string, path = "."): Promise<readonly (readonly string[])[]> {
  const workspace = await createWorkspace({ root });
  const real = await workspace.resolve(path);
  const place = {
    ...{ root: workspace.root, real, shown: path },
    ...{ isClosed: () => false, isClosedFile: () => false, follow: async () => undefined },
  };
  const query = { pattern: "x", want: "files" as const };
  const [ripgrep, walked] = [await searchFiles(place, query), await searchFiles(place, query, "built-in")];
  expect([ripgrep.engine, walked.engine]).toEqual(["ripgrep", "built-in"]);
  const globbed = await workspace.glob({ pattern: "**", path });
  return [globbed.paths, ripgrep.files.map((file) => file.path), walked.files.map((file) => file.path)];
}

const listed = (directory: string): readonly string[] =>
  git(directory, "ls-files", "-z", "--others", "--exclude-standard").split("\0").filter(Boolean).sort();

describe("what a repository leaves out whose .git is a file", () => {
  it.each(["absolute", "relative"])("is left out of a linked worktree (%s)", async (way) => {
    const base = repository();
    const linked = join(base, "linked");
    git(join(base, "main"), "worktree", "add", "-q", "../linked");
    if (way === "relative") writeFileSync(join(linked, ".git"), "gitdir: ../main/.git/worktrees/linked\n");
    writeFileSync(join(base, "main/.git/info/exclude"), EXCLUDE);
    writeTree(linked, LOOSE);
    expect(listed(linked)).toEqual(NOT_OUT);
    for (const paths of await found(linked)) expect(paths).toEqual(NOT_OUT);
    for (const paths of await found(linked, "sub")) expect(paths).toEqual(["sub/rooted.txt"]);
    for (const paths of await found(join(linked, "sub"))) expect(paths).toEqual(["rooted.txt"]);
    for (const paths of await found(base)) expect(paths).toEqual(NOT_OUT.map((path) => `linked/${path}`));
  });

  it("is left out of a submodule, and of it alone", async () => {
    const base = repository();
    const outer = join(base, "outer");
    mkdirSync(outer);
    git(outer, "init", "-q");
    git(outer, "submodule", "--quiet", "add", "../main", "inner");
    expect(readFileSync(join(outer, "inner/.git"), "utf8")).toMatch(/^gitdir: \.\./u);
    writeFileSync(join(outer, ".git/modules/inner/info/exclude"), EXCLUDE);
    writeTree(outer, { "out.txt": "x" });
    writeTree(join(outer, "inner"), LOOSE);
    expect(listed(join(outer, "inner"))).toEqual(NOT_OUT);
    for (const paths of await found(join(outer, "inner"))) expect(paths).toEqual(NOT_OUT);
    const inner = NOT_OUT.map((path) => `inner/${path}`);
    for (const paths of await found(outer)) expect(paths).toEqual([...inner, "out.txt"]);
  });

  it.each([
    ["nothing that is there", "gitdir: ../nowhere\n"],
    ["nothing", ""],
    ["no git directory", "gitdir: .\n"],
    ["a link in a circle", "gitdir: circle\n"],
  ])("is nothing where it names %s", async (_, text) => {
    const root = makeTree({ ...LOOSE, ".git": text, ".gitignore": "*.log\n", "a.log": "x" });
    symlinkSync("circle", join(root, "circle"));
    for (const paths of await found(root)) expect(paths).toEqual(Object.keys(LOOSE).sort());
  });
});
