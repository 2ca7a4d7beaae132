import type { CallRisk } from "../governance/call-risk.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import type { JsonObject } from "../sdk/result.ts";
import { type Validators, validateArguments } from "./arguments.ts";
import type { Call } from "./call.ts";
import type { AuthoriseCall } from "./environment.ts";
import { unknownTool } from "./refusals.ts";
import { resolveTool, summariesFor } from "./resolve.ts";
import { authoriseCall, type ReadyCall } from "./run-tool.ts";

/** A call as the policy judges it. */
export interface WeighedCall extends Pick<AuthoriseCall, "tool" | "args"> {
  readonly risk: CallRisk;
}

/**
 * What is known of a call before it runs: its tool is loaded, its arguments are validated where any are given, and its
 * risk is known. Of its code nothing is run besides.
 *
 * @throws ToolError UNKNOWN_TOOL, TOOL_LOAD_FAILED, DENIED_BY_POLICY, INVALID_JSON, INVALID_PARAM
 */
export async function weighCall(call: Call, validators: Validators, policy: JsonObject): Promise<WeighedCall> {
  await resolveTool(call);
  const { target, loaded, request } = call;
  if (call.isUnknown) throw unknownTool(request.name, summariesFor(call));
  if (!target || !loaded) throw new ToolError("INTERNAL_ERROR", "a tool was resolved to nothing");
  const ready = { call, target, loaded };
  const weighed = async (): Promise<WeighedCall> => {
    call.args = await validateArguments(call, loaded, validators);
    return await weigh(ready, policy);
  };
  if (request.args !== undefined) return await weighed();
  if (loaded.contract.risk !== "dynamic") return await weigh(ready, policy);
  try {
    return await weighed();
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { tool: loaded, args: call.args, risk: UNGIVEN };
  }
}

const UNGIVEN: CallRisk = Object.freeze({
  level: "high",
  reasons: Object.freeze(["it depends on the arguments, and none were given"]),
});

async function weigh(ready: ReadyCall, policy: JsonObject): Promise<WeighedCall> {
  const { tool, args, risk } = authoriseCall(ready);
  return { tool, args, risk: await risk(policy) };
}
