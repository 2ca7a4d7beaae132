import { diagnostic } from "../diagnostics.ts";
import type { ToolOutcome } from "../loading/tool-module.ts";
import type { ToolSummary } from "../sdk/tool.ts";
import type { Call } from "./call.ts";
import { captured } from "./content.ts";
import type { DispatchTarget, Refusal } from "./environment.ts";
import { wordsOf } from "./outcome.ts";
import { denied, loadFailed, unknownTool } from "./refusals.ts";
import { parseToolName } from "./request.ts";

/**
 * Stage 1: finds and loads the tool that a request names, or the fallback tool for an unknown name.
 * @throws ToolError UNKNOWN_TOOL, DENIED_BY_POLICY, STOPPED, TOOL_LOAD_FAILED
 */
export async function resolveTool(call: Call): Promise<void> {
  const { request, env, work } = call;
  env.trace?.("resolve");
  const parsed = parseToolName(request.name);
  const target = parsed && (await work.race(() => env.lease.resolve(parsed.name)));
  if (!parsed || !target) return await resolveFallback(call);
  call.target = target;
  call.method ??= parsed.method;
  requireLeave(call, env.halted?.() ?? env.refusal?.(target.id));
  const outcome = await load(call, target);
  if ("diagnostic" in outcome) throw loadFailed(target.id, outcome.diagnostic);
  call.loaded = outcome.tool;
}

/** It answers in its own words; where there is none, or it is broken itself, the host does. */
async function resolveFallback(call: Call): Promise<void> {
  const { request, env, work } = call;
  call.isUnknown = true;
  requireLeave(call, env.halted?.());
  const fallback = await work.race(() => env.lease.fallback());
  const target = fallback && !env.refusal?.(fallback.id) ? fallback : undefined;
  const outcome = target && (await load(call, target));
  if (!target || !outcome || "diagnostic" in outcome) {
    if (outcome && "diagnostic" in outcome) env.report(outcome.diagnostic);
    throw unknownTool(request.name, summariesFor(call));
  }
  call.target = target;
  call.loaded = outcome.tool;
}

/** Before the tool is loaded: the top level of a module, `beforeExecution` and extensions are code, too. */
function requireLeave(call: Call, refusal: Refusal | undefined): void {
  if (!refusal) return;
  call.verdict = { deny: refusal };
  throw denied(refusal);
}

/** Names that the call may not use are not offered to it. */
export function summariesFor({ env: { lease, refusal } }: Call): readonly ToolSummary[] {
  return lease.names().filter(({ id }) => !refusal?.(id));
}

/** A loader that rejects breaks its own contract, but the call still gets an answer. */
function load(call: Call, target: DispatchTarget): Promise<ToolOutcome> {
  const rejected = (error: unknown): ToolOutcome => ({
    diagnostic: diagnostic("LOAD_THREW", { file: target.path, message: wordsOf(error) }),
  });
  // The top level of a module may print too.
  const loading = () => captured(call, () => target.load()).then(undefined, rejected);
  return Promise.resolve(call.work.race(loading));
}
