import { diagnostic } from "../diagnostics.ts";
import type { CallEvent, DispatchEnvironment } from "./environment.ts";
import { wordsOf } from "./outcome.ts";

/** Hands an event out; who fails at it is reported and changes nothing about the call. */
export function emit(env: DispatchEnvironment, event: CallEvent): void {
  guarded(env, `a listener of ${event.type}`, () => env.on(event));
}

/** Runs something beside the call itself. */
export function guarded(env: DispatchEnvironment, what: string, fn: () => void): void {
  try {
    fn();
  } catch (error) {
    env.report(diagnostic("LISTENER_FAILED", { message: `${what} threw: ${wordsOf(error)}` }));
  }
}
