import type { CallEnd } from "../governance/call-end.ts";
import { type Cancellation, createCancellation, isPromiseLike } from "../governance/cancellation.ts";
import type { SeenFiles } from "../governance/seen-files.ts";
import { type CallWorkspace, workspaceForCall } from "../governance/workspace.ts";
import type { LoadedTool } from "../loading/tool-module.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { CallPlan, Tool, ToolAgent } from "../sdk/tool.ts";
import type { CleanText } from "./clean-text.ts";
import type { DispatchEnvironment, DispatchTarget, Verdict, VerdictFacts } from "./environment.ts";
import { type ResultFrame, wordsOf } from "./outcome.ts";
import { type DispatchRequest, type GivenArguments, givenArguments, nameText, parseToolName } from "./request.ts";

/** The state of one call on its way through the stages. */
export interface Call {
  readonly request: DispatchRequest;
  readonly env: DispatchEnvironment;
  /** Stops the work: the deadline, the turn's signal. */
  readonly work: Cancellation;
  readonly clean: CleanText;
  readonly given: GivenArguments;
  /** The arguments as they were asked for, `{}` where they are no object; what `context.args` says. */
  readonly asked: JsonObject;
  method: string | undefined;
  target: DispatchTarget | undefined;
  loaded: LoadedTool | undefined;
  /** No tool has the name: the fallback tool answers for it, or the host. */
  isUnknown: boolean;
  /** What runs: validated, with defaults, deep-frozen. */
  args: JsonObject;
  /** `args` as they were authorised, with placeholders in place of secrets; before that undefined. */
  authorised: JsonObject | undefined;
  /** The arguments as events tell them; undefined before the call is announced. */
  maskedArgs: JsonObject | undefined;
  /** What the tool's own risk function means to be done; secrets are put in with those of `args`. */
  plan: CallPlan | undefined;
  /** What policy and approval said. */
  verdict: Verdict | undefined;
  /** What they had said when the call was stopped before there was a verdict. */
  judged: VerdictFacts | undefined;
  /** `args` of `of`, as extensions at `tool_output_update` want them to be seen; absent without extensions. */
  shown: { readonly of: JsonObject; readonly args: JsonObject } | undefined;
  /** Whom the policy wants to be told of the end. */
  onEnd: ((end: CallEnd) => void) | undefined;
  /** There from `beforeExecution` on. */
  tool: Tool | undefined;
  /** What the tool last said of itself at a checkpoint. */
  handedIn: string | undefined;
  workspace: CallWorkspace | undefined;
  /** Of `performance.now()`, when `execute` began and ended. */
  began: number | undefined;
  ended: number | undefined;
  /** An intervention came: what else the reply asked for must not run. */
  interrupted: boolean;
  /** The result is final: progress that comes now is too late. */
  over: boolean;
}

const NOTHING: JsonObject = Object.freeze({});

/** A call at its very beginning. */
export function openCall(request: DispatchRequest, env: DispatchEnvironment, clean: CleanText): Call {
  const given = givenArguments(request);
  return {
    request,
    env,
    given,
    work: createCancellation(env.signal),
    clean,
    asked: "args" in given ? given.args : NOTHING,
    method: request.method,
    target: undefined,
    loaded: undefined,
    isUnknown: false,
    args: NOTHING,
    authorised: undefined,
    maskedArgs: undefined,
    plan: undefined,
    verdict: undefined,
    judged: undefined,
    shown: undefined,
    onEnd: undefined,
    tool: undefined,
    handedIn: undefined,
    workspace: undefined,
    began: undefined,
    ended: undefined,
    interrupted: false,
    over: false,
  };
}

/** The name for messages, logs and results: the tool's id, before it is found the name that was asked for. */
export function nameOf({ target, request }: Call): string {
  return target?.id ?? parseToolName(request.name)?.name ?? "?";
}

/** As logs name a tool: `<owner>.<id>`. What no tool answers for belongs to the host. */
export function fullNameOf(call: Call): string {
  return `${call.target?.owner ?? "host"}.${nameOf(call)}`;
}

/** Whether a person's text stands in place of the result. */
export function isReplaced({ verdict }: Call): boolean {
  return verdict !== undefined && "replace" in verdict;
}

export function workspaceOf(call: Call): CallWorkspace {
  call.workspace ??= workspaceForCall(call.env.workspace, {
    readable: call.env.readable?.(),
    ...call.env.files?.(),
    seen: call.env.seen && seenInWork(call, call.env.seen),
  });
  return call.workspace;
}

/** What is looked at before the call runs, to weigh it or to show it to a person, the agent has not seen. */
function seenInWork(call: Call, { of, note }: SeenFiles): SeenFiles {
  return {
    of,
    note: (real, content) => {
      if (call.began !== undefined) note(real, content);
    },
  };
}

/** Whole milliseconds since `execute` began, until it ended; 0 before. */
export function elapsedMs({ began, ended }: Call): number {
  return began === undefined ? 0 : Math.round((ended ?? performance.now()) - began);
}

/** What the host says of the call in its result. */
export function frameOf(call: Call): ResultFrame {
  const pathResolved = call.workspace?.firstResolved();
  return {
    clean: call.clean,
    durationMs: elapsedMs(call),
    context: {
      tool: nameOf(call),
      owner: call.target?.owner ?? "host",
      generation: call.env.lease.generation,
      cwd: ".",
      args: call.asked,
      ...(call.isUnknown ? { requested: shortName(call.request.name) } : {}),
      ...(pathResolved === undefined ? {} : { pathResolved }),
    },
  };
}

/**
 * What extensions are given while a result is made. They are not stopped with the turn: one that takes something out of
 * results has to see those of a stopped call too. Their own deadline ends them.
 */
export function settlingContext({ env }: Call): { readonly agent: ToolAgent; readonly signal: AbortSignal } {
  return { agent: env.agent, signal: new AbortController().signal };
}

/** The name of an unknown tool as programs are told it. */
export function shortName(name: unknown): string {
  return nameText(name).slice(0, 200);
}

/**
 * A checkpoint of the agent: waits while it is paused.
 * @throws ToolError when an intervention came or the call was stopped
 */
export function checkpoint(call: Call, work: Cancellation = call.work): void | Promise<void> {
  call.env.trace?.("handleIntervention");
  const fail = (error: unknown): never => {
    call.interrupted = true;
    throw isToolError(error) ? error : new ToolError("ABORTED", `the call was interrupted: ${wordsOf(error)}`);
  };
  try {
    const { env, tool } = call;
    const progress = tool?.progress || undefined;
    const waited = work.race(() =>
      env.checkpoint ? env.checkpoint(progress) : env.agent.handleIntervention(progress),
    );
    return isPromiseLike(waited) ? waited.then(undefined, fail) : waited;
  } catch (error) {
    return fail(error);
  }
}
