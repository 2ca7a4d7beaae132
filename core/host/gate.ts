import type { AuthoriseCall, Verdict } from "../dispatch/environment.ts";
import { isPromiseLike } from "../governance/cancellation.ts";
import { blockedByRuling, type Denial, nobodyToAsk } from "../governance/denials.ts";
import { type Ruling, ruleOn } from "../governance/ruling.ts";
import type { Authority } from "./authority.ts";
import type { CallScope } from "./call-scope.ts";

/** A call that stands at the gate, with exactly the arguments that would run. */
export interface GateCall {
  readonly call: AuthoriseCall;
  /** What it is made in: whose authority it has, and in which turn. */
  readonly scope: CallScope;
  /** What the steps before found. */
  ruling: Ruling | undefined;
}

/** The one place where a call is given leave to run. */
export interface Gate {
  /** Never rejects for anything but what stops the call. At once where no step has to wait. */
  authorise(call: AuthoriseCall, scope: CallScope): Verdict | Promise<Verdict>;
}

/** One reason not to run a call. The first denial ends the list. */
type Step = (at: GateCall) => Denial | undefined | Promise<Denial | undefined>;

/** Without a rule that says otherwise, what a person or an agent asks for runs. */
const RUN: Verdict = Object.freeze({ run: true });

export function createGate(): Gate {
  // Their order is the order in which a call is judged.
  const steps: readonly Step[] = [
    // What the lists say is asked before the tool is loaded, too; here for what no name has led to: the fallback tool.
    ({ call, scope }) => scope.authority.refusal(call.tool.id),
    weigh,
    ({ call, ruling }) => (ruling?.decision === "block" ? blockedByRuling(call.tool.id, ruling) : undefined),
    ({ call, ruling }) => (ruling?.decision === "ask" ? nobodyToAsk(call.tool.id, ruling) : undefined),
  ];

  const from = (at: GateCall, first: number): Verdict | Promise<Verdict> => {
    for (let index = first; index < steps.length; index++) {
      const denial = (steps[index] as Step)(at);
      if (isPromiseLike(denial)) {
        return Promise.resolve(denial).then((found) => (found ? denied(found, at) : from(at, index + 1)));
      }
      if (denial) return denied(denial, at);
    }
    return RUN;
  };
  return { authorise: (call, scope) => from({ call, scope, ruling: undefined }, 0) };
}

function denied(deny: Denial, { ruling }: GateCall): Verdict {
  return ruling === undefined ? { deny } : { deny, decision: ruling.decision };
}

/** The risk of the call, and what autonomy and patterns make of it. Denies nothing by itself. */
function weigh(at: GateCall): undefined | Promise<undefined> {
  const { authority } = at.scope;
  const risk = at.call.risk(authority.policy.values);
  const rule = (rated: Awaited<typeof risk>): undefined => {
    at.ruling = rulingFor(at.call, authority, rated);
  };
  return isPromiseLike(risk) ? risk.then(rule) : rule(risk);
}

/** What the table says of a call of this risk. */
export function rulingFor(
  { tool, args }: Pick<AuthoriseCall, "tool" | "args">,
  { policy, names }: Pick<Authority, "policy" | "names">,
  risk: Ruling["risk"],
): Ruling {
  return ruleOn({ names: names(tool.id), args, role: tool.contract.role, risk }, policy);
}
