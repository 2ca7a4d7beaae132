import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { look, realPath } from "../discovery/look.ts";
import { contains, displayPath } from "../discovery/paths.ts";
import { type GitSetting, isHarmlessSetting, readGitConfig, settingName } from "./git-config.ts";
import { shown } from "./refusal.ts";

/** What a command does with the repository that it finds itself; `commit`: what hooks are there for. */
export type RepositoryUse = "read" | "change" | "commit";

/** The repositories that one command line uses: gathered while it is judged, then looked up. */
export interface RepositoryChecks {
  /** @param directories where it is looked for, and in those above; absolute */
  use(directories: readonly string[], use: RepositoryUse): void;
  /** What git would run or obey because a repository says so: a sentence for each. */
  obeyed(): readonly string[];
}

const MAX_CONFIG_BYTES = 1_000_000;
const MAX_SUBMODULES = 200;
const MAX_DEPTH = 6;

/** Hooks that run with commands of such a use; undefined: all may. */
const HOOKS: Readonly<Record<RepositoryUse, ReadonlySet<string> | undefined>> = {
  read: new Set(["post-index-change"]),
  change: new Set(["post-index-change", "reference-transaction"]),
  commit: undefined,
};
const USES: readonly RepositoryUse[] = ["read", "change", "commit"];

/** @param root the workspace, a real path */
export function createRepositoryChecks(root: string): RepositoryChecks {
  const uses = new Map<string, RepositoryUse>();
  return {
    use(directories, use) {
      for (const directory of directories) {
        if (USES.indexOf(use) >= USES.indexOf(uses.get(directory) ?? "read")) uses.set(directory, use);
      }
    },
    obeyed: () => [...new Set([...uses].flatMap(([directory, use]) => obeyedFrom(directory, root, use)))],
  };
}

function obeyedFrom(directory: string, root: string, use: RepositoryUse): readonly string[] {
  const found: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    for (const gitDirectory of gitDirectoriesOf(at, root)) found.push(...obeyedIn(gitDirectory, root, use));
    if (at === dirname(at)) return found;
  }
}

/**
 * What git may take for the repository of a directory: below `.git`, where a file of that name leads, or itself. The last is
 * a trick of who made the workspace; nobody keeps one in such a repository.
 */
function gitDirectoriesOf(directory: string, root: string): readonly string[] {
  const inside = gitDirectoryOf(join(directory, ".git"));
  const isOne = contains(root, directory) && ["HEAD", "objects", "refs"].every((name) => look(join(directory, name)));
  const own = isOne ? [directory] : [];
  return inside === undefined ? own : [...own, inside, ...submodulesOf(directory, inside)];
}

function gitDirectoryOf(path: string): string | undefined {
  const status = look(path);
  if (status?.isDirectory()) return path;
  if (!status?.isFile()) return undefined;
  const to = /^gitdir: (.+?)\s*$/u.exec(textOf(path) ?? "")?.[1];
  return to === undefined ? undefined : resolve(dirname(path), to);
}

/** Those that git looks into by itself. */
function submodulesOf(directory: string, gitDirectory: string): readonly string[] {
  const listed = textOf(join(directory, ".gitmodules")) ?? "";
  const paths = [...listed.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gimu)].slice(0, MAX_SUBMODULES);
  const found = paths.flatMap(([, path = ""]) => gitDirectoryOf(join(directory, path, ".git")) ?? []);
  gather(join(gitDirectory, "modules"), found, 0);
  return [...new Set(found)];
}

function gather(directory: string, found: string[], depth: number): void {
  if (depth > MAX_DEPTH || found.length >= 2 * MAX_SUBMODULES) return;
  const entries = entriesOf(directory);
  if (entries.some((entry) => entry.name === "config")) found.push(directory);
  for (const entry of entries) {
    if (entry.isDirectory() && !NO_MODULES.has(entry.name)) gather(join(directory, entry.name), found, depth + 1);
  }
}

const NO_MODULES: ReadonlySet<string> = new Set(["objects", "refs", "hooks", "logs", "info"]);

function obeyedIn(gitDirectory: string, root: string, use: RepositoryUse): readonly string[] {
  const link = textOf(join(gitDirectory, "commondir"));
  const common = link === undefined ? gitDirectory : resolve(gitDirectory, link.trim());
  const places = [join(common, "config"), join(gitDirectory, "config"), join(gitDirectory, "config.worktree")];
  const reasons: string[] = [];
  const hooks = [join(common, "hooks")];
  for (const path of new Set(places)) {
    const text = textOf(path);
    if (text === undefined) continue;
    const settings = readGitConfig(text);
    const name = shown(displayPath(root, path));
    if (!settings) reasons.push(`${name} is not written as git writes it, so what git runs is not known`);
    for (const setting of settings ?? []) {
      if (isHarmlessSetting(setting)) continue;
      const directory = hooksPathOf(setting, gitDirectory);
      if (directory !== undefined) hooks.push(directory);
      else if (!isWorkTreeInside(setting, gitDirectory, root)) {
        reasons.push(`${name} sets ${shown(settingName(setting))}, which git runs or obeys`);
      }
    }
  }
  for (const path of hooks.flatMap(hooksIn)) {
    if (HOOKS[use]?.has(basename(path)) !== false) reasons.push(`git runs the hook ${shown(displayPath(root, path))}`);
  }
  return reasons;
}

/** Where it is certain what it is relative to. */
function hooksPathOf({ section, name, value }: GitSetting, gitDirectory: string): string | undefined {
  if (section !== "core" || name !== "hookspath" || basename(gitDirectory) !== ".git") return undefined;
  return /^[\w./-]+$/u.test(value) ? resolve(dirname(gitDirectory), value) : undefined;
}

/** As that of a submodule. */
function isWorkTreeInside({ section, name, value }: GitSetting, gitDirectory: string, root: string): boolean {
  if (section !== "core" || name !== "worktree" || /["\\]/u.test(value)) return false;
  const path = resolve(gitDirectory, value);
  return contains(root, realPath(path) ?? path);
}

/** Whether one may run its mode says, which can change; each counts that is no example. */
function hooksIn(directory: string): readonly string[] {
  const names = entriesOf(directory).map(({ name }) => name);
  return names
    .filter((name) => /^[a-z\d-]+$/u.test(name))
    .sort()
    .map((name) => join(directory, name));
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Undefined where there is none; what is too long to be read is a text that means nothing. */
function textOf(path: string): string | undefined {
  const status = look(path);
  if (!status?.isFile()) return undefined;
  if (status.size > MAX_CONFIG_BYTES) return "?";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
