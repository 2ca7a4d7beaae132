import { variableKind } from "../variables.ts";
import { type CommandRule, high, type Meaning, sharedBy } from "./meaning.ts";

/** Builtins of the shell that change what later commands of the same text mean, or run what is not in it. */
export const BUILTINS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy(
    "alias bind caller compgen complete compopt declare disown enable export fc getopts hash history let local mapfile read readarray readonly set shopt typeset ulimit umask unalias unset",
    state,
  ),
  printf: (args) => (args[0]?.startsWith("-v") ? state(args) : { texts: "all", reads: true }),
  wait: (args) => (args.some((arg) => arg.startsWith("-p")) ? state(args) : {}),
  ...sharedBy(". source", () => high("it runs commands of a file")),
};

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
