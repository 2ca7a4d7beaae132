import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/bundle/cli/main.js", import.meta.url));

/** What a process of the command line left. */
export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line in a real process. The environment is bare, so that no key or model of the machine counts. */
export async function cli(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): Promise<CliOutcome> {
  const env = { PATH: process.env.PATH ?? "", HOME: join(tmpdir(), "toolroom-test-home"), ...options.env };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd ?? tmpdir(), env, stdio: "pipe" });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => stdout.push(piece));
  child.stderr.on("data", (piece: Buffer) => stderr.push(piece));
  child.stdin.end(options.input ?? "");
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}
