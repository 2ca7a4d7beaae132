import { setTimeout as sleep } from "node:timers/promises";
import type { ToolResult } from "../../sdk/result.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { type Observation, observed } from "../observed.ts";
import type { Subject } from "../subject.ts";

/** Long enough for a tool to be at work, short beside anything that is worth stopping. */
const AT_WORK_MS = 20;
const DEADLINE_MS = 30;

export const abortBefore: Contract = {
  name: "does not run when the call was stopped before",
  check: async (subject) =>
    await observed(subject, {}, async (observation) => {
      const result = await subject.call(subject.sample.args, { signal: AbortSignal.abort() });
      requireCode(result, "ABORTED");
      if (!observation.hasBegun) return undefined;
      throw breach({
        expected: "execute not to run",
        found: "that it ran",
        todo: "Report this as a fault of toolroom.",
      });
    }),
};

/** Whoever stops a call wants the work to end, not only the waiting for it. */
export const abortDuring: Contract = {
  name: "ends its work when the call is stopped",
  check: async (subject) =>
    await observed(subject, {}, async (observation) => {
      const controller = new AbortController();
      const calling = subject.call(longArguments(subject), { signal: controller.signal });
      await Promise.race([observation.began.then(() => sleep(AT_WORK_MS)), calling]);
      if (observation.hasSettled) return endedEarly(subject, "it was stopped", await calling);
      controller.abort();
      requireCode(await calling, "ABORTED");
      await requireEnd(subject, observation, "the call was stopped");
      return undefined;
    }),
};

export const timeout: Contract = {
  name: "ends its work when its deadline passes",
  check: async (subject) =>
    await observed(subject, { timeoutMs: subject.options.slow ? DEADLINE_MS : 1 }, async (observation) => {
      const result = await subject.call(longArguments(subject));
      if (result.error?.code !== "TIMEOUT") return endedEarly(subject, "its deadline passed", result);
      await requireEnd(subject, observation, "its deadline passed");
      return undefined;
    }),
};

function longArguments({ options, sample }: Subject) {
  return options.slow?.args ?? sample.args;
}

/** @throws Error where the author said that the call takes long */
function endedEarly({ options }: Subject, before: string, result: ToolResult): string {
  if (!options.slow) return `it ended before ${before}; the option slow gives a call that takes long`;
  throw breach({
    expected: `the call of the option slow, ${shown(options.slow.args)}, to take until ${before}`,
    found: `that it ended at once: ${shown(result.message)}`,
    todo: "Give arguments that keep it busy for a second.",
  });
}

async function requireEnd({ limits: { settleMs } }: Subject, observation: Observation, since: string): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([observation.settled, sleep(settleMs, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
  if (observation.hasSettled) return;
  throw breach({
    expected: `execute to end within ${settleMs} ms after ${since}`,
    found: "that it goes on",
    todo: "Hand this.signal to everything that waits, and call this.agent.handleIntervention() between steps.",
  });
}

function requireCode({ error, status, message }: ToolResult, code: string): void {
  if (error?.code === code) return;
  const found = error ? `${error.code}: ${shown(error.message)}` : `${status}: ${shown(message)}`;
  throw breach({ expected: code, found, todo: "Report this as a fault of toolroom." });
}
