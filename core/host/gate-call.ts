import type { AuthoriseCall, VerdictFacts } from "../dispatch/environment.ts";
import type { CallEnd } from "../governance/call-end.ts";
import type { Ruling } from "../governance/ruling.ts";
import type { CallScope } from "./call-scope.ts";

/** A call that stands at the gate, with exactly the arguments that would run. */
export interface GateCall {
  readonly call: AuthoriseCall;
  /** What it is made in: whose authority it has, and in which turn. */
  readonly scope: CallScope;
  /** What the steps before found. */
  ruling: Ruling | undefined;
  /** What a person's leave says, where one was asked. */
  leave: VerdictFacts | undefined;
  /** Who has counted the call, and wants to know how it ended. */
  readonly tickets: ((end: CallEnd) => void)[];
}
