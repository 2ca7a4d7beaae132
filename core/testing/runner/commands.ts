import { spawn } from "node:child_process";

/** Where a command of a document runs, and who reads it. */
export interface CommandRun {
  /** Absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what it writes. */
  write(text: string): void;
}

/** Runs one command line in the shell of the system. @returns its exit code; 1 where it was ended by a signal, or could not be run */
export async function runCommand(command: string, { root, env, write }: CommandRun): Promise<number> {
  const child = spawn(command, {
    shell: true,
    cwd: root,
    env: { ...env, TOOLROOM_TEST: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", write);
  return await new Promise((done) => {
    child.on("error", (error) => {
      write(`${error.message}\n`);
      done(1);
    });
    child.on("close", (code) => done(code ?? 1));
  });
}
