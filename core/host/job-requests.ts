import { denied, unknownTool } from "../dispatch/refusals.ts";
import { parseToolName } from "../dispatch/request.ts";
import type { Masker } from "../governance/mask.ts";
import type { Registry } from "../loading/registry.ts";
import type { BackgroundCall } from "../sdk/delegation.ts";
import { type FailureDetails, ToolError } from "../sdk/errors.ts";
import { frozenJson } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { Authority } from "./authority.ts";

/** A call that may be started. */
export interface JobRequest {
  /** The tool's id, with the method where one was named. */
  readonly name: string;
  /** Masked: policy and log see placeholders, the values go in when it runs. */
  readonly args: JsonObject;
}

/** Where the calls come from. */
export interface JobRequestOptions {
  readonly registry: Registry;
  readonly masker: Pick<Masker, "maskJson">;
  readonly authority: Pick<Authority, "refusal">;
  /** The id of the tool that starts them. */
  readonly starter: string | undefined;
}

/**
 * Looks at all calls before any is started. Their arguments are looked at when they run, as those of every call.
 * @throws ToolError INVALID_PARAM, UNKNOWN_TOOL, DENIED_BY_POLICY, with a pointer to the first call at fault
 */
export async function checkJobRequests(
  calls: readonly BackgroundCall[],
  options: JobRequestOptions,
): Promise<readonly JobRequest[]> {
  if (calls.length === 0) throw new ToolError("INVALID_PARAM", "expected at least one call, found none");
  const requests: JobRequest[] = [];
  for (const [index, call] of calls.entries()) requests.push(await checked(call, `/${index}`, options));
  return requests;
}

async function checked(
  { name, args = {} }: BackgroundCall,
  pointer: string,
  { registry, masker, authority, starter }: JobRequestOptions,
): Promise<JobRequest> {
  const parsed = parseToolName(name);
  const entry = parsed && registry.resolve(parsed.name);
  if (!parsed || !entry) {
    const offered = registry.summaries().filter((tool) => !authority.refusal(tool.id));
    throw at(`${pointer}/name`, unknownTool(name, offered));
  }
  const { id } = entry;
  const refusal = authority.refusal(id);
  if (refusal) throw at(`${pointer}/name`, denied(refusal));
  const refuse = (message: string, hint: string): ToolError =>
    new ToolError("INVALID_PARAM", message, { pointer: `${pointer}/name`, hint });
  if (id === starter) throw refuse(`${id} cannot start itself in the background`, "Name the calls themselves.");
  const contract = await registry.contract(entry);
  if (!("severity" in contract) && contract.role === "answer") {
    throw refuse(`${id} answers for the agent, which a background call cannot`, "Call it by itself, at the end.");
  }
  const copied = frozenJson(args);
  if ("fault" in copied || typeof copied.value !== "object" || copied.value === null || Array.isArray(copied.value)) {
    const message = `expected the arguments of ${id} as a JSON object`;
    throw new ToolError("INVALID_PARAM", message, { pointer: `${pointer}/args` });
  }
  return {
    name: parsed.method === undefined ? id : `${id}:${parsed.method}`,
    args: masker.maskJson(copied.value as JsonObject),
  };
}

function at(pointer: string, { code, message, details }: ToolError): ToolError {
  return new ToolError(code, message, { ...details, pointer } satisfies FailureDetails);
}
