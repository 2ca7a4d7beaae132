import { posix } from "node:path";
import type { RiskContext, RiskVerdict } from "toolroom";

/** Names of files that something runs or obeys by itself; each is the whole last part of a path, in lower case. */
const FILES: readonly (readonly [RegExp, string])[] = [
  [/^\.(?:bash|zsh|k|c|tc)sh_?(?:rc|env|profile|login|logout)$/u, "a shell runs it when it starts"],
  [
    /^\.(?:bashrc|bash_(?:profile|login|logout|aliases)|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|logout|envrc|xprofile|xinitrc|xsession)$/u,
    "a shell runs it when it starts",
  ],
  [/^config\.fish$/u, "a shell runs it when it starts"],
  [
    /^\.(?:vimrc|exrc|emacs|gdbinit|lldbinit|tmux\.conf|screenrc|inputrc|gitconfig|gitmodules|gitattributes)$/u,
    "a program obeys it when it starts",
  ],
  [/^(?:package\.json|\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmfile\.cjs)$/u, "a package manager runs what it names"],
  [
    /^(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|appveyor\.ya?ml|\.pre-commit-config\.ya?ml|lefthook\.ya?ml)$/u,
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
 * The risk of writing to a file: medium, and high where something runs it or obeys it, by its name, by that of the file
 * that a link leads to, or because this host itself takes content from there.
 * @throws ToolError where it may not be written
 */
export async function writeRisk(path: string, { workspace }: Pick<RiskContext, "workspace">): Promise<RiskVerdict> {
  const shown = workspace.relative(await workspace.resolve(path, "write"));
  const reason = [workspace.relative(path), shown].map(runBy).find((found) => found !== undefined);
  if (reason !== undefined) return { level: "high", reasons: [reason] };
  if (await workspace.isContent(path)) {
    return { level: "high", reasons: ["this host runs or obeys what lies there"] };
  }
  const outside = posix.isAbsolute(shown) ? ["it lies outside of the workspace"] : [];
  return { level: "medium", reasons: ["changes a file", ...outside] };
}

function runBy(shown: string): string | undefined {
  const path = shown.toLowerCase();
  const name = posix.basename(path);
  const inside = `/${posix.dirname(path)}/`.replaceAll("//", "/");
  return (
    FILES.find(([pattern]) => pattern.test(name))?.[1] ??
    DIRECTORIES.find(([directory]) => inside.includes(`/${directory}/`))?.[1] ??
    (SYSTEM.test(path) ? "it belongs to the system" : undefined)
  );
}
