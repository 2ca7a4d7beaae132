import { execFile } from "node:child_process";

/** What has printed more names is a loop. */
const MAX_BYTES = 300;

/**
 * Has bash read texts, and takes the names of the commands that it would run: there are no programs and no builtins, so
 * each of them comes to the handler of what is not found, which succeeds or fails by chance. Each text is read by a bash of its own.
 */
export async function namesRunByBash(texts: readonly string[], cwd: string): Promise<readonly string[]> {
  const outputs = await Promise.all(texts.map((text) => run(`${PRELUDE}\n${text}\n`, cwd)));
  return [...new Set(outputs.flatMap((output) => output.split("\0").slice(0, -1)))];
}

const PRELUDE = `exec 9>&1 >/dev/null 2>&1 </dev/null
command_not_found_handle() {
  /usr/bin/printf '%s\\0' "$1" >&9
  ((RANDOM % 4))
}
PATH=/nowhere
enable -n $(compgen -b)`;

function run(script: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, env: {}, timeout: 20_000, killSignal: "SIGKILL", maxBuffer: MAX_BYTES } as const;
    const child = execFile("/bin/bash", ["--norc", "--noprofile", "-c", script], options, (_, stdout) =>
      resolve(stdout),
    );
    child.stdin?.end();
  });
}
