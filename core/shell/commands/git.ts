import type { Refusal } from "../refusal.ts";
import { type CommandRule, high, type Meaning, medium } from "./meaning.ts";
import { hasOption, isLong, type Option, readOptions } from "./options.ts";

/** `git`: what its own options and its subcommand do. */
export const GIT: Readonly<Record<string, CommandRule>> = { git };

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Show what is there. */
const READS = words(
  "annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref fsck grep help log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show show-branch show-ref status var verify-commit verify-tag version",
);
/** Show without arguments, and change with them. */
const READS_AS: Readonly<Record<string, RegExp>> = {
  branch:
    /^(?:-[avrql]+|--(?:all|list|remotes|verbose|show-current|contains|merged|no-merged|sort=.*|format=.*|no-color|no-column))$/u,
  tag: /^(?:-l|-n\d*|--(?:list|contains|merged|no-merged|sort=.*|format=.*))$/u,
  remote: /^(?:-v|--verbose|show|get-url)$/u,
  stash: /^(?:list|show)$/u,
  reflog: /^(?:show|--.*|-n|\d+)$/u,
  worktree: /^(?:list|--porcelain)$/u,
  notes: /^(?:list|show)$/u,
};
const CHANGES = words(
  "add archive branch bundle checkout cherry-pick clean clone commit fetch format-patch gc init merge mv notes prune pull push rebase reflog remote repack reset restore revert rm sparse-checkout stage stash switch tag worktree",
);
/** Of these most hooks are a part. */
const COMMITS = words(
  "checkout cherry-pick clone commit fetch gc merge pull push rebase remote restore revert switch worktree",
);
/** Of these the arguments say where something new is written; what the others write is what the repository holds. */
const FILLS = words("archive bundle clone format-patch init mv worktree");
/** Write what a patch or an object says, wherever it says. */
const WRITES_ANYWHERE = words(
  "am apply checkout-index commit-tree fast-export mailinfo merge-file mktag mktree pack-objects read-tree replace symbolic-ref unpack-file update-index update-ref write-tree",
);
const PROGRAMS = words(
  "bisect credential credential-cache credential-store cvsexportcommit cvsserver daemon difftool fast-import filter-branch for-each-repo gui gitk citool hook http-backend imap-send instaweb maintenance mergetool p4 quiltimport request-pull send-email shell submodule svn upload-pack receive-pack upload-archive web--browse",
);

/** Own options that take the next argument. */
const VALUED = ["exec-path", "git-dir", "work-tree", "namespace", "config-env", "super-prefix", "attr-source"];

function git(args: readonly string[]): Meaning {
  const own = readOptions(args, { first: true, valued: "cC", longValued: VALUED.slice(1) });
  const [at] = own.operands;
  const fault = own.options.map(ownOption).find((found) => found !== undefined);
  if (fault) return { refusal: fault };
  const moves = own.options.flatMap(({ name, long, value }) => (!long && name === "C" && value ? [value] : []));
  // Each is taken from the one before.
  const directory =
    moves.length === 0 ? undefined : moves.reduce((at, to) => (to.startsWith("/") ? to : `${at}/${to}`));
  const name = at === undefined ? undefined : (args[at] as string);
  const meaning = name === undefined ? { reads: true } : subcommand(name, args, at as number);
  const runs =
    hasOption(own.options, "p", ["paginate"]) || hasOption(own.options, "", ["git-dir", "work-tree", "bare"]);
  const judged = runs ? high("it lets another directory, or a pager, say what git runs", meaning) : meaning;
  return { ...judged, ...(directory === undefined ? {} : { directory }) };
}

function ownOption(option: Option): Refusal | undefined {
  const { name, long } = option;
  if (long ? isLong(option, "config-env") : name === "c") {
    return { rule: "git_configuration", message: "git -c sets what git runs and obeys; leave it out" };
  }
  if (isLong(option, "exec-path") && option.value !== undefined) {
    return { rule: "git_program", message: "git --exec-path says which programs git runs; leave it out" };
  }
  return undefined;
}

function subcommand(name: string, args: readonly string[], at: number): Meaning {
  const rest = args.slice(at + 1);
  if (name.includes(".") || name === "config" || name === "alias") {
    return refused("git_configuration", `git ${name} is about what git runs and obeys; a person can change it`);
  }
  if (PROGRAMS.has(name)) return refused("git_program", `git ${name} runs other programs; use a plain subcommand`);
  const { options, operands } = readOptions(rest, { valued: VALUED_BY[name] ?? "", longValued: SEPARATE });
  const runs = options.find((option) => runsProgram(name, option));
  if (runs)
    return refused(
      "git_program",
      `git ${name} ${runs.long ? "--" : "-"}${runs.name} runs another program; leave it out`,
    );
  if (rest.some((arg) => /^[a-z][a-z0-9+.-]*::/iu.test(arg) || /^--(?:upload|receive)-pack/u.test(arg))) {
    return refused("git_program", "such an address makes git run another program; use https or a path");
  }
  const texts = textsOf(name, options).map((index) => index + at + 1);
  const pattern =
    name === "grep" && !hasOption(options, "ef") ? operands.slice(0, 1).map((index) => index + at + 1) : [];
  const named: Meaning = { texts: [at, ...texts, ...pattern] };
  const repository = COMMITS.has(name) ? "commit" : "change";
  const more: Meaning = { ...named, repository, bringsNothing: !FILLS.has(name) && !writes(options) };
  const looks: Meaning = writes(options)
    ? medium(`git ${name} writes a file`, more)
    : { ...named, repository: "read", reads: true };
  if (READS.has(name)) return looks;
  const shows = READS_AS[name];
  const first = operands[0] === undefined ? undefined : (rest[operands[0]] as string);
  const listing =
    shows !== undefined &&
    (name === "branch" || name === "tag" ? onlyLists(rest, shows) : shows.test(first ?? rest[0] ?? SHOWS[name] ?? ""));
  if (listing) return looks;
  if (WRITES_ANYWHERE.has(name)) return high(`git ${name} writes what a patch or an object says`, named);
  if (CHANGES.has(name)) return medium(`git ${name} changes the repository or asks another one`, more);
  return high(`what git ${name} does is not known`, more);
}

/** What these do without arguments. */
const SHOWS: Readonly<Record<string, string>> = { remote: "-v", reflog: "show" };

/** Nothing but options that list, and behind one of them what to list. */
function onlyLists(rest: readonly string[], shows: RegExp): boolean {
  const options = rest.filter((arg) => arg.startsWith("-"));
  if (!options.every((arg) => shows.test(arg))) return false;
  return (
    options.length === rest.length || options.some((arg) => /^(?:-l|--(?:list|contains|merged|no-merged))$/u.test(arg))
  );
}

const VALUED_BY: Readonly<Record<string, string>> = {
  commit: "mFCct",
  tag: "mFu",
  merge: "mFsX",
  log: "nSGL",
  show: "nSG",
  diff: "SGUO",
  grep: "efmABCO",
  stash: "m",
  notes: "mFCc",
  blame: "LSC",
  push: "o",
  clone: "bocuj",
  fetch: "jou",
  pull: "sXj",
  rebase: "sXxC",
  "format-patch": "ov",
  "cherry-pick": "msX",
  revert: "m",
  add: "",
};

/** Long options whose value is a text, and may be the next argument. */
const TEXT_OPTIONS = [
  "message",
  "author",
  "date",
  "grep",
  "committer",
  "format",
  "pretty",
  "since",
  "until",
  "after",
  "before",
  "sort",
];
/** Of these two the value is never the next argument. */
const SEPARATE = TEXT_OPTIONS.filter((name) => name !== "format" && name !== "pretty");
const SHORT_TEXTS = "mSGen";

function textsOf(command: string, options: readonly Option[]): readonly number[] {
  const letters = command === "blame" || command === "annotate" ? "" : SHORT_TEXTS;
  return options.flatMap((option) => {
    const isText = option.long ? TEXT_OPTIONS.some((name) => isLong(option, name)) : letters.includes(option.name);
    if (!isText || option.value === undefined) return [];
    return [option.valueIndex ?? option.index];
  });
}

/** Options by which a subcommand runs another program. Cut short they are meant as well. */
function runsProgram(name: string, option: Option): boolean {
  const long = [
    "open-files-in-pager",
    "upload-pack",
    "receive-pack",
    "exec",
    "ext-diff",
    "extcmd",
    "sendmail-cmd",
    "show-signature",
    "gpg-sign",
    "template",
    "config",
    "edit-description",
    "separate-git-dir",
  ];
  if (option.long) {
    const signs = isLong(option, name === "tag" ? "sign" : "signed") && (name === "tag" || name === "push");
    return (
      signs || long.some((full) => isLong(option, full)) || (name === "help" && /^(?:web|info|man)/u.test(option.name))
    );
  }
  switch (name) {
    case "grep":
      return option.name === "O";
    case "clone":
      return option.name === "u" || option.name === "c";
    case "rebase":
      return "xS".includes(option.name);
    case "help":
      return "wim".includes(option.name);
    case "tag":
      return "su".includes(option.name);
    case "commit":
    case "merge":
    case "pull":
    case "cherry-pick":
    case "revert":
      return option.name === "S";
    // It is written in an editor.
    case "add":
    case "stage":
      return option.name === "e";
    default:
      return false;
  }
}

function writes(options: readonly Option[]): boolean {
  return options.some((option) => option.long && isLong(option, "output"));
}

function refused(rule: Refusal["rule"], message: string): Meaning {
  return { refusal: { rule, message } };
}
