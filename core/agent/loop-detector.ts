/** One call as the detector sees it. `args`: any text that is the same for the same arguments. */
export interface LoopCall {
  readonly name: string;
  readonly args: string;
}

/** What should become of a call, with the reason in words for the model and people. */
export type LoopVerdict =
  | { readonly level: "run" }
  | { readonly level: "warn" | "block" | "stop"; readonly reason: string };

/** Watches the calls of one turn for ones that lead nowhere. Pure: it knows no clock and no tool. */
export interface LoopDetector {
  /** Asked before a call, which counts from now on, also when it is blocked. @param reply the number of the reply that asks for it */
  ask(call: LoopCall, reply: number): LoopVerdict;
  /** Told how a call ended that ran. @param result any text that is the same for the same result */
  ended(call: LoopCall, result: string): LoopVerdict;
  /** Somebody spoke: what was pointless may make sense now. */
  reset(): void;
}

/** So many calls are looked back at. */
const WINDOW = 20;

interface Limits {
  readonly warn: number;
  readonly block: number;
  readonly stop: number;
}

/** How often until which level. Two calls that alternate are counted in cycles of both. */
const LIMITS = {
  same: { warn: 3, block: 4, stop: 5 },
  alternating: { warn: 4, block: 5, stop: 6 },
  sameResult: { warn: 5, block: 6, stop: 7 },
} as const satisfies Record<string, Limits>;

interface Seen extends LoopCall {
  readonly reply: number;
  result: string | undefined;
}

const RUN: LoopVerdict = { level: "run" };
const RANK = { run: 0, warn: 1, block: 2, stop: 3 } as const;

/**
 * Three patterns, each of calls that follow one another: the same call with the same arguments; two such calls that
 * alternate; one tool that is given other arguments every time and says the same every time. Any other call between
 * them ends a pattern: reading a file again after each of several changes is no loop.
 */
export function createLoopDetector(): LoopDetector {
  const window: Seen[] = [];
  return {
    ask({ name, args }, reply) {
      window.push({ name, args, reply, result: undefined });
      if (window.length > WINDOW) window.shift();
      const found = [sameCalls(window), alternatingCalls(window), sameResults(window, window.at(-2)?.result)];
      const worst = found.reduce((a, b) => (RANK[b.level] > RANK[a.level] ? b : a));
      // What the last pattern warns of is known when the call has ended, not before.
      return worst === found[2] && worst.level === "warn" ? RUN : worst;
    },
    ended({ name, args }, result) {
      const seen = window.find((call) => call.result === undefined && call.name === name && call.args === args);
      if (!seen) return RUN;
      seen.result = result;
      const found = sameResults(window, result);
      return found.level === "warn" && seen === window.at(-1) ? found : RUN;
    },
    reset: () => void window.splice(0),
  };
}

function sameCalls(window: readonly Seen[]): LoopVerdict {
  const last = window.at(-1);
  if (!last) return RUN;
  const count = trailing(window, (call) => isSame(call, last)).length;
  return judge(LIMITS.same, count, `${last.name} was called ${count} times in a row with the same arguments`);
}

function alternatingCalls(window: readonly Seen[]): LoopVerdict {
  const last = window.at(-1);
  const other = window.at(-2);
  if (!last || !other || isSame(last, other)) return RUN;
  const count = trailing(window, (call, back) => isSame(call, back % 2 === 0 ? last : other)).length;
  const cycles = Math.floor(count / 2);
  const reason = `${other.name} and ${last.name} were called in turns ${cycles} times, with the same arguments each time`;
  const found = judge(LIMITS.alternating, cycles, reason);
  // The first call of the next cycle is not warned of again.
  return found.level === "warn" && count % 2 === 1 ? RUN : found;
}

/** Calls of one reply count once: they were asked for before any result was known. A blocked one is one more of its kind. */
function sameResults(window: readonly Seen[], result: string | undefined): LoopVerdict {
  const last = window.at(-1);
  if (!last || result === undefined) return RUN;
  const streak = trailing(window, (call, back) => call.name === last.name && (back === 0 || call.result === result));
  if (new Set(streak.map(({ args }) => args)).size < streak.length) return RUN;
  const count = new Set(streak.map(({ reply }) => reply)).size;
  const reason = `${last.name} was called ${count} times in a row with other arguments each time, and nothing new came of it`;
  const found = judge(LIMITS.sameResult, count, reason);
  if (found.level === "block") last.result = result;
  return found;
}

function judge(limits: Limits, count: number, reason: string): LoopVerdict {
  if (count < limits.warn) return RUN;
  return { level: count >= limits.stop ? "stop" : count >= limits.block ? "block" : "warn", reason };
}

function isSame(a: LoopCall, b: LoopCall): boolean {
  return a.name === b.name && a.args === b.args;
}

/** The end of the list, as far back as its items fit. `back`: 0 for the last one. */
function trailing(window: readonly Seen[], fits: (item: Seen, back: number) => boolean): readonly Seen[] {
  let from = window.length;
  while (from > 0 && fits(window[from - 1] as Seen, window.length - from)) from--;
  return window.slice(from);
}
