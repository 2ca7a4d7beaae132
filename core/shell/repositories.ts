import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isInside, shownRelative } from "../governance/containment.ts";
import { type GitSetting, isHarmlessSetting, readGitConfig, settingName } from "./git-config.ts";
import { shown } from "./refusal.ts";

/** What a command does with the repository that it finds itself. */
export type RepositoryUse = "read" | "change";

/** The repositories that one command line uses: gathered while it is judged, then looked up. */
export interface RepositoryChecks {
  /** @param directories where it is looked for, and in those above; absolute */
  use(directories: readonly string[], use: RepositoryUse): void;
  /** What git would run or obey because a repository says so: a sentence for each. */
  obeyed(): Promise<readonly string[]>;
}

const MAX_CONFIG_BYTES = 1_000_000;
const MAX_SUBMODULES = 200;
const MAX_DEPTH = 6;

/** This one runs when git has only looked. */
const AFTER_LOOKING = "post-index-change";

/** @param root the workspace, a real path */
export function createRepositoryChecks(root: string): RepositoryChecks {
  const uses = new Map<string, RepositoryUse>();
  return {
    use(directories, use) {
      for (const directory of directories) if (uses.get(directory) !== "change") uses.set(directory, use);
    },
    async obeyed() {
      const found = await Promise.all(
        [...uses].map(async ([directory, use]) => await obeyedFrom(directory, root, use)),
      );
      return [...new Set(found.flat())];
    },
  };
}

async function obeyedFrom(directory: string, root: string, use: RepositoryUse): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    for (const gitDirectory of await gitDirectoriesOf(at)) found.push(...(await obeyedBy(gitDirectory, root, use)));
    if (at === dirname(at)) return found;
  }
}

/** What git may take for the repository of a directory: below `.git`, where a file of that name leads, or itself. */
async function gitDirectoriesOf(directory: string): Promise<readonly string[]> {
  const inside = await gitDirectoryOf(join(directory, ".git"));
  const [head, objects, refs] = await Promise.all(
    ["HEAD", "objects", "refs"].map((name) => isThere(join(directory, name))),
  );
  const own = [...(inside === undefined ? [] : [inside]), ...(head && objects && refs ? [directory] : [])];
  return inside === undefined ? own : [...own, ...(await submodulesOf(directory, inside))];
}

async function gitDirectoryOf(path: string): Promise<string | undefined> {
  const status = await stat(path).catch(() => undefined);
  if (status?.isDirectory()) return path;
  if (!status?.isFile()) return undefined;
  const to = /^gitdir: (.+?)\s*$/u.exec((await textOf(path)) ?? "")?.[1];
  return to === undefined ? undefined : resolve(dirname(path), to);
}

/** Those that git looks into by itself. */
async function submodulesOf(directory: string, gitDirectory: string): Promise<readonly string[]> {
  const listed = (await textOf(join(directory, ".gitmodules"))) ?? "";
  const paths = [...listed.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gimu)].slice(0, MAX_SUBMODULES);
  const checkedOut = paths.map(([, path = ""]) => gitDirectoryOf(join(directory, path, ".git")));
  const found = await Promise.all(checkedOut);
  const kept: string[] = [];
  await gather(join(gitDirectory, "modules"), kept, 0);
  return [...new Set([...found.filter((one) => one !== undefined), ...kept])];
}

async function gather(directory: string, found: string[], depth: number): Promise<void> {
  if (depth > MAX_DEPTH || found.length >= MAX_SUBMODULES) return;
  const entries = await entriesOf(directory);
  if (entries.some((entry) => entry.name === "config")) found.push(directory);
  const inner = entries.filter(
    (entry) => entry.isDirectory() && !["objects", "refs", "hooks", "logs"].includes(entry.name),
  );
  for (const entry of inner) await gather(join(directory, entry.name), found, depth + 1);
}

async function obeyedBy(gitDirectory: string, root: string, use: RepositoryUse): Promise<readonly string[]> {
  const link = await textOf(join(gitDirectory, "commondir"));
  const common = link === undefined ? gitDirectory : resolve(gitDirectory, link.trim());
  const configs = [
    ...new Set([join(common, "config"), join(gitDirectory, "config"), join(gitDirectory, "config.worktree")]),
  ];
  const reasons: string[] = [];
  const hooks = [join(common, "hooks")];
  for (const path of configs) {
    const text = await textOf(path);
    if (text === undefined) continue;
    const settings = readGitConfig(text);
    const name = shown(shownRelative(root, path));
    if (!settings) reasons.push(`${name} is not written as git writes it, so what git runs is not known`);
    for (const setting of settings ?? []) {
      if (isHarmlessSetting(setting)) continue;
      const directory = hooksPathOf(setting, gitDirectory);
      if (directory !== undefined) hooks.push(directory);
      else if (!(await isWorkTreeInside(setting, gitDirectory, root))) {
        reasons.push(`${name} sets ${shown(settingName(setting))}, which git runs or obeys`);
      }
    }
  }
  for (const directory of hooks) {
    for (const name of await hooksIn(directory)) {
      if (use === "change" || name === AFTER_LOOKING)
        reasons.push(`git runs the hook ${shown(shownRelative(root, join(directory, name)))}`);
    }
  }
  return reasons;
}

/** Where it is certain what it is relative to. */
function hooksPathOf({ section, name, value }: GitSetting, gitDirectory: string): string | undefined {
  if (section !== "core" || name !== "hookspath" || basename(gitDirectory) !== ".git") return undefined;
  return /^[\w./-]+$/u.test(value) ? resolve(dirname(gitDirectory), value) : undefined;
}

/** As that of a submodule. */
async function isWorkTreeInside(
  { section, name, value }: GitSetting,
  gitDirectory: string,
  root: string,
): Promise<boolean> {
  if (section !== "core" || name !== "worktree" || /["\\]/u.test(value)) return false;
  const path = resolve(gitDirectory, value);
  const real = await realpath(path).catch(() => path);
  return isInside(root, real);
}

/** The system decides whether a hook may run; here each counts that is no example. */
async function hooksIn(directory: string): Promise<readonly string[]> {
  const entries = await entriesOf(directory);
  return entries
    .map(({ name }) => name)
    .filter((name) => /^[a-z\d-]+$/u.test(name))
    .sort();
}

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  return await readdir(directory, { withFileTypes: true }).catch(() => []);
}

/** Undefined where there is none, or none that git would read. */
async function textOf(path: string): Promise<string | undefined> {
  const status = await stat(path).catch(() => undefined);
  if (!status?.isFile()) return undefined;
  if (status.size > MAX_CONFIG_BYTES) return "?";
  return await readFile(path, "utf8").catch(() => undefined);
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
