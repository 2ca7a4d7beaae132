import type { RiskContext, RiskVerdict } from "./tool.ts";

/** What a command is judged by: what a risk function is given, and where the command would run. */
export interface CommandContext extends RiskContext {
  /** The directory that it would run in, relative to the workspace or absolute. Default: the workspace itself. */
  readonly cwd?: string | undefined;
}

/** What is to be thought of a command line, and how it runs. */
export interface CommandVerdict extends RiskVerdict {
  /** How it runs; absent where it may not run. Made of the same tree that was judged: nothing else may be run for it. */
  readonly plan?: CommandPlan;
}

/**
 * How a judged command runs. `argv`: one program without a shell, with what `env` adds to its environment. `bash`: as
 * `bash --norc --noprofile -c script`, in a `bash` whose environment holds no `BASH_ENV`, no `ENV` and no exported function.
 */
export type CommandPlan =
  | { readonly kind: "argv"; readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: "bash"; readonly script: string };
