import { ToolError } from "../sdk/errors.ts";

/** A signal that Ctrl-C fires. `release` gives Ctrl-C back to Node. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** As Ctrl-C does, for a terminal that reads it as a key: the first stops, the second ends the program. */
  press(): void;
  release(): void;
}

/** The exit code of a program that Ctrl-C ended, by custom. */
const INTERRUPTED = 130;

/** The first Ctrl-C stops the turn; a second one ends the program, in case the first is not heeded. */
export function stopOnInterrupt(): Interrupt {
  const controller = new AbortController();
  const press = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort(new ToolError("STOPPED", "The turn was stopped."));
  };
  process.on("SIGINT", press);
  return { signal: controller.signal, press, release: () => void process.off("SIGINT", press) };
}

/** An end that signals bring. `release` gives the signals back to Node. */
export interface Ending {
  readonly ended: Promise<void>;
  release(): void;
}

/** The first SIGINT or SIGTERM ends a program that only waits; a second one ends the process, in case it hangs. */
export function endOnSignal(): Ending {
  let isEnding = false;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onSignal = (): void => {
    if (isEnding) process.exit(INTERRUPTED);
    isEnding = true;
    end();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return { ended, release: () => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal) };
}
