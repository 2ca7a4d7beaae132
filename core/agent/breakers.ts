import type { CallWatch } from "../dispatch/batch.ts";
import { notBegun } from "../dispatch/refusals.ts";
import { withoutReceiptLine } from "../governance/receipt-id.ts";
import { withoutMarkers } from "../governance/untrusted-text.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Json } from "../sdk/json.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { LoopCall, LoopDetector, LoopVerdict } from "./loop-detector.ts";

/** So many replies in a row that could not be used end the turn. */
export const MAX_UNUSABLE = 5;

/** Counts replies in a row that could not be used. */
export interface UnusableReplies {
  /** @returns whether it is the same as the one before, and whether it was one too many */
  count(text: string): { readonly repeated: boolean; readonly over: boolean };
  /** One could be used, or somebody spoke. */
  reset(): void;
}

export function createUnusableReplies(): UnusableReplies {
  let count = 0;
  let previous: string | undefined;
  return {
    count(text) {
      const repeated = text.trim() !== "" && text === previous;
      previous = text;
      return { repeated, over: ++count >= MAX_UNUSABLE };
    },
    reset() {
      count = 0;
      previous = undefined;
    },
  };
}

/** What a loop detector said of the calls of one reply. */
export interface WatchedCalls extends CallWatch {
  /** What the model is told behind the results. */
  readonly warnings: readonly string[];
  /** Why the turn has to end. */
  readonly stop: string | undefined;
}

/** What {@link watchCalls} takes. */
export interface WatchOptions {
  /** The number of the reply in its turn. */
  readonly reply: number;
  /** Whether a person has spoken since: then nothing more of the reply is run. */
  spoken(): boolean;
}

/** Lets a loop detector judge calls as dispatch runs them. */
export function watchCalls(detector: LoopDetector, { reply, spoken }: WatchOptions): WatchedCalls {
  const warnings: string[] = [];
  let stop: string | undefined;
  const heed = (verdict: LoopVerdict): void => {
    if (verdict.level !== "run") warnings.push(verdict.reason);
  };
  return {
    warnings,
    get stop() {
      return stop;
    },
    before({ name, args, invalid }) {
      if (spoken()) return { refusal: notBegun(name, new ToolError("ABORTED", "a person spoke")), ends: false };
      const found = detector.ask(loopCall(name, invalid ?? args), reply);
      heed(found);
      if (found.level !== "block" && found.level !== "stop") return undefined;
      if (found.level === "stop") stop = found.reason;
      return { refusal: blocked(name, found.reason), ends: found.level === "stop" };
    },
    after: ({ name, args, invalid }, result) =>
      heed(detector.ended(loopCall(name, invalid ?? args), fingerprint(result))),
  };
}

function blocked(name: string, reason: string): ToolError {
  return new ToolError("DENIED_BY_POLICY", `${name} was not run: ${reason}`, {
    hint: "Take a different step, or answer with what you know.",
    cause: { rule: "loop", setting: "the loop detector, which no setting turns off" },
  });
}

function loopCall(name: string, args: unknown): LoopCall {
  return { name, args: canonical(args) };
}

/** What makes a result another one, for whoever hopes for something new. */
function fingerprint({ status, message, data, receipt }: ToolResult): string {
  // Every call has a receipt and a marker of its own, which is nothing new in this sense.
  const told = receipt === undefined ? message : withoutReceiptLine(message, receipt);
  return `${status} ${withoutMarkers(told)} ${canonical(data)}`;
}

/** JSON with the keys of objects in order. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: Json) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ) ?? ""
  );
}
