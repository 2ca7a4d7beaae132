import { createControl } from "../agent/control.ts";
import type { History } from "../agent/history.ts";
import type { CallHistory } from "../dispatch/environment.ts";
import { deliveredText } from "../dispatch/result-text.ts";
import type { Taint } from "../governance/taint.ts";
import { hasFrame } from "../governance/untrusted-text.ts";
import type { BackgroundCall, Job } from "../sdk/delegation.ts";
import { HostError, ToolError } from "../sdk/errors.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import {
  allDone,
  forget,
  type JobEntry,
  type JobRun,
  type JobScope,
  type JobWaiting,
  newEntry,
  told,
} from "./job-entry.ts";
import { failedResult, rememberedResult } from "./job-results.ts";

/** So many run side by side, as many as the calls of one reply. */
const MAX_RUNNING = 4;
/** So many that nobody has taken the result of may there be. */
const MAX_OPEN = 100;

/** The background calls of one agent. */
export interface Jobs {
  start(calls: readonly BackgroundCall[], scope: JobScope): Promise<readonly Job[]>;
  /** @param taint of the turn that asks, here and below */
  list(taint: Taint): readonly Job[];
  /** @throws ToolError NOT_FOUND, or what `signal` fires with */
  wait(ids: readonly string[] | undefined, options: JobWaiting): Promise<readonly Job[]>;
  cancel(ids: readonly string[], taint: Taint): Promise<readonly Job[]>;
  /** Holds or lets go all that run. */
  hold(paused: boolean): void;
  /** Stops all. @returns whether there were any */
  stop(reason: ToolError): boolean;
  /** Resolves when none runs. */
  settled(): Promise<void>;
  /** Stops all for good: what they leave is noted now, because nobody can note it later. */
  close(reason: ToolError): void;
}

/** What jobs are told of and remembered by. */
export type JobMemory = Pick<History, "noteJob" | "jobs" | "jobCount">;

/** @param memory what an earlier process left of them is there as well */
export function createJobs(memory: JobMemory): Jobs {
  const entries = new Map<string, JobEntry>();
  for (const job of memory.jobs.values()) {
    const { id, name, args = {} } = job;
    const entry = newEntry(id, { name, args: args as JsonObject }, undefined);
    const { content = "" } = job;
    const taintedBy = hasFrame(content) ? name : undefined;
    entries.set(id, Object.assign(entry, { state: "done" as const, result: rememberedResult(job), taintedBy }));
    entry.finish();
  }
  let started = memory.jobCount;
  let paused = false;
  const open = (): JobEntry[] => [...entries.values()].filter(({ state }) => state !== "done");

  const end = (entry: JobEntry, result: ToolResult): void => {
    if (entry.state === "done") return;
    const { id, name } = entry;
    Object.assign(entry, { state: "done", result });
    entry.work.close();
    const code = result.error === undefined ? {} : { code: result.error.code };
    memory.noteJob({ id, name, state: "ended", status: result.status, content: deliveredText(result), ...code });
    entry.finish();
    pump();
  };
  const begin = async (entry: JobEntry): Promise<void> => {
    const { id, name, args, scope, work } = entry;
    let run: JobRun | undefined;
    try {
      run = scope?.open(id, work.signal);
      if (!run) return;
      const control = createControl({ signal: run.signal });
      entry.control = control;
      if (paused) control.pause();
      const calls: CallHistory = {
        callStarted: () => memory.noteJob({ id, name, state: "begun" }),
        addToolResult() {},
      };
      const result = await run.run({ id, name, args }, { control, calls });
      entry.taintedBy = run.taint.by;
      end(entry, result);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      const code = error instanceof HostError && error.code === "HOST_CLOSED" ? "STOPPED" : "INTERNAL_ERROR";
      end(entry, failedResult(name, new ToolError(code, words)));
    } finally {
      entry.control?.close();
      run?.close();
    }
  };
  function pump(): void {
    const running = open().filter(({ state }) => state === "running").length;
    const next = open().filter(({ state }) => state === "waiting");
    for (const entry of next.slice(0, Math.max(0, MAX_RUNNING - running))) {
      entry.state = "running";
      void begin(entry);
    }
  }
  /** One that has not begun is over at once; the others by their signals. */
  const abort = (entry: JobEntry, reason: ToolError): void => {
    if (entry.state === "done") return;
    const { code, message } = reason;
    if (entry.state === "running") entry.work.abort(reason);
    else end(entry, failedResult(entry.name, new ToolError(code, `${entry.name} was not run: ${message}`)));
  };
  const find = (ids: readonly string[]): readonly JobEntry[] =>
    ids.map((id, index) => {
      const entry = entries.get(id);
      if (entry) return entry;
      const known = [...entries.values()].filter(({ taken }) => !taken).map((one) => one.id);
      const message = `there is no background call ${JSON.stringify(id)}; open: ${known.join(", ") || "none"}`;
      throw new ToolError("NOT_FOUND", message, {
        pointer: `/${index}`,
        hint: known.length > 0 ? "Name one of these." : "Start one first.",
        data: { open: known },
      });
    });
  const take = (found: readonly JobEntry[], taint: Taint): readonly Job[] => {
    for (const entry of found) if (entry.state === "done") entry.taken = true;
    return found.map((entry) => told(entry, taint));
  };

  const stop = (reason: ToolError): boolean => {
    // Those that wait first, so that none of them takes the place of one that is stopped.
    const all = open().sort((a, b) => Number(a.state === "running") - Number(b.state === "running"));
    for (const entry of all) abort(entry, reason);
    return all.length > 0;
  };

  return {
    async start(calls, scope) {
      const requests = await scope.check(calls);
      const waiting = [...entries.values()].filter(({ taken }) => !taken).length;
      if (waiting + requests.length > MAX_OPEN) {
        const message = `expected at most ${MAX_OPEN} background calls at a time, found ${waiting} and ${requests.length} more`;
        throw new ToolError("RATE_LIMITED", message, { hint: "Take the results of some first." });
      }
      const made = requests.map((request) => newEntry(`job-${++started}`, request, scope));
      for (const { id, name, args } of made) memory.noteJob({ id, name, args, state: "open" });
      for (const entry of made) entries.set(entry.id, entry);
      forget(entries, MAX_OPEN);
      pump();
      return made.map(({ id, name, state }) => ({ id, name, state }));
    },
    list: (taint) => [...entries.values()].filter(({ taken }) => !taken).map((entry) => told(entry, taint)),
    async wait(ids, { signal, ...options }) {
      const found = find(ids ?? [...entries.values()].filter(({ taken }) => !taken).map(({ id }) => id));
      if (options.timeoutMs !== 0) await allDone(found, { ...options, signal });
      return take(found, options.taint);
    },
    async cancel(ids, taint) {
      const found = find(ids);
      for (const entry of found) abort(entry, new ToolError("ABORTED", "it was cancelled"));
      await Promise.all(found.map(({ done }) => done));
      return take(found, taint);
    },
    hold(on) {
      paused = on;
      for (const { control } of open()) {
        if (on) control?.pause();
        else control?.resume();
      }
    },
    stop,
    async settled() {
      await Promise.all(open().map(({ done }) => done));
    },
    close(reason) {
      const all = open();
      stop(reason);
      const words = `${reason.message}; it may have taken effect in whole, in part or not at all`;
      for (const entry of all) end(entry, failedResult(entry.name, new ToolError(reason.code, words)));
    },
  };
}
