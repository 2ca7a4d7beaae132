import { tmpdir } from "node:os";
import { PassThrough } from "node:stream";
import { main } from "../../core/cli/command-line.ts";
import { bareEnvironment, type CliOutcome, trusting } from "./cli.ts";

/** More than any command writes, so that nothing waits for a reader. */
const MAX_OUTPUT = 1 << 26;

interface MainOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What stdin holds. */
  readonly input?: string;
  /** Whether stdout says that it is a terminal. */
  readonly isTTY?: boolean;
  /** Whether the root is accepted for this command. Default true: what tests lay there is to run. */
  readonly trust?: boolean;
}

/** Runs a command line in this process, with streams of its own: for what needs no process to be true. */
export async function runMain(
  argv: readonly string[],
  { cwd = tmpdir(), env = {}, input = "", isTTY = false, trust = true }: MainOptions = {},
): Promise<CliOutcome> {
  const stdout = new PassThrough({ highWaterMark: MAX_OUTPUT });
  const stderr = new PassThrough({ highWaterMark: MAX_OUTPUT });
  const streams = {
    stdin: new PassThrough().end(input) as unknown as NodeJS.ReadStream,
    stdout: Object.assign(stdout, { isTTY }) as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    env: bareEnvironment(env),
    cwd: () => cwd,
  };
  const code = await main(trust ? trusting(argv) : argv, streams);
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}
