import type { AuthoriseCall } from "../dispatch/environment.ts";
import type { Ruling } from "../governance/ruling.ts";
import type { CallScope } from "./call-scope.ts";

/** A call that asks a person. */
export interface AskingCall {
  readonly call: AuthoriseCall;
  readonly scope: CallScope;
  readonly ruling: Ruling;
}
