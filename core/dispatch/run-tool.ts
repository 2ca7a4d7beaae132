import { approvalHash } from "../governance/approval-hash.ts";
import type { CallEnd } from "../governance/call-end.ts";
import { type CallRisk, declaredRisk, raisedRisk, weighedRisk } from "../governance/call-risk.ts";
import { isPromiseLike } from "../governance/cancellation.ts";
import type { LoadedTool } from "../loading/tool-module.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import { frozenJson, type Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { bindTool, type Tool } from "../sdk/tool.ts";
import { type Validators, validateReplaced } from "./arguments.ts";
import { type Call, checkpoint, workspaceOf } from "./call.ts";
import { runContent } from "./content.ts";
import type { AuthoriseCall, CallEvent, DispatchTarget, Verdict } from "./environment.ts";
import { emit, guarded } from "./events.ts";
import { wordsOf } from "./outcome.ts";
import { denied, deniedByExtension, notApproved, timedOut } from "./refusals.ts";
import { createToolCall } from "./tool-call.ts";

/** A call whose tool is found, loaded and given valid arguments. */
export interface ReadyCall {
  readonly call: Call;
  readonly target: DispatchTarget;
  readonly loaded: LoadedTool;
}

/** How long `beforeExecution` may take. */
const BEFORE_DEADLINE_MS = 15_000;

/**
 * Stage 3: makes the instance, lets the tool and the extensions at `tool_execute_before` look at the call; the latter
 * may replace arguments, which are then validated again.
 * @throws ToolError what the tool threw, DENIED_BY_EXTENSION, ABORTED
 */
export async function prepare(ready: ReadyCall, validators: Validators): Promise<void> {
  const { call, loaded, target } = ready;
  const { env, work } = call;
  await checkpoint(call);
  env.trace?.("beforeExecution");
  const tool = runContent(call, () => new loaded.cls()) as Tool;
  bindTool(tool, createToolCall(call, target, tool));
  call.tool = tool;
  const deadline = {
    ms: BEFORE_DEADLINE_MS,
    expired: () => timedOut(`${target.id}.beforeExecution`, BEFORE_DEADLINE_MS),
    heldMs: env.heldMs,
  };
  if (env.hooks.has("tool_output_update")) call.shown = { of: call.args, args: await shownArguments(ready) };
  await runContent(call, () => tool.beforeExecution(call.args), deadline);
  await checkpoint(call);
  env.trace?.("tool_execute_before");
  if (env.hooks.has("tool_execute_before")) await askExtensions(ready, validators);
  if (work.reason) throw work.reason;
}

async function askExtensions({ call, target, loaded }: ReadyCall, validators: Validators): Promise<void> {
  const { env, work, args, method } = call;
  const payload = { toolName: target.id, method, args };
  const context = { agent: env.agent, signal: work.signal, check: notJsonObject };
  const { payload: left, denied } = await env.hooks.run("tool_execute_before", payload, context);
  if (work.reason) throw work.reason;
  if (denied) throw deniedByExtension(target.id, denied.by, denied.message);
  if (left.args !== args) call.args = await validateReplaced(call, loaded, validators, left.args);
}

function notJsonObject({ args }: { readonly args: unknown }): string | undefined {
  const checked = frozenJson(args);
  if ("fault" in checked)
    return `args must be JSON, found ${checked.fault.found} at ${checked.fault.path || "its root"}`;
  const { value } = checked;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "args must be an object";
}

/**
 * Stage 4: policy, then approval where it asks, on exactly the arguments that would run.
 * @returns what stands in place of the result, where a person gave it
 * @throws ToolError with the code of the refusal; INTERNAL_ERROR when there is no verdict
 */
export async function authorise(ready: ReadyCall): Promise<{ readonly value: unknown } | undefined> {
  const { call } = ready;
  const { env, work } = call;
  const shown = argumentsToShow(ready);
  announce(ready, isPromiseLike(shown) ? await shown : shown);
  env.trace?.("authorise");
  let verdict: Verdict;
  try {
    const given = work.race(() => asked(ready));
    verdict = isPromiseLike(given) ? await given : given;
  } catch (error) {
    throw isToolError(error) ? error : new ToolError("INTERNAL_ERROR", `the policy failed: ${wordsOf(error)}`);
  }
  call.verdict = verdict;
  call.authorised = call.args;
  if ("run" in verdict && verdict.run === true) return undefined;
  if ("replace" in verdict) return { value: replacement(verdict.replace.message) };
  if (!("deny" in verdict)) throw new ToolError("INTERNAL_ERROR", "the policy gave no verdict");
  throw denied(verdict.deny);
}

/** Marked, so that nobody takes it for what the tool said. */
function replacement(message: string): unknown {
  return { status: "success", message, breakLoop: false, data: {}, context: { replaced: true } };
}

/** Leave that comes when nobody waits for it any more is given back. */
function asked(ready: ReadyCall): Verdict | Promise<Verdict> {
  const { call } = ready;
  const take = (verdict: Verdict): Verdict => {
    if ("run" in verdict) call.onEnd = verdict.ended;
    if (call.work.reason) endOf(call, { ran: false });
    return verdict;
  };
  const given = call.env.authorise(authoriseCall(ready));
  return isPromiseLike(given) ? Promise.resolve(given).then(take) : take(given);
}

/** Tells the policy how the call ended, once. */
export function endOf(call: Call, end: CallEnd): void {
  const { onEnd } = call;
  call.onEnd = undefined;
  onEnd?.(end);
}

/** What was approved runs and nothing else, whatever happened since. @throws ToolError APPROVAL_MISMATCH */
function requireBound({ call, loaded }: ReadyCall): void {
  const { verdict, method, args } = call;
  if (verdict?.bound === undefined) return;
  const { id, modules } = loaded;
  if (approvalHash({ tool: id, method, args, modules }) !== verdict.bound) throw notApproved(id);
}

/** What policy and approval are told of a call. */
export function authoriseCall(ready: ReadyCall): AuthoriseCall {
  const { call, target, loaded } = ready;
  const { env, request, method, args, work } = call;
  return {
    id: request.id,
    tool: loaded,
    owner: target.owner,
    method,
    args,
    face: env.face,
    risk: (policy) => weigh(ready, policy),
    preview: (policy) => previewOf(ready, policy),
    signal: () => work.signal,
    judged: (facts) => {
      call.judged = facts;
    },
  };
}

/** How long a tool's own risk function may take. */
const RISK_DEADLINE_MS = 15_000;

function weigh(ready: ReadyCall, policy: JsonObject): CallRisk | Promise<CallRisk> {
  const risk = ownRisk(ready, policy);
  const hint = ready.target.riskHint;
  if (!hint) return risk;
  const raise = (own: CallRisk): CallRisk => raisedRisk(own, hint.level, hint.reason);
  return isPromiseLike(risk) ? risk.then(raise) : raise(risk);
}

function ownRisk({ call, loaded }: ReadyCall, policy: JsonObject): CallRisk | Promise<CallRisk> {
  const { id, cls, contract } = loaded;
  const { risk, role } = contract;
  // What the loader has read; only that nothing is declared has to be asked of the class.
  if (risk !== "dynamic") return declaredRisk(risk === "medium" && cls.risk === undefined ? undefined : risk, role);
  const deadline = { ms: RISK_DEADLINE_MS, expired: () => timedOut(`the risk function of ${id}`, RISK_DEADLINE_MS) };
  return weighedRisk(cls.risk, {
    args: call.args,
    context: () => ({ workspace: workspaceOf(call), policy }),
    run: (work) => {
      const answer = runContent(call, work, deadline);
      return isPromiseLike(answer)
        ? Promise.resolve(answer).then((given) => keepPlan(call, given))
        : keepPlan(call, answer);
    },
  });
}

/** Whatever goes wrong with it is shown in its place: who is asked has to know that he sees less. */
function previewOf({ call, loaded }: ReadyCall, policy: JsonObject): Promise<string | undefined> | undefined {
  const { id, cls } = loaded;
  const { preview } = cls;
  if (preview === undefined) return undefined;
  const deadline = { ms: RISK_DEADLINE_MS, expired: () => timedOut(`the preview of ${id}`, RISK_DEADLINE_MS) };
  const make = async (): Promise<string | undefined> => {
    const made: unknown = await runContent(
      call,
      () => preview(call.args, { workspace: workspaceOf(call), policy }),
      deadline,
    );
    if (made !== undefined && typeof made !== "string") throw new Error("it gave no text");
    return made;
  };
  return make().catch((error: unknown) => `the tool could not show what the call would change: ${wordsOf(error)}`);
}

/** What was decided on is what the tool is given to run. */
function keepPlan<T>(call: Call, answer: T): T {
  const { plan } = (typeof answer === "object" ? (answer ?? {}) : {}) as { readonly plan?: unknown };
  const checked = plan === undefined ? undefined : frozenJson(plan);
  call.plan = checked && "value" in checked ? { value: checked.value, holdsSecrets: false } : undefined;
  return answer;
}

/** Puts secrets into the arguments, and into what was planned with them. */
function revealIn(call: Call, reveal: (args: JsonObject) => JsonObject): void {
  call.args = reveal(call.args);
  if (!call.plan) return;
  const { value } = call.plan;
  const revealed = reveal({ value }).value as Json;
  call.plan = { value: revealed, holdsSecrets: revealed !== value };
}

/** Tells that the call is about to run. */
function announce({ call, target }: ReadyCall, shown: JsonObject): void {
  const { env, request, method } = call;
  const args = env.masker.maskJson(shown);
  call.maskedArgs = args;
  const event: CallEvent = { type: "tool_start", callId: request.id, name: target.id, args };
  emit(env, method === undefined ? event : { ...event, method });
}

/** As extensions want them to be seen; those that were put in place of the model's are shown as well. */
function argumentsToShow(ready: ReadyCall): JsonObject | Promise<JsonObject> {
  const { shown, args, env } = ready.call;
  if (shown?.of === args) return shown.args;
  return env.hooks.has("tool_output_update") ? shownArguments(ready) : args;
}

/** The arguments as extensions want them to be seen: each as text. */
async function shownArguments({ call, target }: ReadyCall): Promise<JsonObject> {
  const { env, work, args } = call;
  const shown: Record<string, Json> = {};
  for (const [key, value] of Object.entries(args)) {
    const content = typeof value === "string" ? value : JSON.stringify(value);
    const context = { agent: env.agent, signal: work.signal };
    const { payload } = await env.hooks.run("tool_output_update", { toolName: target.id, content }, context);
    shown[key] = payload.content;
  }
  return shown;
}

/**
 * Stage 5: runs the tool, with its deadline and its signal, secrets put in.
 * @returns whatever the tool returned
 * @throws ToolError what the tool threw, TIMEOUT, ABORTED, SECRET_UNKNOWN, APPROVAL_MISMATCH
 */
export async function execute(ready: ReadyCall): Promise<unknown> {
  const { call, target, loaded } = ready;
  const { env } = call;
  env.trace?.("execute");
  requireBound(ready);
  const tool = call.tool as Tool;
  if (env.reveal) revealIn(call, env.reveal);
  const { history } = env;
  if (history?.callStarted) guarded(env, "the history", () => history.callStarted?.(call.request));
  const { args } = call;
  const ms = loaded.contract.timeoutMs ?? env.settings.timeoutMs;
  call.began = performance.now();
  try {
    const deadline = { ms, expired: () => timedOut(target.id, ms), heldMs: env.heldMs };
    return await runContent(call, () => tool.execute(args as never), deadline);
  } finally {
    call.ended = performance.now();
  }
}
