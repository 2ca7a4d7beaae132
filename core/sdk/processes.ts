import type { CommandPlan } from "./command-plan.ts";

/** What keeps a process in. */
export interface ProcessSandbox {
  readonly kind: "bubblewrap" | "none";
  /** Whether it reaches the network. */
  readonly network: boolean;
  /** Of `none`: why there is no other. */
  readonly why?: string;
}

/** What a process wrote to one stream. Masked. */
export interface ProcessOutput {
  /** At most 1 MiB: of more the first two thirds and the last third, with a line between them. */
  readonly text: string;
  /** Of all that came. */
  readonly bytes: number;
  /** How much of it is not in `text`; 0 where all is. */
  readonly omittedBytes: number;
  /** Where the whole is, as file tools take it; absent where it is in `text` or could not be kept. */
  readonly file?: string;
}

/** What {@link ToolProcesses.run} takes besides the command. */
export interface ProcessRunOptions {
  /** Relative to the workspace, and in it. Default: the workspace. */
  readonly cwd?: string | undefined;
  /** After so long it is ended. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Told the last 4,000 characters of both streams, in the order in which they came, at most ten times a second. */
  onProgress?(text: string): void;
}

/** How a process ended that was waited for. */
export interface ProcessResult {
  /** 127 where there is no such program, 126 where it cannot be run, 128 and its number where a signal ended it. */
  readonly exitCode: number;
  /** Such as `SIGKILL`. */
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
  /** POSIX, relative to the workspace. */
  readonly cwd: string;
  readonly sandbox: ProcessSandbox;
}

/** What {@link ToolProcesses.start} takes besides the command. */
export interface ProcessStartOptions extends Pick<ProcessRunOptions, "cwd"> {
  /** By which it is asked for later, `^[a-z][a-z0-9-]{0,40}$`. Default: a number of its own, as in `process-1`. */
  readonly id?: string | undefined;
  /** How lists name it. */
  readonly title: string;
  /** Whether it can be typed to. Default: it reads nothing from its standard input. */
  readonly keyboard?: boolean | undefined;
  /** Whether it is sent messages: it reads them from descriptor 3, each with a NUL behind it, and answers so on descriptor 4. */
  readonly control?: boolean | undefined;
}

/** A process that nobody waits for. */
export interface ProcessState {
  readonly id: string;
  readonly title: string;
  /** The id of the tool that started it. */
  readonly tool: string;
  readonly state: "running" | "ended";
  /** As in {@link ProcessResult}; null while it runs. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** How many messages it was sent. */
  readonly sent: number;
  /** What it answered. */
  readonly replies: readonly string[];
  readonly sandbox: ProcessSandbox;
}

/** What came of a process since it was last read. */
export interface ProcessRead extends ProcessState {
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
}

/**
 * Programs that a call runs. Each begins with a cleared environment (a short list, and what `env_passthrough` of the risk
 * profile names), in a session and a group of its own without a terminal, with nothing to read, in the sandbox that the risk
 * profile asks for. When it ends, what is left of its group is ended as well.
 *
 * Nothing is judged here: that is what the tool's `risk` is for.
 */
export interface ToolProcesses {
  /**
   * Runs a command to its end. When the call is stopped it is ended, SIGTERM first, SIGKILL 300 ms later.
   * @throws ToolError the reason of the call's signal; ACCESS_DENIED, NOT_FOUND or INVALID_PARAM (`cwd`); DENIED_BY_POLICY
   *   (a sandbox is required, and there is none); EXECUTION_ERROR (it could not be started)
   */
  run(command: CommandPlan, options?: ProcessRunOptions): Promise<ProcessResult>;
  /**
   * Starts a command that goes on behind the call. It ends by itself, when it is stopped, and with the agent or the host; for
   * a call without an agent with the host.
   * @throws ToolError as {@link run}; CONFLICT (the id is in use), RATE_LIMITED (16 run already)
   */
  start(command: CommandPlan, options: ProcessStartOptions): Promise<ProcessState>;
  /** Those of this agent that run, and the last that have ended, oldest first. */
  list(): readonly ProcessState[];
  /**
   * What a process wrote since it was last read.
   * @param options.waitMs waits so long at most for something to come: output, an answer, its end. Default: does not wait
   * @param options.untilEnd waits for its end alone
   * @throws ToolError NOT_FOUND; the reason of the call's signal
   */
  read(
    id: string,
    options?: { readonly waitMs?: number | undefined; readonly untilEnd?: boolean | undefined },
  ): Promise<ProcessRead>;
  /** Types to a process. @throws ToolError NOT_FOUND, CONFLICT (it has ended, or takes nothing) */
  type(id: string, text: string): ProcessState;
  /** Sends a process a message without NUL. @throws ToolError as {@link type} */
  send(id: string, message: string): ProcessState;
  /** Ends a process, and gives what it wrote since it was last read. @throws ToolError NOT_FOUND */
  stop(id: string): Promise<ProcessRead>;
}
