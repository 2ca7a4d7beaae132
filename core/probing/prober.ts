import { type ChildProcess, spawn } from "node:child_process";
import type { Job, Report } from "./messages.ts";

/** What a process is started with. */
export interface ProberOptions {
  /** The program to run, built: an absolute path. */
  readonly entry: string;
  /** See `ProbeOptions`. */
  readonly memoryMb: number;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started, or nothing came of it; undefined when it ran. */
  readonly error?: string;
}

/** One process that waits for a job. */
export interface Prober {
  /** Whether the process can take its job; settles when that is known, and never rejects. */
  readonly ready: Promise<boolean>;
  /** Settles when the process is gone. */
  readonly ended: Promise<Ending>;
  /** Hands over the job. To be called once, when it is ready. */
  start(job: Job, onReport: (report: Report) => void): void;
  /** Whether the process keeps this one alive: at first it does not. */
  hold(on: boolean): void;
  /** Ends the process at once, whatever it does. */
  kill(): void;
}

/** So long a process may take to get ready on a machine that has much to do. */
const START_MS = 30_000;

/** Room beyond the watched limit, so that it is the watchdog that ends a module which fills memory slowly. */
const HEAP_RESERVE_MB = 256;

/** Starts a process that loads what a load needs and then waits. */
export function startProber(options: ProberOptions): Prober {
  try {
    return proberOf(launch(options));
  } catch (error) {
    // Most failures are told by an event, some (no memory for another process) at once.
    const ended = Promise.resolve({ code: null, signal: null, error: String(error) });
    return { ready: Promise.resolve(false), ended, start: () => {}, hold: () => {}, kill: () => {} };
  }
}

function launch({ entry, memoryMb }: ProberOptions): ChildProcess {
  // Nothing of the host's own options: they instrument it, or open its debugger.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const heap = `--max-old-space-size=${memoryMb + HEAP_RESERVE_MB}`;
  return spawn(process.execPath, [heap, entry, String(memoryMb)], {
    // What a module prints is lost here: the host hears it when it loads the module itself.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env,
    windowsHide: true,
  });
}

function proberOf(child: ChildProcess): Prober {
  let onReport: ((report: Report) => void) | undefined;
  const ended = endOf(child);
  const kill = (): void => void child.kill("SIGKILL");
  const ready = new Promise<boolean>((resolve) => {
    const late = setTimeout(kill, START_MS).unref();
    const settle = (is: boolean): void => {
      clearTimeout(late);
      resolve(is);
    };
    child.on("message", (report: Report) => {
      if (report.type === "ready") settle(true);
      else onReport?.(report);
    });
    void ended.then(() => settle(false));
  });
  hold(child, false);

  return {
    ready,
    ended,
    start: (job, listener) => {
      onReport = listener;
      // It may be gone by now, which its end tells.
      child.send(job, () => {});
    },
    hold: (on) => hold(child, on),
    kill,
  };
}

/** After its last report: what a process has said before its end has been heard by then. */
function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, error: error.message }));
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

function hold(child: ChildProcess, on: boolean): void {
  for (const held of [child, child.channel]) {
    if (on) held?.ref();
    else held?.unref();
  }
}
