import type { CommandContext, CommandVerdict } from "../sdk/command.ts";

/**
 * What a command line can do, and how it runs.
 *
 * The text is parsed by a grammar of bash, and of its tree only what is understood is taken: no expansions, no substitutions, no
 * computations. Each command in it is judged, also those that others run (`env`, `timeout`, `xargs`, `sh -c`, …); the strictest
 * verdict counts:
 *
 * - refused (`deny`, level high), whatever the settings say: what is not understood; a program, a file or a redirection outside of
 *   the workspace; programs written in the command; what is on `denied_commands`
 * - high: what is not on `allowed_commands`, or only by `*` and not known; interpreters, package managers, editors; options that
 *   write or run; files that other programs obey; git where the repository has it run programs
 * - medium: what is on `allowed_commands`; a redirection to a file of the workspace
 * - low: what is on `low_risk_commands` as well
 *
 * What runs is printed from the tree that was judged, so nothing else of the text can.
 *
 * @throws what `workspace.resolve` throws for `cwd`, such as ToolError ACCESS_DENIED
 */
export async function judgeCommand(command: string, context: CommandContext): Promise<CommandVerdict> {
  // Most processes judge no command.
  const { judge } = await import("./judgement.ts");
  return await judge(command, context);
}
