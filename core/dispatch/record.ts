import { diagnostic } from "../diagnostics.ts";
import { createCancellation } from "../governance/cancellation.ts";
import type { CallLine } from "../governance/log.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import { type Call, checkpoint, fullNameOf, nameOf, shortName } from "./call.ts";
import { emit, guarded } from "./events.ts";
import { wordsOf } from "./outcome.ts";
import { within } from "./run-tool.ts";

/** How long `afterExecution` may take, and how long when somebody waits for the end. */
const AFTER_DEADLINE_MS = 15_000;
const AFTER_STOP_MS = 1_000;

/**
 * Stage 7: history, log and events are told the final result, then the tool's `afterExecution`, which cannot change it.
 * Never rejects.
 */
export async function record(call: Call, result: ToolResult): Promise<void> {
  const { env, request } = call;
  env.trace?.("record");
  call.over = true;
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
  if (call.tool) await afterExecution(call, result);
  const turn = createCancellation(env.signal);
  // The result is final: an intervention that comes now only keeps later calls of the reply from running.
  await checkpoint(call, turn).catch(() => {});
  turn.close();
}

function lineOf(call: Call, { status, stats, error }: ToolResult): CallLine {
  const { env, request } = call;
  return {
    tool: call.clean.kept(fullNameOf(call)),
    face: env.face,
    status,
    durationMs: stats.durationMs,
    ...(error === undefined ? {} : { code: error.code }),
    id: request.id,
    generation: env.lease.generation,
    ...(call.isFallback || !call.target ? { requested: call.clean.kept(shortName(request.name)) } : {}),
  };
}

async function afterExecution(call: Call, result: ToolResult): Promise<void> {
  const { env, tool, target } = call;
  env.trace?.("afterExecution");
  const ms = env.signal.aborted ? AFTER_STOP_MS : AFTER_DEADLINE_MS;
  const expired = (): ToolError => new ToolError("TIMEOUT", `it did not settle within ${ms} ms`);
  try {
    await createCancellation().race(() => within(call, () => tool?.afterExecution(result)), { ms, expired });
  } catch (error) {
    const { line } = env.mapError?.(error) ?? {};
    const place = { ...(target ? { file: target.path } : {}), ...(line === undefined ? {} : { line }) };
    const message = `afterExecution of ${nameOf(call)} failed: ${wordsOf(error)}`;
    env.report(diagnostic("TOOL_HOOK_FAILED", { ...place, message, hint: "The result of the call stands." }));
  }
}
