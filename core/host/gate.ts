import type { AuthoriseCall, Verdict, VerdictFacts } from "../dispatch/environment.ts";
import type { CallEnd } from "../governance/call-end.ts";
import { isPromiseLike } from "../governance/cancellation.ts";
import { blockedByRuling, type Denial } from "../governance/denials.ts";
import { raisedByLeaks, raisedByTaint } from "../governance/raises.ts";
import { type Ruling, ruleOn } from "../governance/ruling.ts";
import type { Approvals } from "./approvals.ts";
import type { Authority } from "./authority.ts";
import type { CallLimits } from "./call-limits.ts";
import type { CallScope } from "./call-scope.ts";
import type { GateCall } from "./gate-call.ts";

/** The one place where a call is given leave to run. */
export interface Gate {
  /** Never rejects for anything but what stops the call. At once where no step has to wait. */
  authorise(call: AuthoriseCall, scope: CallScope): Verdict | Promise<Verdict>;
}

/** One reason not to run a call: a denial, or what a person says of it. The first one ends the list. */
type Step = (at: GateCall) => Stop | undefined | Promise<Stop | undefined>;
type Stop = Denial | Exclude<Verdict, { readonly run: true }>;

/** What {@link createGate} joins. */
export interface GateOptions {
  readonly limits: Omit<CallLimits, "aside" | "left">;
  readonly approvals: Pick<Approvals, "decide">;
}

export function createGate({ limits, approvals }: GateOptions): Gate {
  // Their order is the order in which a call is judged.
  const steps: readonly Step[] = [
    limits.stopped,
    // What the lists say is asked before the tool is loaded, too; here for what no name has led to: the fallback tool.
    ({ call, scope }) => scope.authority.refusal(call.tool.id),
    limits.rests,
    limits.actions,
    limits.costs,
    weigh,
    ({ call, ruling }) => (ruling?.decision === "block" ? blockedByRuling(call.tool.id, ruling) : undefined),
    (at) => askPerson(at, approvals),
    // Last, so that nobody holds a place while a person thinks.
    limits.place,
  ];

  const from = (at: GateCall, first: number): Verdict | Promise<Verdict> => {
    for (let index = first; index < steps.length; index++) {
      const denial = (steps[index] as Step)(at);
      if (isPromiseLike(denial)) {
        return Promise.resolve(denial).then((found) => (found ? refuse(at, found) : from(at, index + 1)));
      }
      if (denial) return refuse(at, denial);
    }
    return { run: true, ...factsOf(at), ...at.leave, ended: (end) => tell(at, end) };
  };
  return {
    authorise(call, scope) {
      const at: GateCall = { call, scope, ruling: undefined, leave: undefined, tickets: [] };
      const giveBack = (error: unknown): never => {
        tell(at, NOT_RUN);
        throw error;
      };
      try {
        const verdict = from(at, 0);
        return isPromiseLike(verdict) ? Promise.resolve(verdict).catch(giveBack) : verdict;
      } catch (error) {
        return giveBack(error);
      }
    },
  };
}

const NOT_RUN: CallEnd = Object.freeze({ ran: false });

function refuse(at: GateCall, stop: Stop): Verdict {
  tell(at, NOT_RUN);
  if (!("code" in stop)) return { ...factsOf(at), ...stop };
  return { deny: stop, ...factsOf(at), rule: stop.rule };
}

/** What a verdict hangs on. */
function factsOf({ ruling }: GateCall): VerdictFacts {
  return ruling ? { decision: ruling.decision, ruling } : {};
}

function tell({ tickets }: GateCall, end: CallEnd): void {
  for (const ticket of tickets) ticket(end);
}

/** The risk of the call, and what autonomy and patterns make of it. Denies nothing by itself. */
function weigh(at: GateCall): undefined | Promise<undefined> {
  const { authority, taint } = at.scope;
  const risk = at.call.risk(authority.policy.values);
  const rule = (rated: Awaited<typeof risk>): undefined => {
    const ruling = rulingFor(at.call, authority, rated);
    const { by } = taint;
    at.ruling = by === undefined ? ruling : raisedByTaint(ruling, by, authority.policy);
  };
  return isPromiseLike(risk) ? risk.then(rule) : rule(risk);
}

/** Whoever says yes only lets the call go on: what stands behind him may still refuse it. */
function askPerson(at: GateCall, { decide }: GateOptions["approvals"]): ReturnType<Step> {
  const { call, scope, ruling } = at;
  if (ruling?.decision !== "ask") return undefined;
  const take = (verdict: Verdict): Stop | undefined => {
    if (!("run" in verdict)) return verdict;
    at.leave = verdict;
    call.judged?.({ ...factsOf(at), ...verdict });
    return undefined;
  };
  call.judged?.(factsOf(at));
  const decided = decide({ call, scope, ruling });
  return isPromiseLike(decided) ? decided.then(take) : take(decided);
}

/** What the table and the leak guard say of a call of this risk, whatever was read before it. */
export function rulingFor(
  { tool, args }: Pick<AuthoriseCall, "tool" | "args">,
  { policy, names }: Pick<Authority, "policy" | "names">,
  risk: Ruling["risk"],
): Ruling {
  const { role, sends } = tool.contract;
  const ruling = ruleOn({ names: names(tool.id), args, role, risk }, policy);
  return sends.length === 0 ? ruling : raisedByLeaks(ruling, { args, sends }, policy);
}
