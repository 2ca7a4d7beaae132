import { variableKind } from "../variables.ts";
import { type CommandRule, high, type Meaning, NO_MEANING, sharedBy } from "./meaning.ts";

/** Builtins of the shell that change what later commands of the same text mean, or run what is not in it. */
export const BUILTINS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy(
    "alias bind caller compgen complete compopt declare disown enable export fc getopts hash history let local mapfile read readarray readonly set shopt typeset ulimit umask unalias unset",
    state,
  ),
  ...sharedBy(
    "cd pushd popd dirs break continue exit return shift jobs fg bg suspend logout times type help",
    () => NO_MEANING,
  ),
  printf: (args, isPattern) => {
    const [format = ""] = args[0] === "--" ? args.slice(1) : args;
    const sets = format.startsWith("-v") || COUNTS.test(format) || isPattern(0);
    return sets ? state(args) : { texts: "all", reads: true };
  },
  wait: (args) => (args.some((arg) => arg.startsWith("-p")) ? state(args) : {}),
  ...sharedBy(". source", () => high("it runs commands of a file")),
};

/** What puts the number of characters so far into the variable that an argument names. */
const COUNTS = /%[-+ #0'*.\d]*[hjlLtz]*n/u;

function state(args: readonly string[]): Meaning {
  const redirects = args
    .map((arg) => /^-?v?([A-Za-z_]\w*)/u.exec(arg)?.[1])
    .find((name) => name !== undefined && variableKind(name, "/") === "redirects" && /^[A-Z_]/u.test(name));
  if (redirects) {
    const message = `${redirects} says what is run, loaded or read instead; leave it as it is`;
    return { refusal: { rule: "environment", message } };
  }
  return high("it changes what later commands mean");
}
