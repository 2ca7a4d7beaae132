import type { CapturedOutput } from "../governance/process-guard.ts";
import type { LoadedTool } from "../loading/tool-module.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import { frozenJson, type Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { bindTool, type Tool, type ToolCall } from "../sdk/tool.ts";
import { type Validators, validateReplaced } from "./arguments.ts";
import { type Call, checkpoint, elapsedMs, fullNameOf, workspaceOf } from "./call.ts";
import type { CallEvent, DispatchTarget } from "./environment.ts";
import { emit } from "./events.ts";
import { thrownError, wordsOf } from "./outcome.ts";
import { deniedByExtension, timedOut } from "./refusals.ts";

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
  const tool = await content(call, () => new loaded.cls());
  bindTool(tool, toolCall(call, target, tool));
  call.tool = tool;
  const deadline = {
    ms: BEFORE_DEADLINE_MS,
    expired: () => timedOut(`${target.id}.beforeExecution`, BEFORE_DEADLINE_MS),
  };
  await content(call, () => tool.beforeExecution(call.args), deadline);
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
 * @throws ToolError with the code of the refusal; INTERNAL_ERROR when there is no verdict
 */
export async function authorise({ call, target, loaded }: ReadyCall): Promise<void> {
  const { env, work, request, method, args } = call;
  await announce(call, target);
  env.trace?.("authorise");
  const { face } = env;
  const asked = { id: request.id, tool: loaded, owner: target.owner, method, args, face, signal: work.signal };
  let verdict: Awaited<ReturnType<typeof env.authorise>>;
  try {
    verdict = await work.race(() => env.authorise(asked));
  } catch (error) {
    throw isToolError(error) ? error : new ToolError("INTERNAL_ERROR", `the policy failed: ${wordsOf(error)}`);
  }
  if ("run" in verdict && verdict.run === true) return;
  if (!("deny" in verdict)) throw new ToolError("INTERNAL_ERROR", "the policy gave no verdict");
  const { code, message, hint } = verdict.deny;
  throw new ToolError(code, message, hint === undefined ? {} : { hint });
}

/** Tells that the call is about to run, with its arguments as they may be shown. */
async function announce(call: Call, { id }: DispatchTarget): Promise<void> {
  const { env, request, method, work } = call;
  let shown: Record<string, Json> = call.args;
  if (env.hooks.has("tool_output_update")) {
    shown = {};
    for (const [key, value] of Object.entries(call.args)) {
      const content = typeof value === "string" ? value : JSON.stringify(value);
      const context = { agent: env.agent, signal: work.signal };
      const { payload } = await env.hooks.run("tool_output_update", { toolName: id, content }, context);
      shown[key] = payload.content;
    }
  }
  const args = env.masker.maskJson(shown) as JsonObject;
  emit(env, { type: "tool_start", callId: request.id, name: id, ...(method === undefined ? {} : { method }), args });
}

/**
 * Stage 5: runs the tool, with its deadline and its signal, secrets put in.
 * @returns whatever the tool returned
 * @throws ToolError what the tool threw, TIMEOUT, ABORTED, SECRET_UNKNOWN
 */
export async function execute({ call, target, loaded }: ReadyCall): Promise<unknown> {
  const { env } = call;
  env.trace?.("execute");
  const tool = call.tool as Tool;
  if (env.reveal) call.args = env.reveal(call.args);
  const { args } = call;
  const ms = loaded.contract.timeoutMs ?? env.settings.timeoutMs;
  call.began = performance.now();
  try {
    return await content(call, () => tool.execute(args as never), { ms, expired: () => timedOut(target.id, ms) });
  } finally {
    call.ended = performance.now();
  }
}

/** Runs content: captured, no longer than it may, and what it throws becomes a failure of the call. */
async function content<T>(
  call: Call,
  fn: () => T | Promise<T>,
  deadline?: { readonly ms: number; expired(): ToolError },
): Promise<T> {
  const { work, env } = call;
  if (work.reason) throw work.reason;
  try {
    return await work.race(() => within(call, fn), deadline);
  } catch (error) {
    throw work.reason !== undefined && error === work.reason ? error : thrownError(error, env.mapError);
  }
}

/** Runs content under the process guard, where the host has one. */
export function within<T>(call: Call, fn: () => T): T {
  const { guard, log } = call.env;
  if (!guard) return fn();
  const onOutput = ({ stream, text, truncated }: CapturedOutput): void => {
    log
      .forTool(fullNameOf(call), call.request.id)
      .info("printed", { stream, text, ...(truncated ? { truncated } : {}) });
  };
  return guard.run({ owner: `the tool ${fullNameOf(call)}`, onOutput }, fn);
}

/** What the instance is given. What not every tool looks at is made when it is looked at. */
function toolCall(call: Call, target: DispatchTarget, tool: Tool): ToolCall {
  const { env, request } = call;
  return {
    agent: env.agent,
    name: target.id,
    method: call.method,
    message: request.text ?? "",
    loopData: env.loopData,
    get args() {
      return call.args;
    },
    get signal() {
      return call.work.signal;
    },
    get workspace() {
      return workspaceOf(call);
    },
    get log() {
      return env.log.forTool(fullNameOf(call), request.id);
    },
    get config() {
      return target.config();
    },
    host: {
      owner: target.owner,
      generation: env.lease.generation,
      requested: call.asked,
      elapsedMs: () => elapsedMs(call),
      pathResolved: () => call.workspace?.firstResolved(),
      publishProgress: (text) => publishProgress(call, tool, text),
      onDispose: (dispose) => env.lease.onDispose(dispose),
    },
  };
}

function publishProgress(call: Call, { name }: Tool, content: string): string | Promise<string> {
  const { env, work, request, clean } = call;
  const publish = (text: string): string => {
    const event: CallEvent = { type: "tool_progress", callId: request.id, name, text: clean.shown(text) };
    if (!call.over && !work.reason) emit(env, event);
    return text;
  };
  if (!env.hooks.has("tool_output_update")) return publish(content);
  const context = { agent: env.agent, signal: work.signal };
  const outcome = env.hooks.run("tool_output_update", { toolName: name, content }, context);
  return Promise.resolve(outcome).then(({ payload }) => publish(String(payload.content)));
}
