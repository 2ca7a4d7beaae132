/** One setting of a configuration of git. Sections and names in small letters. */
export interface GitSetting {
  readonly section: string;
  /** What stands in quotes behind the section, such as the name of a remote. */
  readonly subsection: string | undefined;
  readonly name: string;
  readonly value: string;
}

const SECTION = /^\[([A-Za-z\d.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\][ \t]*(?:[#;].*)?$/u;
const SETTING = /^([A-Za-z][A-Za-z\d-]*)[ \t]*(?:=[ \t]*(.*))?$/u;

/** @returns undefined where the text is not written as git itself writes it: it could mean anything */
export function readGitConfig(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let at: Pick<GitSetting, "section" | "subsection"> | undefined;
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "" || /^[#;]/u.test(line)) continue;
    const section = SECTION.exec(line);
    if (section) {
      at = sectionOf((section[1] as string).toLowerCase(), section[2]);
      continue;
    }
    const setting = SETTING.exec(line);
    // The next line would belong to it.
    if (!setting || !at || line.endsWith("\\")) return undefined;
    settings.push({ ...at, name: (setting[1] as string).toLowerCase(), value: setting[2] ?? "true" });
  }
  return settings;
}

/** `[a.b]` is an old way to write `[a "b"]`. */
function sectionOf(name: string, quoted: string | undefined): Pick<GitSetting, "section" | "subsection"> {
  const dot = name.indexOf(".");
  if (dot === -1) return { section: name, subsection: quoted };
  return { section: name.slice(0, dot), subsection: name.slice(dot + 1) };
}

/** How it is called in the manual. */
export function settingName({ section, subsection, name }: GitSetting): string {
  return [section, ...(subsection === undefined ? [] : [subsection]), name].join(".");
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Of these sections nothing but the settings that are named here is harmless. */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  core: words(
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath abbrev compression loosecompression bigfilethreshold preloadindex untrackedcache commitgraph multipackindex trustctime checkstat fscache longpaths protecthfs protectntfs whitespace commentchar sharedrepository splitindex sparsecheckout sparsecheckoutcone hidedotfiles fsync fsyncmethod",
  ),
  user: words("name email useconfigonly signingkey"),
  author: words("name email"),
  committer: words("name email"),
  remote: words(
    "fetch push mirror prune prunetags tagopt skipdefaultupdate skipfetchall promisor partialclonefilter gh-resolved",
  ),
  submodule: words("active branch ignore fetchrecursesubmodules recurse"),
  extensions: words("objectformat refstorage partialclone preciousobjects worktreeconfig relativeworktrees noop"),
  commit: words("cleanup status verbose gpgsign"),
  tag: words("sort gpgsign forcesignannotated"),
  gpg: words("format"),
  pull: words("rebase ff"),
  log: words("abbrevcommit date decorate follow graphcolors"),
  diff: words(
    "algorithm colormoved context mnemonicprefix noprefix renames submodule indentheuristic binary xfuncname wordregex",
  ),
  merge: words("conflictstyle ff renames stat log"),
  push: words("default autosetupremote followtags recursesubmodules"),
  init: words("defaultbranch"),
  http: words("postbuffer version lowspeedlimit lowspeedtime"),
  lfs: words("repositoryformatversion access locksverify"),
};
/** Of these, which git itself has nothing to run for or does not read, everything is. */
const HARMLESS_SECTIONS = words(
  "color column advice status fetch rebase pack index stash rerere checkout clean feature i18n gui gitk gitg gitflow github vscode",
);

/** What `git lfs install` writes. */
const LFS: Readonly<Record<string, string>> = {
  clean: "git-lfs clean -- %f",
  smudge: "git-lfs smudge -- %f",
  process: "git-lfs filter-process",
  required: "true",
};

/** Whether git runs nothing and goes nowhere else because of it. What is not known for certain may do both. */
export function isHarmlessSetting(setting: GitSetting): boolean {
  const { section, subsection, name, value } = setting;
  if (section === "branch") return name !== "mergeoptions" && (!/remote$/u.test(name) || isPlainAddress(value));
  if (section === "remote" && /^(?:push)?(?:url|default)$/u.test(name)) return isPlainAddress(value);
  if (section === "submodule" && name === "url") return isPlainAddress(value);
  // A name without a path is a program of git's own.
  if (section === "credential") return name === "helper" ? /^[\w-]*$/u.test(value) : name === "username";
  if (section === "core" && name === "fsmonitor") return /^(?:true|false)$/u.test(value);
  if (section === "filter" && subsection === "lfs") return LFS[name] === value;
  return HARMLESS_SECTIONS.has(section) || HARMLESS[section]?.has(name) === true;
}

/** `a::b` has git run a program for it. */
function isPlainAddress(value: string): boolean {
  return !/^-|["\\]|::/u.test(value);
}
