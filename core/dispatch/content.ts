import { type Deadline, isPromiseLike } from "../governance/cancellation.ts";
import type { CapturedOutput } from "../governance/process-guard.ts";
import { type Call, fullNameOf } from "./call.ts";
import { thrownError } from "./outcome.ts";

/**
 * Runs content for a call: captured, no longer than it may.
 * @throws ToolError what stopped the call, else what the content threw, as a failure of the call
 */
export function runContent<T>(call: Call, fn: () => T | Promise<T>, deadline?: Deadline): T | Promise<T> {
  const { work, env } = call;
  const fail = (error: unknown): never => {
    throw work.reason !== undefined && error === work.reason ? error : thrownError(error, env.mapError);
  };
  try {
    const value = work.race(() => captured(call, fn), deadline);
    return isPromiseLike(value) ? value.then(undefined, fail) : value;
  } catch (error) {
    return fail(error);
  }
}

/** Runs content under the process guard, where the host has one: what it prints goes to the log under the tool's name. */
export function captured<T>(call: Call, fn: () => T): T {
  const { guard, log } = call.env;
  if (!guard) return fn();
  const name = fullNameOf(call);
  const onOutput = ({ stream, text, truncated }: CapturedOutput): void => {
    log.forTool(name, call.request.id).info("printed", { stream, text, ...(truncated ? { truncated } : {}) });
  };
  return guard.run({ owner: `the tool ${name}`, onOutput, onTimer: call.target?.version?.hold }, fn);
}
