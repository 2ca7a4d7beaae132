import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The directory of this project. */
export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** The built command line: what `bin` of package.json names. */
export const MAIN = join(PROJECT, JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")).bin.toolroom);

/** What a process of the command line left. */
export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process of the command line is started. */
export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether the root is accepted for this command. Default true: what tests lay there is to run. */
  readonly trust?: boolean;
}

/** A command line that accepts its root. */
export function trusting(args: readonly string[]): readonly string[] {
  const [first = "-", ...rest] = args;
  if (["--version", "-v", "help"].includes(first)) return args;
  return first.startsWith("-") ? ["--trust", ...args] : [first, "--trust", ...rest];
}

/** Runs the built command line in a real process. The environment is bare, so that no key or model of the machine counts. */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliOutcome> {
  const running = startCli(args, options);
  running.child.stdin.end(options.input ?? "");
  return await running.outcome;
}

/** A process of the command line that still runs. */
export interface RunningCli {
  readonly child: ChildProcessWithoutNullStreams;
  readonly outcome: Promise<CliOutcome>;
  /** Resolves with all output so far as soon as `pattern` is in it; rejects when the process ends without it. */
  shows(pattern: RegExp): Promise<string>;
}

/** As {@link cli}, for a test that talks to the process while it runs. */
export function startCli(
  args: readonly string[],
  { cwd = tmpdir(), env = {}, trust = true }: CliOptions = {},
): RunningCli {
  const line = trust ? trusting(args) : args;
  return watchProcess(spawn(process.execPath, [MAIN, ...line], { cwd, env: bareEnvironment(env), stdio: "pipe" }));
}

/** Watches what any process writes. */
export function watchProcess(child: ChildProcessWithoutNullStreams): RunningCli {
  const pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const all: Buffer[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const listen = (name: "stdout" | "stderr") => (piece: Buffer) => {
    pieces[name].push(piece);
    all.push(piece);
    for (const check of waiting) check();
  };
  child.stdout.on("data", listen("stdout"));
  child.stderr.on("data", listen("stderr"));
  // A process may end before it has read what it is given.
  child.stdin.on("error", () => {});
  const outcome = new Promise<CliOutcome>((resolve) =>
    child.on("close", (code) => {
      ended = true;
      for (const check of waiting) check();
      resolve({ code, stdout: text(pieces.stdout), stderr: text(pieces.stderr) });
    }),
  );
  return {
    child,
    outcome,
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const output = text(all);
          if (!pattern.test(output) && !ended) return;
          waiting.delete(check);
          if (pattern.test(output)) resolve(output);
          else reject(new Error(`the process ended without ${pattern}; it wrote:\n${output}`));
        };
        waiting.add(check);
        check();
      }),
  };
}

/** No keys, no models, no home of the machine. */
export function bareEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: join(tmpdir(), "toolroom-test-home"), ...env };
}

function text(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString();
}
