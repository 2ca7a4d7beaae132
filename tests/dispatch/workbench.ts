import { tmpdir } from "node:os";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { createDispatcher, type Dispatcher } from "../../core/dispatch/dispatch.ts";
import type { CallEvent, DispatchEnvironment, DispatchTarget } from "../../core/dispatch/environment.ts";
import type { DispatchRequest } from "../../core/dispatch/request.ts";
import { deniedByList } from "../../core/governance/denials.ts";
import type { CallLine } from "../../core/governance/log.ts";
import { createMasker } from "../../core/governance/mask.ts";
import { createWorkspace } from "../../core/governance/workspace.ts";
import { createHooks } from "../../core/hooks.ts";
import type { LoadedTool } from "../../core/loading/tool-module.ts";
import { Extension } from "../../core/sdk/extension.ts";
import type { PointMap, PointName } from "../../core/sdk/points.ts";
import type { ToolResult } from "../../core/sdk/result.ts";
import { toJsonSchema } from "../../core/sdk/schema.ts";
import { Tool, type ToolAgent, type ToolClass, type ToolSummary } from "../../core/sdk/tool.ts";

/** The contract of a class, as the loader reads it. */
function loadedTool(id: string, cls: ToolClass): LoadedTool {
  const {
    parameters,
    output,
    risk = "medium",
    sends = [],
    parallel = "serial",
    untrusted = false,
    timeoutMs,
    role,
  } = cls;
  return {
    id,
    file: `/root/tools/${id}.ts`,
    cls,
    modules: id,
    contract: {
      parameters: parameters ? toJsonSchema(parameters) : null,
      ...(output ? { output: toJsonSchema(output) } : {}),
      risk: typeof risk === "function" ? "dynamic" : risk,
      sends,
      parallel,
      untrusted,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(role === undefined ? {} : { role }),
    },
  };
}

type Hook<Point extends PointName> = (payload: PointMap[Point]) => void | Promise<void>;

/** What {@link workbench} takes; tools by id, a diagnostic for one that does not load. */
export interface WorkbenchOptions {
  readonly tools?: Readonly<Record<string, ToolClass | Diagnostic>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly fallback?: string;
  /** One extension for a point. */
  readonly hooks?: { readonly [Point in PointName]?: Hook<Point> };
  readonly secrets?: readonly { readonly name: string; readonly value: string }[];
  readonly env?: Partial<DispatchEnvironment>;
}

/** A dispatcher over tools in memory, and everything that it told the world outside. */
export interface Workbench {
  readonly env: DispatchEnvironment;
  readonly dispatcher: Dispatcher;
  readonly trace: string[];
  readonly lines: CallLine[];
  readonly toolLines: { readonly message: string; readonly fields: unknown }[];
  readonly events: CallEvent[];
  readonly found: Diagnostic[];
  readonly history: { readonly request: DispatchRequest; readonly result: ToolResult }[];
  call(name: string, args?: unknown, request?: Partial<DispatchRequest>): Promise<ToolResult>;
}

/** Lets the tools with these ids be called and no other. */
export function only(...ids: readonly string[]): Pick<DispatchEnvironment, "refusal"> {
  return { refusal: (id) => (ids.includes(id) ? undefined : deniedByList(id, { rule: "allowedTools" })) };
}

const workspace = await createWorkspace({ root: tmpdir() });

export const AGENT: ToolAgent = {
  profile: "default",
  context: { id: "x", face: "test", project: undefined, agent: undefined, depth: 0 },
  history: [],
  config: {},
  tools: async () => [],
  skills: async () => [],
  profiles: async () => [],
  delegate: async () => {
    throw new Error("nobody works for this agent");
  },
  jobs: () => {
    throw new Error("nothing runs besides");
  },
  handleIntervention: async () => {},
};

export function workbench(options: WorkbenchOptions = {}): Workbench {
  const { tools = {}, aliases = {}, secrets = [] } = options;
  const told = { trace: [] as string[], lines: [] as CallLine[], events: [] as CallEvent[], found: [] as Diagnostic[] };
  const toolLines: { message: string; fields: unknown }[] = [];
  const history: { request: DispatchRequest; result: ToolResult }[] = [];
  const dispatcher = createDispatcher();
  const loaded = new Map<string, LoadedTool | Diagnostic>();
  for (const [id, cls] of Object.entries(tools)) loaded.set(id, typeof cls === "function" ? loadedTool(id, cls) : cls);

  const target = (name: string): DispatchTarget | undefined => {
    const id = aliases[name] ?? name;
    const found = loaded.get(id);
    if (!found) return undefined;
    const load = async () => ("contract" in found ? { tool: found } : { diagnostic: found });
    const isParallel = async () => "contract" in found && found.contract.parallel === "safe";
    return {
      id,
      owner: "_test",
      path: `tools/${id}.ts`,
      load,
      config: () => ({ color: "red" }),
      isParallel,
      onDispose: () => () => {},
    };
  };
  const names = (): readonly ToolSummary[] =>
    [...loaded].map(([id, found]) => ({
      id,
      description: "",
      aliases: Object.keys(aliases).filter((alias) => aliases[alias] === id),
      ...("contract" in found ? { status: "ok" as const } : { status: "failed" as const, error: found.message }),
    }));
  const write = (message: string, fields: unknown) => void toolLines.push({ message, fields });

  const env: DispatchEnvironment = {
    lease: {
      generation: 7,
      resolve: target,
      fallback: async () => (options.fallback === undefined ? undefined : target(options.fallback)),
      names,
    },
    agent: AGENT,
    workspace,
    hooks: createHooks({
      candidates: (point) =>
        options.hooks?.[point]
          ? [
              {
                id: `${point}/_50_test`,
                file: point,
                path: `extensions/${point}/_50_test.ts`,
                layer: { rank: 8, path: "." },
              },
            ]
          : [],
      load: async ({ file }) => ({ cls: extensionOf(options.hooks?.[file as PointName] as Hook<PointName>) }),
      report: (item) => told.found.push(item),
      deadlineMs: 200,
    }),
    log: {
      call: (line) => void told.lines.push(line),
      forTool: () => ({ debug: write, info: write, warn: write, error: write }),
      flush() {},
      close: async () => {},
    },
    masker: createMasker(secrets),
    signal: new AbortController().signal,
    loopData: { iteration: 2, extras: new Map(), lastResponse: "" },
    face: "test",
    settings: { timeoutMs: 5_000 },
    history: { addToolResult: (request, result) => void history.push({ request, result }) },
    authorise: () => ({ run: true }),
    on: (event) => void told.events.push(event),
    report: (item) => void told.found.push(item),
    trace: (step) => void told.trace.push(step),
    ...options.env,
  };
  let count = 0;
  return {
    ...told,
    env,
    dispatcher,
    toolLines,
    history,
    call: async (name, args, request) => await dispatcher.dispatch({ id: `c${++count}`, name, args, ...request }, env),
  };
}

function extensionOf(hook: Hook<PointName>): new () => Extension<PointName> {
  return class extends Extension<PointName> {
    execute(payload: PointMap[PointName]) {
      return hook(payload);
    }
  };
}

/** A tool whose `execute` is `fn`; statics as given. */
export function tool(execute: (this: Tool, args: never) => unknown, statics: Partial<ToolClass> = {}): ToolClass {
  class Made extends Tool {
    execute(args: object) {
      return execute.call(this, args as never) as ToolResult;
    }
  }
  return Object.assign(Made, statics);
}
