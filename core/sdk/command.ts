import type { CommandPlan } from "./command-plan.ts";
import type { RiskContext, RiskVerdict } from "./tool.ts";

export type { CommandPlan };

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
