import { contains } from "../discovery/paths.ts";
import { outsideError, shownPath, throwIfAborted } from "../governance/file-errors.ts";
import type { HostPlaces } from "../governance/host-state.ts";
import type { Masker } from "../governance/mask.ts";
import { openDirectory } from "../governance/open-directory.ts";
import type { CommandPlan } from "../sdk/command-plan.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ProcessSandbox } from "../sdk/processes.ts";
import type { Workspace } from "../sdk/workspace.ts";
import { BUBBLEWRAP, bubblewrapCall } from "./bubblewrap.ts";
import { type Child, type ChildOptions, firstDataDescriptor, startChild } from "./child.ts";
import { chooseSandbox } from "./choose-sandbox.ts";
import { childEnvironment } from "./environment.ts";
import { planMounts } from "./mounts.ts";
import { closePipes, type Pipes } from "./pipes.ts";
import type { Sandboxes } from "./sandboxes.ts";
import type { ProcessTerms } from "./terms.ts";

/** What all processes of a host are started with. */
export interface LaunchParts {
  /** The host's own, with a `PATH` that leads nowhere in the workspace. */
  readonly env: Readonly<Record<string, string | undefined>> & { readonly PATH: string };
  /** Whether what a variable of it holds is a secret. */
  isSecret(name: string): boolean;
  readonly places: HostPlaces;
  readonly sandboxes: Sandboxes;
  readonly masker: () => Masker;
}

/** The same with what is made when the first process is started. */
export interface LaunchTools extends LaunchParts {
  readonly pipes: Pipes;
}

/** One command that is started. */
export interface LaunchOptions
  extends Pick<ChildOptions, "hasKeyboard" | "hasControl" | "overflow" | "onOutput" | "onReply"> {
  readonly command: CommandPlan;
  readonly cwd: string;
  readonly workspace: Workspace;
  readonly terms: ProcessTerms;
  readonly signal: AbortSignal;
}

/** A process that was started. */
export interface Launched {
  readonly child: Child;
  /** POSIX, relative to the workspace. */
  readonly cwd: string;
  readonly sandbox: ProcessSandbox;
  /** As the command names it. */
  readonly program: string;
}

/**
 * Starts a command where and how it may run.
 * @throws ToolError ACCESS_DENIED, NOT_FOUND, INVALID_PARAM, DENIED_BY_POLICY, EXECUTION_ERROR
 */
export async function launch(parts: LaunchTools, options: LaunchOptions): Promise<Launched> {
  const { command, workspace, terms, signal } = options;
  const cwd = await directoryOf(workspace, options.cwd);
  const used = await chooseSandbox(parts.sandboxes, terms);
  const shown = workspace.relative(cwd);
  const argv = argvOf(command);
  const [program = ""] = argv;
  const given = command.kind === "argv" ? command.env : {};
  const base = childEnvironment({ env: parts.env, passthrough: terms.passthrough, isSecret: parts.isSecret });
  const env: Readonly<Record<string, string>> = { ...base, PWD: cwd, ...given };
  const { hasKeyboard, hasControl, overflow, onOutput, onReply } = options;
  const common = { hasKeyboard, hasControl, overflow, onOutput, onReply, masker: parts.masker() } as const;
  const start = async (
    how: Pick<ChildOptions, "file" | "args" | "cwd" | "env" | "data" | "holder">,
  ): Promise<Child> => {
    const pipes = await parts.pipes.take();
    try {
      throwIfAborted(signal);
    } catch (error) {
      if (pipes) closePipes(pipes);
      throw error;
    }
    try {
      return startChild({ ...common, ...how, pipes });
    } catch (error) {
      throw notStarted(program, error);
    }
  };
  if ("sandbox" in used) {
    const { program: file, system } = used.sandbox;
    const { root } = workspace;
    const mounts = planMounts({ system, workspace: root, rules: terms.rules, places: parts.places, home: base.HOME });
    const { args, data } = bubblewrapCall({
      ...{ argv, cwd, mounts, network: terms.network },
      env: { ...env, ...("TMPDIR" in env ? { TMPDIR: "/tmp" } : {}) },
      descriptor: firstDataDescriptor({ hasControl }),
    });
    const child = await start({ file, args, cwd: "/", env: {}, data, holder: BUBBLEWRAP });
    return { child, cwd: shown, program, sandbox: { kind: "bubblewrap", network: terms.network } };
  }
  const held = await openDirectory(cwd, shownPath(options.cwd));
  try {
    const child = await start({ file: program, args: argv.slice(1), cwd: held.at("."), env });
    return { child, cwd: shown, program, sandbox: { kind: "none", network: true, why: used.why } };
  } finally {
    await held.close();
  }
}

/** The real path of a directory of the workspace. */
async function directoryOf(workspace: Workspace, path: string): Promise<string> {
  if (path === ".") return workspace.root;
  try {
    const real = await workspace.resolve(path);
    if (!contains(workspace.root, real)) throw outsideError(shownPath(path));
    const { type } = await workspace.stat(path);
    if (type === "directory") return real;
    throw new ToolError("INVALID_PARAM", `expected a directory, found something else at ${shownPath(path)}`, {
      hint: "Name the directory that it lies in.",
    });
  } catch (error) {
    if (error instanceof ToolError)
      throw new ToolError(error.code, error.message, { ...error.details, pointer: "/cwd" });
    throw error;
  }
}

function argvOf(command: CommandPlan): readonly string[] {
  return command.kind === "argv" ? command.argv : ["bash", "--norc", "--noprofile", "-c", command.script];
}

function notStarted(program: string, error: unknown): ToolError {
  const { code, message } = error as NodeJS.ErrnoException;
  const isTooLong = code === "E2BIG";
  const words = isTooLong ? "it is longer than the system takes" : message;
  return new ToolError(
    isTooLong ? "INVALID_PARAM" : "EXECUTION_ERROR",
    `${shownPath(program)} could not be started: ${words}`,
    {
      hint: isTooLong ? "Write what is long into a file." : "Change the command.",
    },
  );
}
