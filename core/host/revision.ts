import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CONVENTIONS } from "../discovery/conventions.ts";
import { HostError } from "../sdk/errors.ts";

/** A commit that the files of a root are compared with. */
export interface Revision {
  /** What differs from it, new files included, as POSIX paths relative to the root; what git ignores is not among it. */
  readonly changed: ReadonlySet<string>;
  /** Does something with the content of the root as it was, in a directory that is gone afterwards. */
  withContent<T>(work: (directory: string) => Promise<T>): Promise<T>;
}

/** Where content lies in a root. */
const CONTENT = ["usr", ...new Set(Object.values(CONVENTIONS).map(({ directory }) => directory))];

/**
 * Compares a root with a commit of its git repository.
 * @param rev anything that git takes for a commit
 * @throws HostError USAGE (usage) without git, a repository, or such a commit
 */
export async function openRevision(root: string, rev: string): Promise<Revision> {
  const git = async (args: readonly string[], input = ""): Promise<Buffer> => await runGit(root, args, input);
  const named = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${rev}^{commit}`];
  const commit = (await git(named).catch((error: Error) => refuse(rev, root, error))).toString().trim();
  const differing = await git([
    "diff",
    "--name-only",
    "--no-renames",
    "--no-ext-diff",
    "--relative",
    "-z",
    commit,
    "--",
  ]);
  const fresh = await git(["ls-files", "--others", "--exclude-standard", "-z"]);
  return {
    changed: new Set([...names(differing), ...names(fresh)]),
    async withContent(work) {
      const directory = await realpath(await mkdtemp(join(tmpdir(), "toolroom-revision-")));
      try {
        const listed = names(await git(["ls-tree", "-r", "-z", commit, "--", ...CONTENT]));
        await writeBlobs(directory, listed.flatMap(blobOf), git);
        return await work(directory);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}

interface Blob {
  readonly hash: string;
  /** Relative to the root. */
  readonly path: string;
}

/** A line of `git ls-tree`: `<mode> <type> <hash>\t<path>`. Links and other repositories are not followed. */
function blobOf(line: string): readonly Blob[] {
  const [, mode = "", hash = "", path = ""] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/su.exec(line) ?? [];
  return mode.startsWith("100") ? [{ hash, path }] : [];
}

/** Has all blobs written by one process of git: `<hash> blob <size>\n<bytes>\n` for each. */
async function writeBlobs(
  directory: string,
  blobs: readonly Blob[],
  git: (args: readonly string[], input: string) => Promise<Buffer>,
): Promise<void> {
  const all = await git(["cat-file", "--batch"], blobs.map(({ hash }) => `${hash}\n`).join(""));
  let at = 0;
  for (const { path } of blobs) {
    const end = all.indexOf("\n", at);
    const size = Number(all.toString("latin1", at, end).split(" ")[2]);
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, all.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
}

function names(listing: Buffer): readonly string[] {
  return listing
    .toString()
    .split("\0")
    .filter((name) => name !== "");
}

function refuse(rev: string, root: string, error: Error): never {
  const why = error.message.trim() || "it names no commit";
  const message = `USAGE: --since: expected a commit of the git repository that ${root} lies in, found "${rev}" (${why})`;
  throw new HostError("USAGE", message, { kind: "usage", cause: error });
}

async function runGit(cwd: string, args: readonly string[], input: string): Promise<Buffer> {
  const child = spawn("git", [...args], { cwd, stdio: "pipe" });
  const out: Buffer[] = [];
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  // What git did not read, it says by its exit code.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(said.trim());
  return Buffer.concat(out);
}
