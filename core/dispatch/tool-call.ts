import { ToolError } from "../sdk/errors.ts";
import type { ToolProcesses } from "../sdk/processes.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { CallPlan, LoopData, Tool, ToolAgent, ToolCall, ToolLog } from "../sdk/tool.ts";
import type { Workspace } from "../sdk/workspace.ts";
import { type Call, elapsedMs, fullNameOf, workspaceOf } from "./call.ts";
import type { CallEvent, DispatchTarget } from "./environment.ts";
import { emit } from "./events.ts";
import { filesOf, isStale, logOf, methodsOf, processesOf } from "./stale.ts";

/** What the instance of a tool is given for one call. */
export function createToolCall(call: Call, target: DispatchTarget, tool: Tool): ToolCall {
  return new BoundCall(call, target, tool);
}

/**
 * What not every tool looks at (a signal, a workspace, a logger) is made when it is looked at; arguments change when
 * secrets are put in. A class, because one is made for every call: a literal with accessors costs ten times as much.
 */
class BoundCall implements ToolCall {
  readonly host: ToolCall["host"];
  readonly name: string;
  readonly #call: Call;
  readonly #target: DispatchTarget;
  #agent: ToolAgent | undefined;
  #files: Workspace | undefined;
  #processes: ToolProcesses | undefined;

  constructor(call: Call, target: DispatchTarget, tool: Tool) {
    this.#call = call;
    this.#target = target;
    this.name = target.id;
    this.host = {
      owner: target.owner,
      generation: call.env.lease.generation,
      requested: call.asked,
      elapsedMs: () => elapsedMs(call),
      pathResolved: () => call.workspace?.firstResolved(),
      publishProgress: (text) => (isStale(target, "setProgress") ? text : publishProgress(call, tool, text)),
      onDispose: (dispose) => {
        isStale(target, "onDispose");
        return target.onDispose(dispose);
      },
    };
  }

  get agent(): ToolAgent {
    this.#agent ??= agentFor(this.#call, this.#target);
    return this.#agent;
  }

  get method(): string | undefined {
    return this.#call.method;
  }

  get args(): JsonObject {
    return this.#call.args;
  }

  get message(): string {
    return this.#call.request.text ?? "";
  }

  get loopData(): LoopData {
    return this.#call.env.loopData;
  }

  get signal(): AbortSignal {
    return this.#call.work.signal;
  }

  get workspace(): Workspace {
    this.#files ??= filesOf(this.#target, workspaceOf(this.#call));
    return this.#files;
  }

  get processes(): ToolProcesses {
    this.#processes ??= processesFor(this.#call, this.#target);
    return this.#processes;
  }

  get plan(): CallPlan | undefined {
    return this.#call.plan;
  }

  get log(): ToolLog {
    return logOf(this.#target, this.#call.env.log.forTool(fullNameOf(this.#call), this.#call.request.id));
  }

  get config(): JsonObject {
    return this.#target.config();
  }
}

function processesFor(call: Call, target: DispatchTarget): ToolProcesses {
  const { env, request, work } = call;
  const given = env.processes?.({ id: request.id, tool: target.id, signal: work.signal, workspace: workspaceOf(call) });
  if (!given) throw new ToolError("EXECUTION_ERROR", "programs cannot be run here");
  return processesOf(target, given);
}

/**
 * The agent, with what the tool hands in at its checkpoints kept for the case that the call is given up, and what it asks
 * of others bound to the call.
 */
function agentFor(call: Call, target: DispatchTarget): ToolAgent {
  const { agent, forCall } = call.env;
  // Not a spread: what is looked up when it is asked for, such as the history, stays so.
  const facts = Object.getOwnPropertyDescriptors(agent);
  const others = forCall?.({ id: call.request.id, tool: target.id, signal: call.work.signal });
  const whole = Object.defineProperties({} as ToolAgent, {
    ...facts,
    ...(others ? Object.getOwnPropertyDescriptors(others) : {}),
  });
  const methods = methodsOf(target, whole);
  const handleIntervention = (progress?: string): Promise<void> => {
    call.handedIn = progress || call.handedIn;
    return methods.handleIntervention(progress);
  };
  return Object.defineProperties({} as ToolAgent, {
    ...Object.getOwnPropertyDescriptors(whole),
    ...Object.getOwnPropertyDescriptors({ ...methods, handleIntervention }),
  });
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
  const outcome = env.hooks.run("tool_output_update", { toolName: name, content: clean.shown(content) }, context);
  return Promise.resolve(outcome).then(({ payload }) => publish(String(payload.content)));
}
