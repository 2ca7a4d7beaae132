import { type CommandRule, high, type Meaning, sharedBy } from "./meaning.ts";

/**
 * Programs that run programs of the workspace: of high risk however they are called, but for the question of their version.
 * A program written in the command itself is refused where its option stands by itself: it can be read by nobody who approves.
 */
export const INTERPRETERS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy("python pypy ipython bpython", python),
  ...sharedBy("node nodejs bun tsx ts-node iojs", interpreter({ inline: /^(?:-e|-p|--eval(?:=|$)|--print(?:=|$))/u })),
  deno: interpreter({ inline: /^eval$/u }),
  perl: interpreter({ inline: /^-[eE]/u }),
  ...sharedBy(
    "ruby lua luajit Rscript R elixir groovy osascript ghc julia tclsh swift",
    interpreter({ inline: /^(?:-[eE]|--eval(?:=|$))/u }),
  ),
  php: interpreter({ inline: /^(?:-[rBRE]|--run(?:=|$))/u }),
  ...sharedBy(
    "java javaw jshell scala kotlin erl iex ghci runghc guile sbcl clojure clj octave gjs qjs wish expect racket raku dotnet mono wine",
    interpreter({}),
  ),
  ...sharedBy(
    "make gmake bmake nmake ninja cmake ctest meson scons just task rake gradle gradlew mvn ant bazel buck tox nox pytest",
    interpreter({}),
  ),
  ...sharedBy(
    "vim vi view nvim ex rvim vimdiff gvim emacs emacsclient nano pico joe ed red micro helix hx",
    (): Meaning => high("an editor runs commands on request"),
  ),
  ...sharedBy("less more most man info pg", (): Meaning => high("a pager runs commands on request")),
  ...sharedBy("tmux screen dtach byobu", (): Meaning => high("it runs commands in a terminal of its own")),
};

const INLINE = {
  rule: "inline_code",
  message: "the program is written in the command itself; write it to a file, so that it can be read before it runs",
} as const;

function interpreter({ inline }: { readonly inline?: RegExp }): CommandRule {
  return (args) => {
    if (asksVersion(args)) return { texts: "all", reads: true };
    // Behind the name of a script all arguments are those of the script.
    const own = args.slice(0, firstScript(args) + 1);
    if (inline && own.some((arg) => inline.test(arg))) return { refusal: INLINE };
    return high("it runs programs of the workspace");
  };
}

function firstScript(args: readonly string[]): number {
  const index = args.findIndex((arg) => arg === "--" || arg === "-" || !arg.startsWith("-"));
  // The value of an option looks like a script: the next ones are looked at as well.
  return index === -1
    ? args.length
    : Math.max(
        index,
        args.findLastIndex((arg) => arg.startsWith("-")),
      );
}

function python(args: readonly string[]): Meaning {
  if (asksVersion(args)) return { texts: "all", reads: true };
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (/^-[cm]/u.test(arg)) return { refusal: INLINE };
    if (arg === "-W" || arg === "-X" || arg === "--check-hash-based-pycs") index++;
    else if (/^-[A-Za-z]*[cm]/u.test(arg)) {
      return high("it runs a program that is written in the command", { texts: [index + 1] });
    } else if (arg === "-" || !arg.startsWith("-")) break;
  }
  return high("it runs programs of the workspace");
}

function asksVersion(args: readonly string[]): boolean {
  return args.length === 1 && /^(?:--version|-v|-V|-version|--help|version)$/u.test(args[0] as string);
}
