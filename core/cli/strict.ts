import type { Diagnostic } from "../diagnostics.ts";
import { type CommandLine, switchOption } from "./options.ts";

/** The exit code of a command that did its work: 1 where `--strict` is on and something of severity error was found. */
export function strictCode(line: CommandLine, diagnostics: readonly Diagnostic[]): number {
  return switchOption(line, "strict") && diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
}
