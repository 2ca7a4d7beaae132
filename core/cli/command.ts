import type { HostOptions } from "../host/options.ts";
import type { Host, HostInternals } from "../host.ts";
import type { CommandLine, OptionTable } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is given. */
export interface CommandContext {
  readonly line: CommandLine;
  readonly terminal: Terminal;
  /**
   * Opens the host that the common options describe; it is closed when the command ends. `options` count when it is
   * asked for the first time.
   */
  host(options?: OwnOptions): Promise<Host>;
  /** What the common options say of that host, for what can be told without it. */
  hostOptions(): HostOptions;
}

/** What a command adds to the common options. */
export type OwnOptions = Pick<HostOptions, "watch" | "probe" | "approver"> & Pick<HostInternals, "keepsListing">;

/** One command of the line: a file of `commands/` that exports one of these as `command`. */
export interface Command {
  /** Behind `toolroom `, for the help: `call <tool[:method]> [key=value … | JSON]`. */
  readonly usage: string;
  readonly summary: string;
  /** Options of its own, with the words of their help line. */
  readonly options: OptionTable;
  readonly optionHelp: Readonly<Record<string, string>>;
  /** @returns the exit code: 0 done, 1 the check or the call failed, 2 wrong usage */
  run(context: CommandContext): Promise<number>;
}
