import { createCancellation } from "../governance/cancellation.ts";
import type { LoadedTool } from "../loading/tool-module.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import { schemaDeadline, type Validators } from "./arguments.ts";
import { boundResult, needsBound } from "./bound-result.ts";
import { type Call, checkpoint, frameOf, isReplaced, nameOf, settlingContext } from "./call.ts";
import { captured } from "./content.ts";
import { describeFault } from "./faults.ts";
import { bringsUntrusted, framedResult } from "./framed-result.ts";
import { askHistoryExtensions, hasHistoryExtensions } from "./history-entry.ts";
import { failedResult, returnedResult, wordsOf } from "./outcome.ts";

/** How the stages before ended: with what the tool returned, or with a failure. */
export type Outcome = { readonly value: unknown } | { readonly failure: ToolError };

const MAX_QUOTED = 2000;

/** Stage 6: makes the one result of the call. What it returns is final, frozen, masked and bounded. */
export async function settle(call: Call, outcome: Outcome, validators: Validators): Promise<ToolResult> {
  const { env } = call;
  const executed = call.began !== undefined;
  const settled = executed ? await interruptible(call, outcome) : outcome;
  env.trace?.("normalise");
  let result = normalise(call, settled);
  // What a person says in its place need not be what the tool would publish.
  if (call.loaded?.contract.output && result.status !== "error" && !isReplaced(call)) {
    result = await checkOutput(call, call.loaded, result, validators);
  }
  if (executed) {
    env.trace?.("tool_execute_after");
    if (env.hooks.has("tool_execute_after")) result = await afterExtensions(call, result);
    env.trace?.("normalise");
  }
  env.trace?.("hist_add_tool_result");
  env.trace?.("hist_add_before");
  if (hasHistoryExtensions(call)) result = await askHistoryExtensions(call, result);
  if (bringsUntrusted(call)) result = framedResult(call, result);
  env.trace?.("bound");
  return needsBound(call, result) ? await boundResult(call, result) : result;
}

/** An intervention at this point drops what the tool returned as the reply, but not what the model has to know of it. */
async function interruptible(call: Call, outcome: Outcome): Promise<Outcome> {
  const { work, env } = call;
  // The deadline has stopped the work, not the turn: the checkpoint still has to be passed.
  const turn = work.reason ? createCancellation(env.signal) : work;
  try {
    const waited = checkpoint(call, turn);
    if (waited) await waited;
    return outcome;
  } catch (error) {
    if ("failure" in outcome || !isToolError(error)) return outcome;
    const { status, message } = (outcome.value ?? {}) as { status?: unknown; message?: unknown };
    // Masked before it is cut: half a secret at the end would not be recognised.
    const said =
      typeof message === "string" ? ` It had answered: ${call.clean.shown(message).slice(0, MAX_QUOTED)}` : "";
    const words = `${error.message}. ${nameOf(call)} had finished by then, and what it did stands.${said}`;
    const cause = typeof status === "string" && typeof message === "string" ? { status, message } : undefined;
    return { failure: new ToolError(error.code, words, { ...error.details, cause }) };
  } finally {
    if (turn !== work) turn.close();
  }
}

function normalise(call: Call, outcome: Outcome): ToolResult {
  const frame = frameOf(call);
  if ("failure" in outcome) return failedResult(withProgress(call, outcome.failure), frame);
  try {
    return returnedResult(outcome.value, nameOf(call), frame);
  } catch (error) {
    return failedResult(isToolError(error) ? error : new ToolError("INVALID_RESULT", wordsOf(error)), frame);
  }
}

/** A call that was cut short keeps what it had said of itself until then. */
function withProgress({ tool, handedIn, clean }: Call, failure: ToolError): ToolError {
  const cutShort = failure.code === "TIMEOUT" || failure.code === "ABORTED" || failure.code === "STOPPED";
  const progress = tool?.progress || handedIn;
  if (!cutShort || !progress) return failure;
  const message = `${failure.message}\nProgress until then: ${clean.shown(progress).slice(-MAX_QUOTED)}`;
  return new ToolError(failure.code, message, failure.details);
}

/** The data of a success, whole or partial, has to be what the tool publishes. */
async function checkOutput(
  call: Call,
  loaded: LoadedTool,
  result: ToolResult,
  validators: Validators,
): Promise<ToolResult> {
  const validated = await outputFaults(call, loaded, result, validators);
  return validated ? failedResult(validated, frameOf(call)) : result;
}

async function outputFaults(
  call: Call,
  loaded: LoadedTool,
  { data }: ToolResult,
  validators: Validators,
): Promise<ToolError | undefined> {
  try {
    const validator = await validators.output(call, loaded);
    // The work may be stopped by now; its result is checked all the same.
    const validated = await createCancellation().race(
      () => captured(call, () => validator(data)),
      schemaDeadline(loaded),
    );
    if ("value" in validated) return undefined;
    const faults = validated.faults.map((fault) => describeFault({ ...fault, pointer: `/data${fault.pointer}` }));
    return new ToolError(
      "INVALID_RESULT",
      `the data of ${loaded.id} does not fit its output schema: ${faults.join("; ")}`,
      {
        pointer: `/data${validated.faults[0]?.pointer ?? ""}`,
        hint: "Its author should mend the tool or its schema; the call may have had effects.",
      },
    );
  } catch (error) {
    return isToolError(error) ? error : new ToolError("INVALID_RESULT", wordsOf(error));
  }
}

async function afterExtensions(call: Call, result: ToolResult): Promise<ToolResult> {
  const frame = frameOf(call);
  const made = "the extension";
  const check = (payload: { result: unknown }): string | undefined =>
    faultOf(() => returnedResult(payload.result, made, frame));
  const payload = { toolName: nameOf(call), result };
  const context = { ...settlingContext(call), check };
  const { payload: left } = await call.env.hooks.run("tool_execute_after", payload, context);
  return left.result === result ? result : returnedResult(left.result, made, frame);
}

function faultOf(fn: () => unknown): string | undefined {
  try {
    fn();
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}
