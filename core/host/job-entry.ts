import type { Control } from "../agent/control.ts";
import type { CallHistory } from "../dispatch/environment.ts";
import { type Cancellation, createCancellation } from "../governance/cancellation.ts";
import type { Taint } from "../governance/taint.ts";
import type { BackgroundCall, Job, JobWait } from "../sdk/delegation.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { JobRequest } from "./job-requests.ts";

/** What a job needs of the turn that starts it. */
export interface JobScope {
  check(calls: readonly BackgroundCall[]): Promise<readonly JobRequest[]>;
  /** Takes hold of what the call runs on. @throws HostError HOST_CLOSED */
  open(id: string, signal: AbortSignal): JobRun;
}

/** What one job runs on. */
export interface JobRun {
  readonly signal: AbortSignal;
  /** What it has read. */
  readonly taint: Taint;
  run(request: { readonly id: string } & JobRequest, on: { control: Control; calls: CallHistory }): Promise<ToolResult>;
  close(): void;
}

/** A job as its agent keeps it. */
export interface JobEntry extends JobRequest {
  readonly id: string;
  readonly scope: JobScope | undefined;
  readonly work: Cancellation;
  readonly done: Promise<void>;
  finish(): void;
  control?: Control;
  state: Job["state"];
  result?: ToolResult;
  /** Who brought text from outside that its result may hold. */
  taintedBy?: string | undefined;
  taken: boolean;
}

/** Who waits, and how. */
export interface JobWaiting extends JobWait {
  readonly signal: AbortSignal;
  /** Of the turn that is told. */
  readonly taint: Taint;
}

/** @throws ToolError what stopped the waiting; that time is up is no failure */
export async function allDone(
  found: readonly JobEntry[],
  { timeoutMs, onDone, signal, taint }: JobWaiting,
): Promise<void> {
  const work = createCancellation(signal);
  const expired = new ToolError("TIMEOUT", "they are not done yet");
  const open = found.filter(({ state }) => state !== "done");
  let waiting = true;
  const ended = async (entry: JobEntry): Promise<void> => {
    await entry.done;
    if (waiting && open.some(({ state }) => state !== "done")) onDone?.(told(entry, taint));
  };
  try {
    const deadline = timeoutMs === undefined ? undefined : { ms: timeoutMs, expired: () => expired };
    await work.race(() => Promise.all(open.map(ended)), deadline);
  } catch (error) {
    if (error !== expired) throw error;
  } finally {
    waiting = false;
    work.close();
  }
}

/** @param scope undefined for one that is over */
export function newEntry(id: string, request: JobRequest, scope: JobScope | undefined): JobEntry {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = createCancellation();
  return { ...request, id, scope, work, done, finish, state: "waiting", taken: false };
}

/** As tools see it. What text from outside it holds, the one has read who is told. */
export function told({ id, name, state, result, taintedBy }: JobEntry, taint: Taint): Job {
  if (taintedBy !== undefined && result) taint.add(taintedBy);
  return { id, name, state, ...(result ? { result } : {}) };
}

/** Results that were taken are kept for whoever asks again, but not all of a long life. */
export function forget(entries: Map<string, JobEntry>, most: number): void {
  const taken = [...entries.values()].filter((entry) => entry.taken);
  for (const { id } of taken.slice(0, Math.max(0, taken.length - most))) entries.delete(id);
}
