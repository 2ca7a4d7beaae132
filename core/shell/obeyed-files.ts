/**
 * Whether other programs run or obey a file because of where it lies or what it is called: start files of shells, what git,
 * editors, package managers and automatic builds look for. Whoever writes one has run what it says.
 */
export function isObeyed(path: string): boolean {
  return DIRECTORIES.test(path) || NAMES.test(path);
}

const DIRECTORIES =
  /(?:^|\/)(?:\.git|\.husky|\.githooks|\.github|\.gitea|\.forgejo|\.circleci|\.buildkite|\.ci|\.vscode|\.idea|\.devcontainer|\.ssh|\.config|node_modules)(?:\/|$)/iu;
const NAMES =
  /(?:^|\/)(?:\.(?:bash|zsh|ksh|csh|tcsh|profile|login|logout|envrc|inputrc|vimrc|exrc|emacs|gdbinit|lldbinit|tmux|screenrc|gitconfig|gitmodules|gitattributes|npmrc|yarnrc|pnpmfile|pre-commit|gitlab-ci|travis|drone|xprofile|xinitrc|xsession)[\w.-]*|config\.fish|authorized_keys2?|package\.json|makefile|gnumakefile|jenkinsfile|(?:agents|skill|sop)\.md|sop\.toml|(?:agent\.system\.|fw\.).*\.md|.*\.promptinclude\.md|(?:plugin|agent|appveyor)\.ya?ml|[\w-]+-pipelines\.ya?ml|lefthook\.ya?ml|[\w.-]+\.(?:desktop|service|timer|socket|path|plist))$/iu;
