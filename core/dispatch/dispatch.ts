import type { Masker } from "../governance/mask.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import { createResult, type JsonObject, type ToolResult } from "../sdk/result.ts";
import { createValidators, type Validators, validateArguments } from "./arguments.ts";
import { type CallWatch, runBatch } from "./batch.ts";
import { type Call, nameOf, openCall } from "./call.ts";
import { type CleanText, createCleanText } from "./clean-text.ts";
import type { DispatchEnvironment } from "./environment.ts";
import { enter } from "./ledger-entry.ts";
import { wordsOf } from "./outcome.ts";
import { record } from "./record.ts";
import { notBegun, skipped } from "./refusals.ts";
import type { DispatchRequest } from "./request.ts";
import { resolveTool } from "./resolve.ts";
import { authorise, endOf, execute, prepare } from "./run-tool.ts";
import { type Outcome, settle } from "./settle.ts";
import { type WeighedCall, weighCall } from "./weigh.ts";

/** The one way a request can run. It keeps the compiled schemas of its host's tools, and nothing else. */
export interface Dispatcher {
  /** Runs one request. Never rejects: whatever goes wrong is the result. */
  dispatch(request: DispatchRequest, env: DispatchEnvironment): Promise<ToolResult>;
  /**
   * Runs the requests of one reply in order, contiguous ones of tools that are `parallel = "safe"` side by side; the
   * results are in the order of the requests. Once a result breaks the loop, or an intervention came, what has not
   * begun is not run: it gets SKIPPED, or the reason of the environment's signal where that fired.
   */
  dispatchAll(
    requests: readonly DispatchRequest[],
    env: DispatchEnvironment,
    watch?: CallWatch,
  ): Promise<readonly ToolResult[]>;
  /** What policy would judge of a request, without running it: see {@link weighCall}. */
  weigh(request: DispatchRequest, env: DispatchEnvironment, policy: JsonObject): Promise<WeighedCall>;
}

/** A dispatcher for one host. */
export function createDispatcher(): Dispatcher {
  const validators = createValidators();
  const texts = new WeakMap<Masker, CleanText>();
  const open = (request: DispatchRequest, env: DispatchEnvironment): Call => {
    const clean = texts.get(env.masker) ?? createCleanText(env.masker);
    texts.set(env.masker, clean);
    return openCall(request, env, clean);
  };
  return {
    dispatch: (request, env) => run(open(request, env), validators),
    async dispatchAll(requests, env, watch) {
      const results: ToolResult[] = [];
      let isOver = false;
      const refusalOf = (request: DispatchRequest, call: Call): ToolError | undefined => {
        if (call.work.reason) return notBegun(nameOf(call), call.work.reason);
        if (isOver) return skipped(nameOf(call));
        const judged = watch?.before(request);
        isOver ||= judged?.ends === true;
        return judged?.refusal;
      };
      await runBatch(requests, env, async (request, index) => {
        const call = open(request, env);
        const refusal = refusalOf(request, call);
        const result = await run(call, validators, refusal);
        results[index] = result;
        if (!refusal) watch?.after(request, result);
        // A stopped turn answers for itself: its later requests say why they did not run.
        isOver ||= result.breakLoop || (call.interrupted && !env.signal.aborted);
      });
      return results;
    },
    async weigh(request, env, policy) {
      const call = open(request, env);
      try {
        return await weighCall(call, validators, policy);
      } finally {
        call.work.close();
      }
    },
  };
}

/** All stages of one call, in their order. @param refusal ends the call before its first stage */
async function run(call: Call, validators: Validators, refusal?: ToolError): Promise<ToolResult> {
  try {
    const outcome: Outcome = refusal ? { failure: refusal } : await attempt(call, validators);
    const result = await settle(call, outcome, validators);
    endOf(call, { ran: call.began !== undefined, code: result.error?.code });
    return await record(call, result);
  } catch (error) {
    const result = lastResort(call, error);
    return call.over ? result : await enter(call, result);
  } finally {
    endOf(call, { ran: call.began !== undefined, code: "INTERNAL_ERROR" });
    call.work.close();
  }
}

/** Stages 1 to 5. */
async function attempt(call: Call, validators: Validators): Promise<Outcome> {
  try {
    if (call.work.reason) throw call.work.reason;
    await resolveTool(call);
    const { target, loaded } = call;
    if (!target || !loaded) throw new ToolError("INTERNAL_ERROR", "a tool was resolved to nothing");
    call.args = await validateArguments(call, loaded, validators);
    const ready = { call, target, loaded };
    await prepare(ready, validators);
    return (await authorise(ready)) ?? { value: await execute(ready) };
  } catch (error) {
    return {
      failure: isToolError(error) ? error : new ToolError("INTERNAL_ERROR", `the host failed: ${wordsOf(error)}`),
    };
  }
}

/** Something outside of content broke its contract while the result was made; the caller still gets one. */
function lastResort(call: Call, error: unknown): ToolResult {
  return createResult({
    status: "error",
    message: `the host failed while it settled the call${saidBy(call, error)}`,
    failure: { code: "INTERNAL_ERROR" },
    stats: { durationMs: 0 },
    context: { tool: nameOf(call), owner: "host", generation: call.env.lease.generation, cwd: ".", args: {} },
  });
}

/** Nothing leaves unmasked: where masking itself is what failed, the words are lost. */
function saidBy(call: Call, error: unknown): string {
  try {
    return `: ${call.clean.shown(wordsOf(error))}`;
  } catch {
    return "";
  }
}
