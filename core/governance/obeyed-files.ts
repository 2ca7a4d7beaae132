import { posix } from "node:path";

/** Names of files; each is the whole last part of a path, in lower case. */
const FILES: readonly (readonly [RegExp, string])[] = [
  [
    /^\.(?:bash|zsh|ksh|csh|tcsh|profile|zprofile|login|zlogin|logout|zlogout|envrc)[\w.-]*$/u,
    "a shell runs it when it starts",
  ],
  [/^\.(?:zshrc|zshenv|kshrc|cshrc|tcshrc|xprofile|xinitrc|xsession)$/u, "a shell runs it when it starts"],
  [/^config\.fish$/u, "a shell runs it when it starts"],
  [
    /^\.(?:vimrc|exrc|emacs|gdbinit|lldbinit|tmux|screenrc|inputrc|gitconfig|gitmodules|gitattributes)[\w.-]*$/u,
    "a program obeys it when it starts",
  ],
  [/^(?:package\.json|\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmfile\.cjs)$/u, "a package manager runs what it names"],
  [/^(?:gnu)?makefile$/u, "make runs what it says"],
  [
    /^(?:\.(?:gitlab-ci|travis|drone|pre-commit)[\w.-]*|jenkinsfile|[\w-]+-pipelines\.ya?ml|appveyor\.ya?ml|lefthook\.ya?ml)$/u,
    "an automatic build runs what it says",
  ],
  [/^(?:agents\.md|skill\.md|sop\.(?:md|toml))$/u, "agents do what it says"],
  [/^(?:agent\.system\.|fw\.).*\.md$|\.promptinclude\.md$/u, "agents do what it says"],
  [/^(?:plugin|agent)\.ya?ml$/u, "a host loads what it describes"],
  [/^authorized_keys2?$/u, "it lets people in"],
  [/\.(?:desktop|service|timer|socket|path|plist)$/u, "the system starts what it names"],
];

/** Directories in which all files are such; a whole run of parts of a path, in lower case. */
const DIRECTORIES: readonly (readonly [string, string])[] = [
  [".git", "git runs what lies there"],
  [".husky", "git runs what lies there"],
  [".githooks", "git runs what lies there"],
  [".github", "an automatic build runs what it says"],
  [".gitea", "an automatic build runs what it says"],
  [".forgejo", "an automatic build runs what it says"],
  [".circleci", "an automatic build runs what it says"],
  [".buildkite", "an automatic build runs what it says"],
  [".ci", "an automatic build runs what it says"],
  [".vscode", "an editor runs what it names"],
  [".idea", "an editor runs what it names"],
  [".devcontainer", "an editor runs what it names"],
  [".ssh", "it lets people in"],
  [".config/fish", "a shell runs it when it starts"],
  [".config/autostart", "the system starts what it names"],
  [".config/systemd", "the system starts what it names"],
  [".config", "a program obeys it when it starts"],
  ["node_modules", "programs run what lies there"],
  ["usr/plugins", "a host runs what lies there"],
  ["usr/agents", "a host runs what lies there"],
  ["usr/projects", "a host runs what lies there"],
  ["usr/tools", "a host runs what lies there"],
  ["usr/extensions", "a host runs what lies there"],
  ["usr/prompts", "a host runs what lies there"],
  ["usr/skills", "a host runs what lies there"],
];

/** Of the whole system. */
const SYSTEM = /^\/(?:etc|bin|sbin|lib|lib64|boot|usr|opt|var\/spool\/cron)\//u;

/**
 * What runs or obeys a file by itself, judged by where it lies and what it is called: start files of shells, what git,
 * editors, package managers and automatic builds look for. Whoever writes one has run what it says.
 *
 * @param path POSIX, relative to the workspace, absolute where it lies outside (as `Workspace.relative` gives it); links in
 *   it are not looked up, so ask about the real path as well
 * @returns in a few words, for whoever approves; undefined where nothing is known
 */
export function obeyedBy(path: string): string | undefined {
  const lower = posix.normalize(path).toLowerCase();
  const name = posix.basename(lower);
  const inside = `/${posix.dirname(lower)}/`.replaceAll("//", "/");
  return (
    FILES.find(([pattern]) => pattern.test(name))?.[1] ??
    DIRECTORIES.find(([directory]) => inside.includes(`/${directory}/`))?.[1] ??
    (SYSTEM.test(lower) ? "it belongs to the system" : undefined)
  );
}
