import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeCommand } from "../../core/shell/judge-command.ts";
import { LISTS, openGround, policyWith } from "./ground.ts";

/** {@link openGround} as a repository with one commit. */
async function openRepository() {
  const { root, workspace } = await openGround();
  const git = (...args: string[]): string => {
    const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    return execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  };
  git("init", "-q", "-b", "main");
  // The examples of this machine are not what is tested.
  rmSync(join(root, ".git", "hooks"), { recursive: true, force: true });
  mkdirSync(join(root, ".git", "hooks"));
  git("config", "user.name", "a");
  git("config", "user.email", "a@example.org");
  git("add", "a.ts");
  git("commit", "-q", "-m", "one");
  const judge = async (command: string, cwd?: string) => {
    const { level, reasons } = await judgeCommand(command, { workspace, policy: policyWith(LISTS), cwd });
    return level === "high" ? reasons : level;
  };
  /** A program that leaves a sign that it ran. */
  const program = (name: string): { readonly path: string; readonly ran: () => boolean } => {
    const [path, sign] = [join(root, name), join(root, `${name}.ran`)];
    writeFileSync(path, `#!/bin/sh\ntouch ${sign}\ncat\n`);
    chmodSync(path, 0o755);
    return { path, ran: () => existsSync(sign) };
  };
  return { root, git, judge, program };
}

describe("a repository whose settings have git run a program", () => {
  it.each([
    ["core.fsmonitor", "status"],
    ["diff.x.textconv", "log -p"],
    ["diff.x.textconv", "show"],
    ["diff.external", "diff HEAD -- b.ts"],
    ["filter.x.clean", "status"],
    ["filter.x.clean", "add b.ts"],
    ["core.editor", "commit --amend"],
  ])("makes git high: %s is what runs with git %s", async (name, command) => {
    const { root, git, judge, program } = await openRepository();
    writeFileSync(join(root, ".gitattributes"), "*.ts diff=x filter=x\n");
    writeFileSync(join(root, "b.ts"), "one\n");
    git("add", "-N", "b.ts");
    const sign = program("program");
    expect(await judge(`git ${command}`)).toBe("medium");
    git("config", name, sign.path);
    const reasons = [expect.stringContaining(`\`.git/config\` sets \`${name}\``)];
    expect(await judge(`git ${command}`)).toEqual(reasons);
    expect(await judge(`git ${command}`, "sub")).toEqual(reasons);
    expect(await judge(`ls | (timeout 5 git -C sub ${command})`)).toEqual(reasons);
    // It is no mere fear.
    writeFileSync(join(root, "a.ts"), "y\n");
    git(...command.split(" "));
    expect(sign.ran()).toBe(true);
  });

  it.each([
    ["[core]\n\tfsmonitor = x", "core.fsmonitor"],
    ["[Core] ; x\n FsMonitor=x", "core.fsmonitor"],
    ["[core]\nsshCommand = x", "core.sshcommand"],
    ["[include]\npath = x", "include.path"],
    ['[includeIf "gitdir:x"]\npath = x', "includeif.gitdir:x.path"],
    ["[merge.y]\ndriver = x", "merge.y.driver"],
    ["[gpg]\nprogram = x", "gpg.program"],
    ["[alias]\nst = !x", "alias.st"],
    ['[remote "o"]\nurl = ext::x', "remote.o.url"],
    ['[remote "o"]\nurl = e"xt":":x"', "remote.o.url"],
    ['[remote "o"]\nuploadpack = x', "remote.o.uploadpack"],
    ['[branch "main"]\nremote = ext::x', "branch.main.remote"],
    ['[branch "main"]\nmergeOptions = -S', "branch.main.mergeoptions"],
    ["[credential]\nhelper = !x", "credential.helper"],
    ["[core]\nworktree = /", "core.worktree"],
    ["[sequence]\neditor = x", "sequence.editor"],
    ["[gc]\nrecentObjectsHook = x", "gc.recentobjectshook"],
    ['[filter "lfs"]\nclean = ./git-lfs clean', "filter.lfs.clean"],
    ["[unheard]\nof = x", "unheard.of"],
    ["[core] fsmonitor = x", "not written as git writes it"],
    ["[core]\nabbrev = 7\\\n", "not written as git writes it"],
  ])("is seen in %j", async (text, name) => {
    const { root, judge } = await openRepository();
    writeFileSync(join(root, ".git", "config"), `${text}\n`);
    expect(await judge("git status")).toEqual([expect.stringContaining(name)]);
  });

  it("is seen where git finds it", async () => {
    const { root, git, judge, program } = await openRepository();
    const bad = "[core]\n\tfsmonitor = x\n";
    // A repository in a directory of the tree, without .git.
    git("init", "-q", "--bare", "sub/bare");
    expect(await judge("git log", "sub/bare")).toBe("medium");
    writeFileSync(join(root, "sub", "bare", "config"), bad);
    expect(await judge("git log", "sub/bare")).toEqual([expect.stringContaining("`sub/bare/config` sets")]);
    expect(await judge("git -C sub/bare log")).toEqual([expect.stringContaining("`sub/bare/config` sets")]);
    expect(await judge("git log")).toBe("medium");
    // A second working directory, and one whose .git is a file.
    git("worktree", "add", "-q", "tree");
    expect(await judge("git log", "tree")).toBe("medium");
    git("config", "extensions.worktreeConfig", "true");
    writeFileSync(join(root, ".git", "worktrees", "tree", "config.worktree"), bad);
    expect(await judge("git log", "tree")).toEqual([expect.stringContaining("config.worktree")]);
    expect(await judge("git log")).toBe("medium");
    // Submodules, which git status looks into.
    git("init", "-q", "part");
    writeFileSync(join(root, ".gitmodules"), '[submodule "part"]\n\tpath = part\n\turl = ./part\n');
    expect(await judge("git status")).toBe("medium");
    git("-C", "part", "config", "core.fsmonitor", program("monitor").path);
    expect(await judge("git status")).toEqual([expect.stringContaining("`part/.git/config` sets")]);
    mkdirSync(join(root, ".git", "modules"));
    renameSync(join(root, "part", ".git"), join(root, ".git", "modules", "part"));
    expect(await judge("git status")).toEqual([expect.stringContaining("`.git/modules/part/config` sets")]);
  });
});

describe("hooks of a repository", () => {
  it("make those commands high that run them, wherever the hooks lie", async () => {
    const { root, git, judge } = await openRepository();
    expect(await judge("git commit -m x")).toBe("medium");
    writeFileSync(join(root, ".git", "hooks", "pre-commit.sample"), "");
    expect(await judge("git commit -m x")).toBe("medium");
    writeFileSync(join(root, ".git", "hooks", "pre-commit"), "");
    const reasons = [expect.stringContaining("`.git/hooks/pre-commit`")];
    expect([await judge("git commit -m x"), await judge("git add a.ts && git commit -m x")]).toEqual([
      reasons,
      reasons,
    ]);
    expect([await judge("git add a.ts"), await judge("git status")]).toEqual(["medium", "medium"]);
    rmSync(join(root, ".git", "hooks", "pre-commit"));
    git("config", "core.hooksPath", ".husky/_");
    mkdirSync(join(root, ".husky", "_"), { recursive: true });
    expect(await judge("git commit -m x")).toBe("medium");
    writeFileSync(join(root, ".husky", "_", "pre-push"), "");
    expect(await judge("git push")).toEqual([expect.stringContaining("`.husky/_/pre-push`")]);
    expect(await judge("git diff")).toBe("medium");
    // It runs when git has only looked.
    writeFileSync(join(root, ".husky", "_", "post-index-change"), "");
    expect(await judge("git status")).toEqual([expect.stringContaining("post-index-change")]);
    rmSync(join(root, ".husky", "_", "post-index-change"));
    writeFileSync(join(root, ".husky", "_", "reference-transaction"), "");
    expect(await judge("git tag v1")).toEqual([expect.stringContaining("reference-transaction")]);
    expect(await judge("git status")).toBe("medium");
    git("config", "core.hooksPath", "~/hooks");
    expect(await judge("git status")).toEqual([expect.stringContaining("core.hookspath")]);
  });
});

it("what git, its hosts and editors write themselves keeps git as it is", async () => {
  const { root, git, judge } = await openRepository();
  const settings = `
[remote "origin"]
	url = git@example.org:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
	vscode-merge-base = origin/main
[submodule "x"]
	active = true
	url = https://example.org/x.git
[filter "lfs"]
	required = true
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
[lfs "https://example.org/a/b.git/info/lfs"]
	locksverify = true
[pull]
	rebase = true
[commit]
	gpgsign = true
[credential]
	helper = store
`;
  git("remote", "add", "local", "https://example.org/a.git");
  git("config", "core.fsmonitor", "true");
  writeFileSync(join(root, ".git", "config"), settings, { flag: "a" });
  for (const command of ["status", "log -p", "add .", "commit -m x", "push", "pull", "switch -c y"]) {
    expect([command, await judge(`git ${command}`)]).toEqual([command, "medium"]);
  }
});
