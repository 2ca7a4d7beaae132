import type { Assigned } from "../tree.ts";
import { type CommandRule, high, type Meaning, NO_MEANING, sharedBy } from "./meaning.ts";
import { type OptionGrammar, readOptions } from "./options.ts";

/** Commands that run another one, and how the other one is found. */
export const WRAPPERS: Readonly<Record<string, CommandRule>> = {
  command: (args) => (/^-p*[vV]/u.test(args[0] ?? "") ? { texts: "all", reads: true } : runs({ first: true })(args)),
  builtin: runs({ first: true }),
  exec: runs({ first: true, valued: "a" }),
  nohup: runs({ first: true }),
  setsid: runs({ first: true }),
  nice: (args) => runs({ first: true, valued: "n", longValued: ["adjustment"] })(args),
  ionice: runs({ first: true, valued: "cnpPu", longValued: ["class", "classdata", "pid", "pgid", "uid"] }),
  stdbuf: runs({ first: true, valued: "ioe", longValued: ["input", "output", "error"] }),
  time: runs({ first: true, valued: "fo", longValued: ["format", "output"] }),
  taskset: runs({ first: true }, 1),
  chrt: runs({ first: true, valued: "TPDp" }, 1),
  timeout: runs({ first: true, valued: "ks", longValued: ["kill-after", "signal"] }, 1),
  env: environment,
  xargs: (args) => high("xargs runs a command with arguments that come from its input", runs(XARGS)(args)),
  ...sharedBy("busybox toybox", (args) => high("it is many commands in one", runs({ first: true })(args))),
  ...sharedBy("sudo doas pkexec run0", (args) => high("it runs a command as somebody else", privileged(args))),
  ...sharedBy("su runuser", (args) => {
    const { options } = readOptions(args, { valued: "cgGswu", longValued: ["command", "group", "shell", "user"] });
    const script = options.find(({ name, long }) => (long ? "command".startsWith(name) : name === "c"));
    return high("it runs a command as somebody else", scriptAt(script?.valueIndex ?? script?.index));
  }),
  ...sharedBy("sh bash dash ash zsh ksh mksh yash fish csh tcsh rbash", shell),
  eval: (args) => ({ transparent: true, texts: "all", script: args.map((_, index) => index) }),
  trap: (args) => {
    const { operands } = readOptions(args, { first: true });
    const script = operands.length > 1 && args[operands[0] as number] !== "-" ? operands.slice(0, 1) : [];
    return high("it runs a command later", { texts: "all", script });
  },
  ...sharedBy("watch entr", (args) => {
    const { operands } = readOptions(args, { first: true, valued: "nqs", longValued: ["interval"] });
    return high("it runs a command again and again", operands.length > 0 ? { texts: "all", script: operands } : {});
  }),
  ...sharedBy(
    "strace ltrace gdb valgrind perf unshare nsenter chroot setpriv systemd-run flock script parallel",
    (args) => high("it runs other commands", anywhere(args)),
  ),
  ...sharedBy("ssh mosh sshpass", (args) => high("it runs commands on another machine", anywhere(args))),
  ...sharedBy(
    "setarch linux32 linux64 i386 x86_64 numactl cgexec firejail bwrap proot fakeroot unbuffer rlwrap",
    (args) => high("it runs other commands", anywhere(args)),
  ),
};

const XARGS: OptionGrammar = {
  first: true,
  valued: "adEIJLnPRSs",
  longValued: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
};

/** The command begins at the first argument that is no option, or so many behind it. */
function runs(grammar: OptionGrammar, skip = 0): CommandRule {
  return (args) => {
    const inner = readOptions(args, grammar).operands[skip];
    if (inner === undefined) return NO_MEANING;
    const texts = Array.from({ length: skip }, (_, index) => inner - 1 - index);
    return { transparent: true, inner, texts };
  };
}

function environment(args: readonly string[]): Meaning {
  const { options, operands } = readOptions(args, {
    first: true,
    valued: "uCS",
    longValued: ["unset", "chdir", "split-string"],
  });
  const split = options.some(({ name, long }) => (long ? "split-string".startsWith(name) : name === "S"));
  if (split) {
    const message = "env -S makes a command of a text; write the command out";
    return { refusal: { rule: "syntax", message } };
  }
  const directory = options.find(({ name, long }) => (long ? "chdir".startsWith(name) : name === "C"))?.value;
  return { transparent: true, ...(directory === undefined ? {} : { directory }), ...assignedThenInner(args, operands) };
}

function privileged(args: readonly string[]): Meaning {
  const { operands } = readOptions(args, {
    first: true,
    valued: "ugCcDhpRTUart",
    longValued: ["user", "group", "chdir", "chroot", "host", "prompt", "close-from", "command-timeout", "other-user"],
  });
  return assignedThenInner(args, operands);
}

function assignedThenInner(args: readonly string[], operands: readonly number[]): Meaning {
  const isAssigned = (index: number): boolean => /^[^=]+=/u.test(args[index] as string);
  const inner = operands.find((index) => !isAssigned(index));
  const before = operands.filter((index) => inner === undefined || index < inner);
  const assigned: Assigned[] = before.map((index) => {
    const text = args[index] as string;
    const equals = text.indexOf("=");
    return { name: text.slice(0, equals), value: text.slice(equals + 1) };
  });
  return { assigned, texts: before, ...(inner === undefined ? {} : { inner }) };
}

/** A shell runs what `-c` says, a file of the workspace, or its input. */
function shell(args: readonly string[]): Meaning {
  const { options, operands } = readOptions(args, {
    first: true,
    valued: "oO",
    longValued: ["rcfile", "init-file"],
  });
  const runsText = options.some(({ name, long }) => (long ? name === "command" : name === "c"));
  // What bash takes as one option, such as `+o`, is no option by the rules of others.
  const script = runsText ? operands.find((index) => !(args[index] as string).startsWith("+")) : undefined;
  return high("a shell runs what it is given", scriptAt(script));
}

function scriptAt(index: number | undefined): Meaning {
  return index === undefined ? {} : { texts: [index], script: [index] };
}

/** Where the command begins is not known: each argument is taken for the name of one. */
function anywhere(args: readonly string[]): Meaning {
  const { operands } = readOptions(args, { first: true });
  return operands[0] === undefined ? {} : { inner: operands[0] };
}
