import type { RiskLevel } from "../../sdk/risk-level.ts";
import type { Refusal } from "../refusal.ts";
import type { RepositoryUse } from "../repositories.ts";
import type { Assigned } from "../tree.ts";

/** What the arguments of a command mean, as far as it matters for what it can do. Indexes are those of the arguments. */
export interface Meaning {
  /** It is at least of this level, whatever lists say. */
  readonly atLeast?: { readonly level: RiskLevel; readonly reason: string };
  readonly refusal?: Refusal;
  /** Arguments that name no file. */
  readonly texts?: readonly number[] | "all";
  /** Whether it leaves the files that it names as they are. Default: it may change them. */
  readonly reads?: boolean;
  /** It deletes, makes what is empty, or takes what a repository holds: nothing of the command's own comes into a file. */
  readonly bringsNothing?: boolean;
  /** What it does with the repository that it finds where it runs, and above. */
  readonly repository?: RepositoryUse;
  /** It runs the command that begins here. */
  readonly inner?: number;
  /** Behind the last argument of that command. Default: all that follow belong to it. */
  readonly innerEnd?: number;
  /** Arguments that may be names of commands that it runs: which they are is not understood. */
  readonly suspects?: readonly number[];
  /** It runs these arguments, joined by spaces, as the text of a shell. */
  readonly script?: readonly number[];
  /** What it puts into the environment of the command that it runs. */
  readonly assigned?: readonly Assigned[];
  /** Its other arguments, and the command that it runs, are relative to this directory. */
  readonly directory?: string;
  /** It is there for the command that it runs alone, so no list has to name it. */
  readonly transparent?: boolean;
}

/**
 * Reads the arguments of one command. Patterns of file names stand in them as they are written; each may become any number
 * of arguments.
 */
export type CommandRule = (args: readonly string[], isPattern: (index: number) => boolean) => Meaning;

export const NO_MEANING: Meaning = {};

/** A command that is of high risk for a reason. */
export function high(reason: string, more: Meaning = NO_MEANING): Meaning {
  return { ...more, atLeast: { level: "high", reason } };
}

/** A command that is at least of medium risk. */
export function medium(reason: string, more: Meaning = NO_MEANING): Meaning {
  return { ...more, atLeast: { level: "medium", reason } };
}

/** The same rule for several commands. */
export function sharedBy(names: string, rule: CommandRule): Readonly<Record<string, CommandRule>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, rule]));
}
