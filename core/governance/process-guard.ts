import { AsyncLocalStorage } from "node:async_hooks";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { captureOutput } from "./captured-console.ts";
import { listenToTimers } from "./content-timers.ts";
import { catchStrayErrors, refuseErrorListeners } from "./stray-errors.ts";

/** A piece of what content printed. */
export interface CapturedOutput {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** True for the last piece of a scope that printed more than is kept. */
  readonly truncated: boolean;
}

/** Whose code runs, and who is told what it prints. */
interface GuardScope {
  /** For messages, for example `tool _files.word_count`. */
  readonly owner: string;
  onOutput(output: CapturedOutput): void;
  /** Hears of each timer that content makes with the global functions. */
  readonly onTimer?: ((timer: NodeJS.Timeout) => void) | undefined;
}

/** One host's hold on the guard. */
export interface ProcessGuard {
  /** Runs content: what it and everything that it starts prints or throws belongs to `scope`. */
  run<T>(scope: GuardScope, fn: () => T): T;
  /** Runs code of the host that content has called: it prints and throws for itself. */
  leave<T>(fn: () => T): T;
  /** Lets go; with the last hold everything is as it was before. */
  release(): void;
}

/** So many characters of one scope are kept: a tool in a print loop must not fill the memory. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * Keeps content from writing to the process's streams and from ending the process by a stray error.
 *
 * The guard is the one thing that belongs to the process and not to a host: it is put in with the first hold and
 * taken out with the last.
 *
 * @param options.report is told of stray errors of content that ran in this hold's scopes
 */
export function acquireProcessGuard(options: { report(diagnostic: Diagnostic): void }): ProcessGuard {
  const hold = Symbol();
  if (holds.size === 0) {
    const listening = listenToTimers(() => current.getStore()?.scope.onTimer);
    installed = [captureOutput(currentPrinter), catchStrayErrors(blame), refuseErrorListeners(refuse), listening];
  }
  holds.add(hold);
  return {
    run(scope, fn) {
      if (!holds.has(hold)) return fn();
      return current.run({ scope, report: options.report, left: MAX_CHARACTERS }, fn);
    },
    leave: (fn) => current.exit(fn),
    release() {
      if (!holds.delete(hold) || holds.size > 0) return;
      for (const restore of installed.reverse()) restore();
      installed = [];
      current.disable();
    },
  };
}

/** State of one run of content. */
interface Running {
  readonly scope: GuardScope;
  readonly report: (diagnostic: Diagnostic) => void;
  left: number;
}

// State of the process, not of a host: the streams and the error events of the process exist once.
const current = new AsyncLocalStorage<Running>();
const holds = new Set<symbol>();
let installed: (() => void)[] = [];

/** Who takes what is printed now; undefined outside of content. */
function currentPrinter(): ((stream: CapturedOutput["stream"], text: string) => void) | undefined {
  const running = current.getStore();
  return running && ((stream, text) => keep(running, stream, text));
}

function keep(running: Running, stream: CapturedOutput["stream"], text: string): void {
  if (running.left <= 0 || text === "") return;
  const kept = text.slice(0, running.left);
  running.left -= text.length;
  // What the taker itself prints is the host's own.
  current.exit(() => running.scope.onOutput({ stream, text: kept, truncated: running.left < 0 }));
}

/** @returns false when the error is not content's */
function blame(error: unknown): boolean {
  const running = current.getStore();
  if (!running) return false;
  const message = `${running.scope.owner} threw outside of a call: ${wordsOf(error)}`;
  const hint = "Await every promise, and catch errors in timers and listeners.";
  current.exit(() => running.report(diagnostic("STRAY_ERROR", { message, hint })));
  return true;
}

/** @returns false when it is not content that adds the listener */
function refuse(event: string): boolean {
  const running = current.getStore();
  if (!running) return false;
  const message = `${running.scope.owner} listened to ${event} of the process, which is the host's`;
  const hint = "Catch errors where they arise. The listener was taken out.";
  current.exit(() => running.report(diagnostic("LISTENER_REFUSED", { message, hint })));
  return true;
}

/** Content may throw anything, also what throws itself when it is looked at. */
function wordsOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "something that is not an error";
  }
}
