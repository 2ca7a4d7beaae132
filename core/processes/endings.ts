import { throwIfAborted } from "../governance/file-errors.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ProcessOutput } from "../sdk/processes.ts";
import type { ChildEnd } from "./child.ts";
import type { Launched } from "./launch.ts";

/** How a process ended, in the words of a shell. */
export interface Ending {
  readonly exitCode: number;
  readonly signal: string | null;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
}

const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** What bubblewrap says where it could not start the program itself. */
const NOT_EXECUTED = /^bwrap: execvp (?:.*: )?(No such file or directory|.*)\n?$/u;
/** What it says of anything else. */
const NOT_MADE = /^bwrap: /u;

/**
 * Takes the output of a process that has ended, and says how it ended.
 * @throws ToolError EXECUTION_ERROR where its sandbox could not be made
 */
export function endingOf({ child, program, sandbox }: Launched, end: ChildEnd): Ending {
  const stdout = child.stdout.take();
  const stderr = child.stderr.take();
  const { exitCode, signal, failure } = end;
  const notRun = (words: string, isMissing: boolean): Ending => {
    const text = `${program}: ${isMissing ? "command not found" : words}\n`;
    const code = isMissing ? NOT_FOUND : NOT_RUNNABLE;
    return { exitCode: code, signal: null, stdout, stderr: { text, bytes: Buffer.byteLength(text), omittedBytes: 0 } };
  };
  if (failure) return notRun(failure.message, failure.code === "ENOENT");
  if (sandbox.kind === "bubblewrap" && exitCode === 1 && stdout.bytes === 0) {
    const [, words] = NOT_EXECUTED.exec(stderr.text) ?? [];
    if (words !== undefined) return notRun(words, words === "No such file or directory");
    if (NOT_MADE.test(stderr.text)) throw notMade(stderr.text);
  }
  return { exitCode: exitCode ?? NOT_RUNNABLE, signal, stdout, stderr };
}

/** Resolves with `work`, and no later than the signal fires. @throws ToolError the signal's reason */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  throwIfAborted(signal);
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), stopped]);
    throwIfAborted(signal);
    return (first as { value: T }).value;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function notMade(words: string): ToolError {
  const message = `the sandbox could not be made: ${words.trim().split("\n")[0]}`;
  return new ToolError("EXECUTION_ERROR", message, {
    hint: "`toolroom doctor` tells whether it works; a person can see to it.",
  });
}
