import type { Refusal, RefusalRule } from "./refusal.ts";

/** One command line while it is read. */
export interface Reading {
  /** The first thing that keeps it from running; undefined as long as all was understood. */
  readonly refusal: Refusal | undefined;
  /** Whether a `<<` was read already. */
  heredoc: boolean;
  /** Notes why it may not run. @returns `instead`, so that reading goes on */
  refuse<Value>(rule: RefusalRule, message: string, instead: Value): Value;
}

/** The state of a command line that is about to be read. */
export function createReading(): Reading {
  let refusal: Refusal | undefined;
  return {
    heredoc: false,
    get refusal() {
      return refusal;
    },
    refuse(rule, message, instead) {
      refusal ??= { rule, message };
      return instead;
    },
  };
}
