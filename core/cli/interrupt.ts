import { ToolError } from "../sdk/errors.ts";

/** A signal that Ctrl-C fires. `release` gives Ctrl-C back to Node. */
export interface Interrupt {
  readonly signal: AbortSignal;
  release(): void;
}

/** The first Ctrl-C stops the turn; a second one ends the program, in case the first is not heeded. */
export function stopOnInterrupt(): Interrupt {
  const controller = new AbortController();
  const onInterrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new ToolError("STOPPED", "The turn was stopped."));
  };
  process.on("SIGINT", onInterrupt);
  return { signal: controller.signal, release: () => void process.off("SIGINT", onInterrupt) };
}
