import { spawnSync } from "node:child_process";

/** More than the longest output of a row: `list --json` of 20,000 tools has some 8 MB. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Writes the peak resident set (KiB) of a process to its descriptor 3 when it exits. */
const REPORT_PEAK = `data:text/javascript,${encodeURIComponent(
  'import{writeSync}from"node:fs";process.on("exit",()=>writeSync(3,String(process.resourceUsage().maxRSS)))',
)}`;

/**
 * Runs Node once, from spawn to exit.
 *
 * @param args what stands behind `node`
 * @param options `cwd`, `env` (added to ours)
 * @returns `{ms, stdout}`
 * @throws when it does not end with exit code 0: a figure of something that failed means nothing
 */
export function runNode(args, options = {}) {
  const start = performance.now();
  const child = spawnSync(process.execPath, args, spawnOptions(options, "pipe"));
  const ms = performance.now() - start;
  requireSuccess(child, args);
  return { ms, stdout: child.stdout };
}

/** Runs Node once and returns its peak resident set in MB (10⁶ bytes). */
export function peakMegabytes(args, options = {}) {
  const child = spawnSync(process.execPath, ["--import", REPORT_PEAK, ...args], spawnOptions(options, "pipe"));
  requireSuccess(child, args);
  return (Number(child.output[3]) * 1024) / 1e6;
}

/** Runs a child program of the bench, which prints one JSON value, and returns that value. */
export function runChild(program, args, options = {}) {
  return JSON.parse(runNode(["--expose-gc", program, ...args], options).stdout);
}

function spawnOptions({ cwd, env }, stdout) {
  return {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT,
    stdio: ["ignore", stdout, "pipe", "pipe"],
  };
}

function requireSuccess({ status, signal, error, stderr }, args) {
  if (status === 0) return;
  const end = error?.message ?? (signal ? `signal ${signal}` : `exit code ${status}`);
  throw new Error(`expected exit code 0 of: node ${args.join(" ")}\nfound ${end}\n${stderr ?? ""}`);
}
