import { diagnostic } from "../diagnostics.ts";
import type { ActionWindow, ActionWindowOptions } from "../governance/action-window.ts";
import type { CallEnd } from "../governance/call-end.ts";
import { fitsName } from "../governance/call-pattern.ts";
import { type CallSlot, type CallSlots, createCallSlots } from "../governance/call-slots.ts";
import { createCircuitBreakers } from "../governance/circuit-breaker.ts";
import type { Denial } from "../governance/denials.ts";
import { ESTOP_HINT, type Estop, estopText } from "../governance/estop.ts";
import { actionsUsedUp, circuitOpen, type NamedActionLimit } from "../governance/limit-denials.ts";
import type { RiskProfile } from "../governance/risk-profile.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import type { GateCall } from "./gate-call.ts";
import type { Metering } from "./metering.ts";
import type { Reports } from "./reports.ts";

/** What bounds the calls of a host beside what may run at all: how many, how often, at which cost, and the e-stop. */
export interface CallLimits {
  /** The steps of the gate, in the order in which they are asked. */
  stopped(): Denial | undefined;
  rests(at: GateCall): Denial | undefined;
  actions(at: GateCall): Denial | undefined;
  costs(at: GateCall): Denial | undefined;
  /** Waits for a place among the calls that run. */
  place(at: GateCall): undefined | Promise<undefined>;
  /** Does something for which the call only waits; see {@link CallSlot}. @param call its signal */
  aside<T>(call: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** How many more calls a conversation may make now; undefined: no limit. */
  left(account: string, profiles: readonly RiskProfile[]): number | undefined;
}

/** What {@link createCallLimits} joins. */
export interface CallLimitsOptions {
  readonly estop: Estop;
  readonly metering: Pick<Metering, "refusal">;
  readonly window: ActionWindow;
  /** Milliseconds since 1970, of a clock that never goes back. */
  readonly now: () => number;
}

export function createCallLimits({ estop, metering, window, now }: CallLimitsOptions): CallLimits {
  const breakers = createCircuitBreakers(now);
  const slots = createPlaces();
  return {
    stopped() {
      const state = estop.current();
      if (!state) return undefined;
      const message = estopText(state);
      return { code: "STOPPED", rule: "e-stop", setting: "e-stop", message, hint: ESTOP_HINT };
    },
    rests({ call, scope, tickets }) {
      const { breaker } = scope.authority.settings;
      const admitted = breakers.admit(call.tool.cls, breaker);
      if (typeof admitted !== "function") {
        return circuitOpen(call.tool.id, admitted, { restMs: breaker.restMs, now: now() });
      }
      tickets.push(admitted);
      return undefined;
    },
    actions: (at) => reserve(at, window, now),
    // An agent has to be able to answer, which costs nothing.
    costs: ({ call, scope }) =>
      call.tool.contract.role === undefined
        ? metering.refusal(`${call.tool.id} was not run`, scope.authority.policy)
        : undefined,
    place: slots.place,
    aside: slots.aside,
    left(account, profiles) {
      const all = profiles.flatMap((profile) => {
        const max = profile.values.max_actions_per_hour;
        return max === "unlimited" ? [] : [Math.max(0, max - window.used(keyOf(account, profile)))];
      });
      return all.length === 0 ? undefined : Math.min(...all);
    },
  };
}

/** Tells where calls are counted by this process alone. */
export function reportUncounted(
  { add }: Pick<Reports, "add">,
  { display }: { display(file: string): string },
): ActionWindowOptions["unsound"] {
  return (file, error) => {
    const message = `calls cannot be counted together with those of other processes: ${error instanceof Error ? error.message : String(error)}`;
    add(diagnostic("ACTIONS_UNSOUND", { file: display(file), message, hint: "Make the directory writable." }));
  };
}

function reserve({ call, scope, tickets }: GateCall, window: ActionWindow, now: () => number) {
  const { authority, account } = scope;
  const { id, contract } = call.tool;
  // An agent has to be able to answer.
  if (contract.role !== undefined) return undefined;
  let limits: NamedActionLimit[] | undefined;
  for (const profile of authority.policy.profiles) {
    const { max_actions_per_hour: max, max_tool_actions_per_hour: byTool } = profile.values;
    if (max !== "unlimited") {
      limits ??= [];
      limits.push({ key: keyOf(account, profile), max, rule: "max_actions_per_hour", profile });
    }
    for (const entry in byTool) {
      const most = byTool[entry];
      if (most === undefined || most === "unlimited") continue;
      if (!authority.names(id).some((name) => fitsName(entry, name))) continue;
      limits ??= [];
      const key = `${keyOf(account, profile)}\0${id}\0${entry}`;
      limits.push({ key, max: most, rule: "max_tool_actions_per_hour", entry, profile });
    }
  }
  if (!limits) return undefined;
  const reserved = window.reserve(limits);
  if (!("release" in reserved)) return actionsUsedUp(id, reserved, now());
  tickets.push(({ ran }: CallEnd) => {
    if (!ran) reserved.release();
  });
  return undefined;
}

/**
 * A risk profile counts the calls that are made under it: of its agent and of all that work for that one. So a
 * subordinate with a narrower one is held to that by its own calls, and to those of its superiors by everybody's.
 */
function keyOf(account: string, { name }: RiskProfile): string {
  return `${account}\0${name}`;
}

function createPlaces(): Pick<CallLimits, "place" | "aside"> {
  const slots: CallSlots = createCallSlots();
  const held = new WeakMap<AbortSignal, CallSlot>();
  return {
    place({ call, scope, tickets }) {
      const { maxConcurrent: max } = scope.authority.settings;
      if (max === Number.POSITIVE_INFINITY) return undefined;
      const { signal } = call;
      const hold = (slot: CallSlot): undefined => {
        held.set(signal(), slot);
        tickets.push(slot.free);
      };
      const slot = slots.take({ max, signal });
      return slot instanceof Promise ? slot.then(hold, stopped) : hold(slot);
    },
    aside: async (call, work) => {
      const slot = held.get(call);
      return slot ? await slot.aside(work) : await work();
    },
  };
}

/** @throws ToolError STOPPED, ABORTED, TIMEOUT: what ended the wait */
function stopped(reason: unknown): never {
  throw isToolError(reason) ? reason : new ToolError("ABORTED", "the call was stopped while it waited for its turn");
}
