import { diagnostic } from "../diagnostics.ts";
import { createCancellation, isPromiseLike } from "../governance/cancellation.ts";
import type { CallLine } from "../governance/log.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { Tool } from "../sdk/tool.ts";
import { type Call, checkpoint, fullNameOf, nameOf, shortName } from "./call.ts";
import { captured } from "./content.ts";
import { emit, guarded } from "./events.ts";
import { enter } from "./ledger-entry.ts";
import { wordsOf } from "./outcome.ts";

/** How long `afterExecution` may take, and how long when somebody waits for the end. */
const AFTER_DEADLINE_MS = 15_000;
const AFTER_STOP_MS = 1_000;

/**
 * Stage 7: the ledger, where receipts are on; then history, log and events are told the final result, and the tool's
 * `afterExecution`, which cannot change it. Never rejects.
 *
 * @param settled what stage 6 made
 * @returns the same, with its receipt where it has one
 */
export async function record(call: Call, settled: ToolResult): Promise<ToolResult> {
  const { env, request } = call;
  env.trace?.("record");
  call.over = true;
  const entered = enter(call, settled);
  const result = isPromiseLike(entered) ? await entered : entered;
  const { history } = env;
  if (history) guarded(env, "the history", () => history.addToolResult(request, result));
  guarded(env, "the log", () => env.log.call(lineOf(call, result)));
  const { status, stats } = result;
  const event = {
    callId: request.id,
    name: call.clean.kept(nameOf(call)),
    status,
    durationMs: stats.durationMs,
    result,
  };
  emit(env, { type: "tool_end", ...event });
  const { tool, work } = call;
  if (tool) {
    const after = afterExecution(call, tool, result);
    if (after) await after;
  }
  const turn = work.reason ? createCancellation(env.signal) : work;
  try {
    const waited = checkpoint(call, turn);
    if (waited) await waited;
  } catch {
    // The result is final: an intervention that comes now only keeps later calls of the reply from running.
  }
  if (turn !== work) turn.close();
  return result;
}

function lineOf(call: Call, { status, stats, error }: ToolResult): CallLine {
  const { env, request, clean } = call;
  const line = {
    tool: fullNameOf(call),
    face: env.face,
    status,
    durationMs: stats.durationMs,
    id: request.id,
    generation: env.lease.generation,
  };
  const { isUnknown } = call;
  if (!error && !isUnknown) return line;
  const requested = isUnknown ? { requested: clean.shown(shortName(request.name)) } : {};
  return { ...line, ...(error ? { code: error.code } : {}), ...requested };
}

/** What it throws is reported and changes nothing. */
function afterExecution(call: Call, tool: Tool, result: ToolResult): void | Promise<void> {
  const { env, target } = call;
  env.trace?.("afterExecution");
  const fail = (error: unknown): void => {
    const { line } = env.mapError?.(error) ?? {};
    const place = { ...(target ? { file: target.path } : {}), ...(line === undefined ? {} : { line }) };
    const message = `afterExecution of ${nameOf(call)} failed: ${wordsOf(error)}`;
    env.report(diagnostic("TOOL_HOOK_FAILED", { ...place, message, hint: "The result of the call stands." }));
  };
  try {
    const after = captured(call, () => tool.afterExecution(result));
    if (!isPromiseLike(after)) return;
    const ms = env.signal.aborted ? AFTER_STOP_MS : AFTER_DEADLINE_MS;
    const expired = (): ToolError => new ToolError("TIMEOUT", `it did not settle within ${ms} ms`);
    return Promise.resolve(createCancellation().race(() => after, { ms, expired })).catch(fail);
  } catch (error) {
    fail(error);
  }
}
