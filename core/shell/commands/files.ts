import { type CommandRule, high, type Meaning, NO_MEANING, sharedBy } from "./meaning.ts";
import { hasOption, isLong, type Option, readOptions } from "./options.ts";

const READS: Meaning = { reads: true };

/** Commands that show and search: which of their arguments are no files, and what they can do besides. */
export const FILE_COMMANDS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy(
    "cat head tail ls stat file cmp diff comm readlink realpath md5sum sha1sum sha256sum cksum strings od nl tac rev",
    () => READS,
  ),
  ...sharedBy("echo printf expr seq basename dirname sleep true false : yes factor numfmt", text),
  ...sharedBy("pwd uname uptime free whoami id groups tty nproc arch", () => READS),
  ...sharedBy("wc du", (args) => {
    const { options } = readOptions(args, { valued: "dBXt", longValued: ["max-depth", "exclude", "exclude-from"] });
    return hasOption(options, "", ["files0-from"]) ? high("the names of files come from a file", READS) : READS;
  }),
  df: () => READS,
  ...sharedBy("grep egrep fgrep zgrep", search),
  ...sharedBy("rg ag ack", (args) => {
    const { options } = readOptions(args, { valued: "efmABCgtTjM", longValued: ["regexp", "file", "glob", "type"] });
    return hasOption(options, "", ["pre", "hostname-bin", "pager"])
      ? high("it runs another program", search(args))
      : search(args);
  }),
  ...sharedBy("fd fdfind", (args) => {
    const { options } = readOptions(args, { valued: "deEtcSo" });
    return hasOption(options, "xX", ["exec", "exec-batch"]) ? high("it runs a command for what it finds") : READS;
  }),
  find,
  sort: (args) => {
    const { options } = readOptions(args, { valued: "ktTSo", longValued: ["key", "field-separator", "output"] });
    const more = { texts: valuesOf(options, "tk", ["field-separator", "key"]), reads: true };
    if (hasOption(options, "o", ["output"])) return high("sort -o writes a file", { texts: more.texts });
    if (hasOption(options, "", ["compress-program"])) return high("sort runs another program", more);
    return hasOption(options, "", ["files0-from"]) ? high("the names of files come from a file", more) : more;
  },
  uniq: (args) => {
    const { operands } = readOptions(args, { valued: "fsw", longValued: ["skip-fields", "skip-chars", "check-chars"] });
    return operands.length > 1 ? high("uniq writes its second file") : READS;
  },
  ...sharedBy("cut paste column join tr fold fmt expand unexpand", (args) => {
    const { options } = readOptions(args, {
      valued: "dfcbts",
      longValued: ["delimiter", "fields", "output-delimiter", "separator"],
    });
    const texts = valuesOf(options, "dfcbts", ["delimiter", "fields", "output-delimiter", "separator"]);
    return { texts, reads: true };
  }),
  sed,
  ...sharedBy("awk gawk mawk nawk original-awk", awk),
  jq: (args) => firstIsText(args, { valued: "LfI", longValued: ["from-file", "indent"] }),
  yq: (args) => {
    const { options } = readOptions(args, {});
    if (hasOption(options, "i", ["inplace", "in-place"])) return high("yq -i writes a file");
    return args.some((arg) => /\bload|\benv\b|\bstrenv/u.test(arg))
      ? high("yq reads what the text names")
      : firstIsText(args, {});
  },
  tree: (args) => (args.some((arg) => /^-\w*o/u.test(arg)) ? high("tree -o writes a file") : READS),
  xxd: (args) =>
    readOptions(args, { valued: "cglnos" }).operands.length > 1 ? high("xxd writes its second file") : READS,
  date: (args) => {
    const { options, operands } = readOptions(args, {
      valued: "dfrsI",
      longValued: ["date", "set", "file", "reference"],
    });
    const sets = hasOption(options, "s", ["set"]) || operands.some((index) => !(args[index] as string).startsWith("+"));
    if (sets) return high("it sets the clock");
    return { texts: [...operands, ...valuesOf(options, "d", ["date"])], reads: true };
  },
  hostname: (args) =>
    args.some((arg) => !/^-[sfdiIAay]$/u.test(arg)) ? high("it sets the name of the machine") : READS,
  tar: (args) =>
    args.some((arg) => /^--(?:to-c|ch.*-act|use-c|rsh|rmt|info-s|new-v|index)/u.test(arg) || /^-?\w*[IF]/u.test(arg))
      ? high("tar runs another program")
      : NO_MEANING,
  ...sharedBy("zip unzip", (args) =>
    args.some((arg) => /^-T|^--unzip|^-TT/u.test(arg)) ? high("it runs another program") : NO_MEANING,
  ),
  rsync: (args) =>
    args.some((arg) => /^--(?:rsh|rsync-path|daemon)|^-\w*e/u.test(arg)) ? high("it runs another program") : NO_MEANING,
  curl: (args) => (args.some((arg) => /^-\w*K|^--config/u.test(arg)) ? high("it obeys a file") : NO_MEANING),
  ...sharedBy("test [", () => READS),
};

function text(): Meaning {
  return { texts: "all", reads: true };
}

const VALUED = "efmABCdDgtTjM";
const LONG_VALUED = ["regexp", "file", "max-count", "after-context", "before-context", "context", "glob", "type"];

/** The first argument is a pattern where no option gives one. */
function search(args: readonly string[]): Meaning {
  const { options, operands } = readOptions(args, { valued: VALUED, longValued: LONG_VALUED });
  const given = hasOption(options, "ef", ["regexp", "file", "files"]);
  const [first] = operands;
  const values = valuesOf(options, "egtT", ["regexp", "include", "exclude", "exclude-dir", "glob"]);
  return { texts: given || first === undefined ? values : [first, ...values], reads: true };
}

/** Arguments of the expression that compare texts. */
const COMPARES =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|regextype|printf|type|xtype|size|perm|user|group|[amc]time|[amc]min|mindepth|maxdepth|fstype|uid|gid|links|inum|used)$/u;

function find(args: readonly string[]): Meaning {
  const exec = args.findIndex((arg) => arg === "-exec" || arg === "-ok");
  if (exec !== -1) {
    const message = `find ${args[exec]} runs a command for each file; let find print the names and go on from there`;
    return { refusal: { rule: "find_exec", message } };
  }
  const runs = args.findIndex((arg) => arg === "-execdir" || arg === "-okdir");
  if (runs !== -1) {
    const end = args.findIndex((arg, index) => index > runs && (arg === ";" || arg === "+"));
    const inner = runs + 1 < args.length ? { inner: runs + 1, innerEnd: end === -1 ? args.length : end } : {};
    return high(`find ${args[runs]} runs a command for each file`, inner);
  }
  const writes = args.find((arg) => /^-(?:delete|fprint0?|fprintf|fls)$/u.test(arg));
  if (writes) return high(`find ${writes} writes or deletes`);
  const texts = args.flatMap((arg, index) => (index > 0 && COMPARES.test(args[index - 1] as string) ? [index] : []));
  const more = { texts, reads: true };
  return args.some((arg) => /^-files0/u.test(arg)) ? high("the names of files come from a file", more) : more;
}

/** A program of sed that prints, deletes and replaces, and can neither write files nor run commands. */
const PLAIN_SED =
  /^(?:\d+|\$|\/[^/]*\/)?(?:,(?:\d+|\$|\/[^/]*\/))?\s*(?:[pdq=]|s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*|y\/[^/]*\/[^/]*\/)$/u;

function sed(args: readonly string[]): Meaning {
  const { options, operands } = readOptions(args, { valued: "efl", longValued: ["expression", "file", "line-length"] });
  const scripts = options.filter((option) => isExpression(option));
  const [first] = operands;
  const given = scripts.length > 0 || hasOption(options, "f", ["file"]);
  const programs = given ? scripts.map(({ value = "" }) => value) : first === undefined ? [] : [args[first] as string];
  const texts = given || first === undefined ? scripts.map(({ valueIndex, index }) => valueIndex ?? index) : [first];
  if (hasOption(options, "i", ["in-place"])) return high("sed -i writes files", { texts });
  if (hasOption(options, "f", ["file"])) return high("sed obeys a file", { texts });
  const plain = programs.every((program) => program.split(";").every((part) => PLAIN_SED.test(part.trim())));
  return plain ? { texts, reads: true } : high("a program of sed can write files and run commands", { texts });
}

function isExpression(option: Option): boolean {
  return option.long ? isLong(option, "expression") : option.name === "e";
}

function awk(args: readonly string[]): Meaning {
  const { options, operands } = readOptions(args, {
    valued: "Fvfilear",
    longValued: ["field-separator", "assign"],
    first: true,
  });
  const [first] = operands;
  const texts = [...valuesOf(options, "Fv", ["field-separator", "assign"]), ...(first === undefined ? [] : [first])];
  const known = options.every(({ name, long }) => !long && "Fv".includes(name));
  const program = first === undefined ? "" : (args[first] as string);
  const plain = known && !/system|getline|[|>@]/u.test(program);
  return plain ? { texts, reads: true } : high("a program of awk can write files and run commands", { texts });
}

function firstIsText(args: readonly string[], grammar: Parameters<typeof readOptions>[1]): Meaning {
  const { operands } = readOptions(args, grammar);
  return { texts: operands.slice(0, 1), reads: true };
}

function valuesOf(options: readonly Option[], letters: string, long: readonly string[]): readonly number[] {
  return options
    .filter((option) => (option.long ? long.some((name) => isLong(option, name)) : letters.includes(option.name)))
    .filter(({ value }) => value !== undefined)
    .map(({ index, valueIndex }) => valueIndex ?? index);
}
