import { type CommandRule, high, type Meaning, sharedBy } from "./meaning.ts";
import { readOptions } from "./options.ts";

/** Package managers: what fetches, installs or runs packages is refused, what runs code of the workspace is of high risk. */
export const PACKAGE_MANAGERS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy(
    "npm",
    manager({
      refuses:
        "exec install i in ins inst add ci clean-install install-test it install-ci-test cit update up upgrade link ln init create publish",
      reads: "ls list ll la outdated view info show v explain why root prefix bin search ping whoami",
    }),
  ),
  pnpm: manager({
    refuses: "exec dlx install i add update up upgrade link import publish create init self-update",
    reads: "ls list ll la outdated why root bin",
  }),
  yarn: manager({
    refuses: "install add upgrade up dlx exec link import publish create init global",
    reads: "list why info",
    bare: "install",
  }),
  ...sharedBy("npx pnpx bunx", () => high("it runs packages")),
  ...sharedBy(
    "pip pipx uv poetry pipenv conda mamba",
    manager({
      refuses: "install download wheel add sync update upgrade run-pip lock create tool inject",
      reads: "list show freeze check help debug",
    }),
  ),
  uvx: () => refused("uvx"),
  go: manager({ refuses: "install get", reads: "version" }),
  cargo: manager({ refuses: "install add update publish", reads: "search" }),
  ...sharedBy(
    "gem bundle composer",
    manager({ refuses: "install i add update require create-project push exec", reads: "list search info outdated" }),
  ),
};

interface Manager {
  /** Subcommands that fetch, install or publish. */
  readonly refuses: string;
  /** Subcommands that show and run nothing. */
  readonly reads: string;
  /** What it does without one. */
  readonly bare?: string;
}

function manager({ refuses, reads, bare }: Manager): CommandRule {
  const [refusing, reading] = [new Set(refuses.split(" ")), new Set(reads.split(" "))];
  return (args) => {
    if (args.length === 1 && /^(?:--version|-v|-V|--help|-h)$/u.test(args[0] as string))
      return { texts: "all", reads: true };
    const { options, operands } = readOptions(args, {
      valued: "C",
      longValued: ["prefix", "dir", "cwd", "filter", "workspace"],
    });
    const [at, below] = operands.map((index) => args[index] as string);
    const name = at === "pip" ? below : (at ?? bare);
    // What stands in its place may be the value of an option that is not known here.
    const named = operands.map((index) => args[index] as string);
    const unsure = options.length > 0 && named.find((word) => refusing.has(word) && word.length > 2);
    if (name !== undefined && refusing.has(name)) return refused(name);
    if (unsure && !reading.has(name ?? "") && options.some(({ index }) => index < (operands[0] ?? 0)))
      return refused(unsure);
    const harmless = options.every(({ long, name: option }) =>
      long ? HARMLESS.has(option) : "gaslp".includes(option),
    );
    if (name !== undefined && reading.has(name) && harmless) return { reads: true };
    return high("a package manager runs code of the workspace");
  };
}

const HARMLESS = new Set([
  "depth",
  "json",
  "long",
  "all",
  "global",
  "production",
  "prod",
  "dev",
  "parseable",
  "silent",
]);

function refused(name: string): Meaning {
  const message = `${name} fetches, installs or runs packages; a person has to do that`;
  return { refusal: { rule: "packages", message } };
}
