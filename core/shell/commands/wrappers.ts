import type { Assigned } from "../tree.ts";
import { type CommandRule, high, type Meaning, NO_MEANING, sharedBy } from "./meaning.ts";
import { type Option, type OptionGrammar, readOptions } from "./options.ts";

/** How a command that runs another one reads its arguments: all options have to be known, or the other one could be any. */
interface WrapperGrammar extends OptionGrammar {
  /** Letters of options without a value. */
  readonly flags?: string;
  readonly longFlags?: readonly string[];
  /** So many arguments stand in front of the command. */
  readonly skip?: number;
}

const XARGS: WrapperGrammar = {
  valued: "adEILnPs",
  longValued: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
  flags: "0rtpxo",
  longFlags: ["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty"],
};

/** Commands that run another one, and how the other one is found. */
export const WRAPPERS: Readonly<Record<string, CommandRule>> = {
  command: (args) => (/^-p*[vV]/u.test(args[0] ?? "") ? { texts: "all", reads: true } : runs({ flags: "p" })(args)),
  builtin: runs({}),
  exec: runs({ valued: "a", flags: "cl" }),
  nohup: runs({}),
  // Without a sandbox nobody ends what has a session of its own.
  setsid: (args) => high("it outlives its call", runs({ flags: "cfw", longFlags: ["ctty", "fork", "wait"] })(args)),
  nice: runs({ valued: "n", longValued: ["adjustment"], flags: "0123456789" }),
  ionice: runs({ valued: "cn", longValued: ["class", "classdata"], flags: "t", longFlags: ["ignore"] }),
  stdbuf: runs({ valued: "ioe", longValued: ["input", "output", "error"] }),
  time: runs({ valued: "f", longValued: ["format"], flags: "pvq", longFlags: ["portability", "verbose", "quiet"] }),
  taskset: runs({ flags: "c", longFlags: ["cpu-list"], skip: 1 }),
  timeout: runs({
    valued: "ks",
    longValued: ["kill-after", "signal"],
    flags: "fpv",
    longFlags: ["foreground", "preserve-status", "verbose"],
    skip: 1,
  }),
  env: environment,
  xargs: (args) => high("xargs runs a command with arguments that come from its input", runs(XARGS)(args)),
  ...sharedBy("busybox toybox", (args) => high("it is many commands in one", runs({})(args))),
  ...sharedBy("sudo doas pkexec run0", (args) => high("it runs a command as somebody else", privileged(args))),
  ...sharedBy("su runuser", (args) => {
    const { options } = readOptions(args, { valued: "cgGswu", longValued: ["command", "group", "shell", "user"] });
    const script = options.find(({ name, long }) => (long ? "command".startsWith(name) : name === "c"));
    const more = script?.valueIndex === undefined ? { suspects: all(args) } : scriptAt(script.valueIndex);
    return high("it runs a command as somebody else", more);
  }),
  ...sharedBy("sh bash dash ash zsh ksh mksh yash fish csh tcsh rbash", shell),
  eval: (args) => ({ transparent: true, texts: "all", script: all(args) }),
  trap: (args) => {
    const { operands } = readOptions(args, { first: true });
    const script = operands.length > 1 && args[operands[0] as number] !== "-" ? operands.slice(0, 1) : [];
    return high("it runs a command later", { texts: "all", script });
  },
  ...sharedBy("watch entr", (args) => {
    const { operands } = readOptions(args, { first: true, valued: "nqs", longValued: ["interval"] });
    const suspects = all(args);
    return high("it runs a command again and again", { texts: "all", suspects, script: operands });
  }),
  ...sharedBy(
    "strace ltrace gdb valgrind perf unshare nsenter chroot setpriv systemd-run flock script parallel chrt setarch linux32 linux64 numactl cgexec firejail bwrap proot fakeroot unbuffer rlwrap choom prlimit uclampset capsh chpst sem run-parts start-stop-daemon ssh-agent dbus-run-session xvfb-run eatmydata faketime proxychains proxychains4 torsocks torify catchsegv",
    (args) => high("it runs other commands", { suspects: all(args) }),
  ),
  ...sharedBy("ssh mosh sshpass", (args) => high("it runs commands on another machine", { suspects: all(args) })),
};

function all(args: readonly string[]): readonly number[] {
  return args.map((_, index) => index);
}

/** The command begins at the first argument that is no option, or so many behind it. */
function runs(grammar: WrapperGrammar): (args: readonly string[]) => Meaning {
  return (args) => {
    const { options, operands } = readOptions(args, { ...grammar, first: true });
    if (options.some((option) => !isKnown(option, grammar))) return unclear(args);
    const { skip = 0 } = grammar;
    const inner = operands[skip];
    if (inner === undefined) return NO_MEANING;
    return { transparent: true, inner, texts: operands.slice(0, skip) };
  };
}

function isKnown({ name, long }: Option, { valued = "", longValued = [], flags = "", longFlags = [] }: WrapperGrammar) {
  if (!long) return valued.includes(name) || flags.includes(name);
  return name !== "" && [...longValued, ...longFlags].some((full) => full.startsWith(name));
}

function unclear(args: readonly string[]): Meaning {
  return high("its options are not understood", { suspects: all(args) });
}

const ENVIRONMENT: WrapperGrammar = {
  valued: "uCa",
  longValued: ["unset", "chdir", "argv0"],
  flags: "iv0",
  longFlags: ["ignore-environment", "null", "debug"],
};

function environment(args: readonly string[]): Meaning {
  // `-` alone is `-i`.
  const from = args.findIndex((arg) => arg !== "-");
  const rest = args.slice(from === -1 ? args.length : from);
  const offset = args.length - rest.length;
  const { options, operands } = readOptions(rest, { ...ENVIRONMENT, first: true });
  if (options.some((option) => !isKnown(option, ENVIRONMENT))) {
    const message =
      "these options of env make something else of the command, such as -S of a text; write the command out";
    return { refusal: { rule: "syntax", message } };
  }
  const directory = options.find(({ name, long }) => (long ? "chdir".startsWith(name) : name === "C"))?.value;
  const found = assignedThenInner(rest, operands, offset);
  return { transparent: true, ...(directory === undefined ? {} : { directory }), ...found };
}

function privileged(args: readonly string[]): Meaning {
  const grammar: WrapperGrammar = {
    first: true,
    valued: "ugCDhpRTU",
    longValued: ["user", "group", "chdir", "chroot", "host", "prompt", "close-from", "command-timeout", "other-user"],
    flags: "nEHSkbAiPs",
    longFlags: ["non-interactive", "preserve-env", "set-home", "stdin", "reset-timestamp", "background", "login"],
  };
  const { options, operands } = readOptions(args, grammar);
  if (options.some((option) => !isKnown(option, grammar))) return unclear(args);
  return assignedThenInner(args, operands, 0);
}

function assignedThenInner(args: readonly string[], operands: readonly number[], offset: number): Meaning {
  const isAssigned = (index: number): boolean => /^[^=]+=/u.test(args[index] as string);
  const inner = operands.find((index) => !isAssigned(index));
  const before = operands.filter((index) => inner === undefined || index < inner);
  const assigned: Assigned[] = before.map((index) => {
    const text = args[index] as string;
    const equals = text.indexOf("=");
    return { name: text.slice(0, equals), value: text.slice(equals + 1) };
  });
  const texts = before.map((index) => index + offset);
  return { assigned, texts, ...(inner === undefined ? {} : { inner: inner + offset }) };
}

/** A shell runs what `-c` says, a file of the workspace, or its input. */
function shell(args: readonly string[]): Meaning {
  let runsText = false;
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg === "--" || arg === "-") {
      index++;
      break;
    }
    if (!/^[-+]/u.test(arg)) break;
    if (/^--(?:rcfile|init-file)$/u.test(arg) || /^[-+][A-Za-z]*[oO]$/u.test(arg)) index++;
    runsText ||= /^(?:-[A-Za-z]*c|--command$)/u.test(arg);
  }
  const isText = runsText && index < args.length;
  return high("a shell runs what it is given", isText ? scriptAt(index) : {});
}

function scriptAt(index: number): Meaning {
  return { texts: [index], script: [index] };
}
