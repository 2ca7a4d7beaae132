import { hasParent } from "../path-candidates.ts";
import { type CommandRule, high, type Meaning, NO_MEANING, sharedBy } from "./meaning.ts";
import { hasOption, readOptions } from "./options.ts";

const READS: Meaning = { reads: true };

/** Commands about files and the system: what they can do besides showing them. */
export const FILE_COMMANDS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy(
    "cat head tail ls df stat cmp diff comm readlink realpath md5sum sha1sum sha256sum cksum strings od nl tac rev join column fold fmt expand unexpand",
    () => READS,
  ),
  ...sharedBy(
    "pwd printenv uname uptime free whoami id groups tty nproc arch zgrep dir vdir hexdump base32 base64 pr",
    () => READS,
  ),
  ...sharedBy("sha224sum sha384sum sha512sum b2sum sum zcat bzcat which whereis numfmt", () => READS),
  ...sharedBy("cp mv gzip gunzip bzip2 bunzip2", () => NO_MEANING),
  ...sharedBy("rm rmdir unlink mkdir touch", () => ({ bringsNothing: true })),
  ln: (args) => {
    const { options, operands } = readOptions(args, { valued: "tS", longValued: ["target-directory", "suffix"] });
    const goesUp = operands.some((index) => hasParent(args[index] as string));
    return goesUp && hasOption(options, "sr", ["symbolic", "relative"])
      ? high("where the link leads depends on where it lies")
      : NO_MEANING;
  },
  ...sharedBy("ag ack", (args) =>
    args.some((arg) => /^--pa/u.test(arg)) ? high("it runs another program", READS) : READS,
  ),
  ...sharedBy("wc du", (args) => {
    const { options } = readOptions(args, {});
    return hasOption(options, "", ["files0-from"]) ? high("the names of files come from a file", READS) : READS;
  }),
  ...sharedBy("fd fdfind", (args) =>
    args.some((arg) => /^-\w*[xX]|^--exec/u.test(arg)) ? high("it runs a command for what it finds") : READS,
  ),
  find,
  file: (args) =>
    args.some((arg) => /^-\w*[Cf]|^--[cf]/u.test(arg)) ? high("file writes, or reads names from a file") : READS,
  uniq: (args, isPattern) => {
    const { operands } = readOptions(args, { valued: "fsw", longValued: ["skip-fields", "skip-chars", "check-chars"] });
    return operands.length > 1 || args.some((_, index) => isPattern(index))
      ? high("uniq writes its second file")
      : READS;
  },
  tree: (args) => (args.some((arg) => /^-\w*o/u.test(arg)) ? high("tree -o writes a file") : READS),
  xxd: (args, isPattern) =>
    readOptions(args, {}).operands.length > 1 || args.some((_, index) => isPattern(index))
      ? high("xxd writes its second file")
      : READS,
  hostname: (args) =>
    args.some((arg) => !/^-[sfdiIAy]$/u.test(arg)) ? high("it sets the name of the machine") : READS,
  tar: (args, isPattern) =>
    isPattern(0) ||
    args.some((arg) => /^--(?:to-c|ch|use|rs|rm|info|new|index)/u.test(arg) || /^-?[A-Za-z]*[IF]/u.test(arg))
      ? high("tar runs another program")
      : NO_MEANING,
  ...sharedBy("zip unzip", (args) =>
    args.some((arg) => /^-\w*T|^--(?:un|test)/u.test(arg)) ? high("it runs another program") : NO_MEANING,
  ),
  rsync: (args) =>
    args.some((arg) => /^--(?:rsh|rsync-path|daemon)|^-\w*e/u.test(arg)) ? high("it runs another program") : NO_MEANING,
  curl: (args) => (args.some((arg) => /^-\w*K|^--con/u.test(arg)) ? high("it obeys a file") : NO_MEANING),
  // A name of a variable may hold a command in an index.
  ...sharedBy("test [", (args) => (args.some((arg) => /^-[vR]$/u.test(arg)) ? high("it computes a name") : READS)),
};

/** Arguments of the expression that compare texts. */
const COMPARES =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|regextype|printf|type|xtype|size|perm|user|group|[acm]time|[acm]min|mindepth|maxdepth|fstype|uid|gid|links|inum|used)$/u;

function find(args: readonly string[]): Meaning {
  const exec = args.findIndex((arg) => arg === "-exec" || arg === "-ok");
  if (exec !== -1) {
    const message = `find ${args[exec]} runs a command for each file; let find print the names and go on from there`;
    return { refusal: { rule: "find_exec", message }, suspects: [exec + 1].filter((index) => index < args.length) };
  }
  const runs = args.findIndex((arg) => arg === "-execdir" || arg === "-okdir");
  if (runs !== -1) {
    const end = args.findIndex((arg, index) => index > runs && (arg === ";" || arg === "+"));
    const inner = runs + 1 < args.length ? { inner: runs + 1, innerEnd: end === -1 ? args.length : end } : {};
    return high(`find ${args[runs]} runs a command for each file`, inner);
  }
  const writes = args.find((arg) => /^-(?:delete|fprint0?|fprintf|fls)$/u.test(arg));
  if (writes) return high(`find ${writes} writes or deletes`);
  // Behind -D an option is none.
  if (args.some((arg) => arg.startsWith("-D"))) return high("find -D is not understood", READS);
  const texts = args.map((_, index) => index).filter((index) => index > 0 && COMPARES.test(args[index - 1] as string));
  const more = { texts, reads: true };
  return args.some((arg) => arg.startsWith("-files0")) ? high("the names of files come from a file", more) : more;
}
