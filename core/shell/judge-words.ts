import { posix } from "node:path";
import { realPath } from "../discovery/look.ts";
import { type Meaning, NO_MEANING } from "./commands/meaning.ts";
import { ruleOf } from "./commands/rules.ts";
import { type Directories, staying, type Whereabouts } from "./directories.ts";
import { judgeAssignments } from "./judge-assignments.ts";
import type { Judging, Standing } from "./judging.ts";
import { shown } from "./refusal.ts";
import type { Word } from "./tree.ts";

/** No honest command is nested so deep. */
const MAX_DEPTH = 8;

/**
 * Judges a command by its words, and whatever it runs by theirs.
 *
 * @param words its name first
 */
export function judgeWords(words: readonly Word[], standing: Standing, judging: Judging): Whereabouts {
  const { directories, behindHeredoc, depth } = standing;
  const [first, ...rest] = words;
  const name = first?.text ?? "";
  const stays = staying(directories);
  if (!first || first.isPattern || name === "") {
    judging.refuse({ rule: "command_name", message: `${shown(name)} is no name of a command; write it out` });
    return stays;
  }
  if (depth > MAX_DEPTH) {
    judging.refuse({ rule: "syntax", message: `more than ${MAX_DEPTH} commands run each other; write fewer` });
    return stays;
  }
  const { lists } = judging;
  const base = posix.basename(name);
  judgeSuspect(first, directories, judging);
  const isPath = name.includes("/");
  const allowed = directories.every((directory) => lists.allows(name, directory));
  if (isPath && !allowed) {
    const message = `${shown(name)} is the path of a program, which allowed_commands would have to name; use a command by its name`;
    judging.refuse({ rule: "executable_path", message });
  }
  if (isPath) judging.checks.program(name, directories);
  const args = rest.map(({ text }) => text);
  const rule = ruleOf(base);
  const meaning = rule?.(args, (index) => rest[index]?.isPattern === true) ?? NO_MEANING;
  const runsOther = meaning.inner !== undefined || meaning.script !== undefined;
  const listed = allowed || (meaning.transparent === true && runsOther);
  if (!listed) judging.raise("high", `${base} is not on allowed_commands`);
  else if (!rule && !namedAlone(judging, name, directories))
    judging.raise("high", `it is not known what ${base} does, and allowed_commands does not name it`);
  else if (!directories.every((directory) => lists.isLow(name, directory)))
    judging.raise("medium", `${base} is not on low_risk_commands`);
  if (meaning.atLeast) judging.raise(meaning.atLeast.level, `${base}: ${meaning.atLeast.reason}`);
  if (meaning.refusal) judging.refuse(meaning.refusal);
  if (behindHeredoc) judgeBehind({ base, named: namedAlone(judging, name, directories), meaning }, judging);
  judgeHidden(base, rest, judging);
  if (meaning.inner !== undefined && rest.slice(0, meaning.inner).some(({ isPattern }) => isPattern)) {
    judging.refuse({
      rule: "command_name",
      message: `a pattern in front of what ${base} runs may become any command; write it out`,
    });
  }
  for (const index of meaning.suspects ?? []) judgeSuspect(rest[index] as Word, directories, judging);
  judgeAssignments(meaning.assigned ?? [], judging);
  judgePaths(rest, meaning, directories, judging);
  const inside = meaning.directory === undefined ? directories : moved(directories, meaning.directory);
  if (meaning.repository) judging.repositories.use(inside, meaning.repository);
  const next = { ...standing, directories: inside, depth: depth + 1 };
  if (meaning.inner !== undefined) {
    const whereabouts = judgeWords(rest.slice(meaning.inner, meaning.innerEnd), next, judging);
    if (base === "command" || base === "builtin") return whereabouts;
  }
  if (meaning.script && meaning.script.length > 0) {
    const texts = meaning.script.map((index) => rest[index] as Word);
    const whereabouts = judging.judgeText(texts, next);
    if (base === "eval") return whereabouts;
  }
  return base === "cd" || base === "pushd" || base === "popd" ? changed(rest, directories, judging) : stays;
}

/** What may not run at all, wherever its name stands. */
function judgeSuspect({ text }: Word, directories: Directories, judging: Judging): void {
  const base = posix.basename(text);
  if (directories.some((directory) => judging.lists.denies(text, directory))) {
    judging.refuse({
      rule: "denied_commands",
      message: `${base} is on denied_commands; a person can change that list`,
    });
  }
  if (base === "tee")
    judging.refuse({ rule: "tee", message: "tee writes files that its input goes through; write > file" });
}

/** `*` does not name a command. */
function namedAlone({ lists }: Judging, name: string, directories: Directories): boolean {
  return directories.every((directory) => lists.names(name, directory));
}

/**
 * What stands behind a text is easily taken for a part of it, by whoever reads it too, so it has to be a command that the
 * lists name and that is of no high risk.
 */
function judgeBehind(
  { base, named, meaning }: { readonly base: string; readonly named: boolean; readonly meaning: Meaning },
  judging: Judging,
): void {
  if ((named || meaning.transparent) && meaning.atLeast?.level !== "high") return;
  const message = `${base} stands behind a text for another command, where only commands may stand that allowed_commands names; run it by itself`;
  judging.refuse({ rule: "after_heredoc", message });
}

/** An option that a pattern stands for cannot be seen; in the value of one it can. */
function judgeHidden(base: string, rest: readonly Word[], judging: Judging): void {
  const end = rest.findIndex(({ text }) => text === "--");
  const hidden = (end === -1 ? rest : rest.slice(0, end)).find(
    ({ isPattern, text }) => isPattern && text.startsWith("-") && !isOptionWithValue({ text }),
  );
  if (hidden) judging.raise("high", `${base}: ${shown(hidden.text)} may stand for any option`);
}

function isOptionWithValue({ text }: Pick<Word, "text">): boolean {
  return /^--[\w-]+=/u.test(text);
}

function judgePaths(rest: readonly Word[], meaning: Meaning, directories: Directories, judging: Judging): void {
  const { texts = [], inner, innerEnd = rest.length, directory } = meaning;
  const use = meaning.reads ? "read" : meaning.bringsNothing ? "write" : "fill";
  if (directory !== undefined) judging.checks.path(directory, "read", directories);
  const places = directory === undefined ? directories : [...directories, ...moved(directories, directory)];
  const end = rest.findIndex(({ text }) => text === "--");
  const isBehindOptions = (index: number): boolean => end !== -1 && index > end;
  rest.forEach((word, index) => {
    if (inner !== undefined && index >= inner && index < innerEnd) return;
    if (texts === "all") judging.checks.pattern(word, "name", directories);
    // It may become several arguments, and those behind the first are files; but not those that begin like an option.
    else if (texts.includes(index)) {
      if (!isOptionWithValue(word) || isBehindOptions(index)) judging.checks.pattern(word, "read", places);
    } else judging.checks.argument(word, use, places);
  });
}

/** Where `..` leads from behind a link, a shell and the system say differently. */
function moved(directories: Directories, to: string): Directories {
  const targets = directories.map((directory) => posix.resolve(directory, to));
  return [...new Set(targets.flatMap((target) => [target, realPath(target) ?? target]))];
}

/** More places than these nobody can follow. */
const MAX_PLACES = 8;

function changed(words: readonly Word[], directories: Directories, judging: Judging): Whereabouts {
  const args = words.map(({ text }) => text);
  const [to, ...more] = args.filter((arg) => !/^-[LPe@]+$/u.test(arg) && arg !== "--");
  if (
    to === undefined ||
    words.some(({ isPattern }) => isPattern) ||
    to.startsWith("-") ||
    to.startsWith("+") ||
    more.length > 0
  ) {
    judging.refuse({ rule: "path", message: "where this leads cannot be seen; write cd with one directory" });
    return staying(directories);
  }
  judging.checks.path(to, "read", directories);
  const done = moved(directories, to);
  if (done.length > MAX_PLACES) {
    judging.refuse({ rule: "path", message: "nobody can follow where this leads; use fewer cd" });
    return staying(directories);
  }
  return { done, failed: directories };
}
