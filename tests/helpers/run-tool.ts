import type { Tool, ToolAgent, ToolResult } from "toolroom";
import { createWorkspace } from "../../core/governance/workspace.ts";
import { isToolError, ToolError } from "../../core/sdk/errors.ts";
import { createResult, type JsonObject } from "../../core/sdk/result.ts";
import { isZod } from "../../core/sdk/schema.ts";
import { bindTool, type ToolCall, type ToolClass } from "../../core/sdk/tool.ts";
import { makeTree } from "./tree.ts";

/** What {@link runTool} takes besides the tool and its arguments. */
export interface RunOptions {
  readonly id: string;
  /** Directory that the tool may touch; default: a fresh temporary one. */
  readonly workspace?: string;
  readonly agent?: Partial<ToolAgent>;
  readonly signal?: AbortSignal;
  readonly method?: string;
}

/** A fresh directory below the system's temporary one. */
export async function tempDir(): Promise<string> {
  return makeTree({});
}

/**
 * Runs one tool by itself: real workspace, real schema, real result; no policy, no loop, no deadline.
 * Failures come back as results, as they do from the dispatcher.
 */
export async function runTool(
  cls: ToolClass,
  args: JsonObject,
  options: RunOptions,
): Promise<{ result: ToolResult; progress: readonly string[] }> {
  const progress: string[] = [];
  const workspace = await createWorkspace({ root: options.workspace ?? (await tempDir()) });
  const started = performance.now();
  const host = {
    owner: "test",
    generation: 1,
    requested: args,
    elapsedMs: () => Math.round(performance.now() - started),
    pathResolved: () => workspace.firstResolved(),
    publishProgress: async (text: string) => {
      progress.push(text);
      return text;
    },
    onDispose: () => () => {},
  };
  const tool = new cls();
  bindTool(tool, {
    agent: testAgent(options.agent),
    name: options.id,
    method: options.method,
    args,
    message: "",
    loopData: { iteration: -1, extras: new Map(), lastResponse: "" },
    signal: options.signal ?? new AbortController().signal,
    workspace,
    processes: {} as ToolCall["processes"],
    plan: undefined,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    config: {},
    host,
  });
  try {
    return { result: await tool.execute(parsed(cls, args)), progress };
  } catch (error) {
    return { result: failed(tool, options, error), progress };
  }
}

/** A plain object that does what a tool may ask of its agent. */
function testAgent(parts: Partial<ToolAgent> = {}): ToolAgent {
  return {
    profile: "default",
    context: { id: "test", face: "library", project: undefined, agent: undefined, depth: 0 },
    history: [],
    config: {},
    tools: async () => [],
    skills: async () => [],
    profiles: async () => [],
    delegate: async () => {
      throw new Error("this test's agent has no subordinates");
    },
    jobs: () => {
      throw new Error("this test's agent has nothing in the background");
    },
    handleIntervention: async () => {},
    ...parts,
  };
}

function parsed(cls: ToolClass, args: JsonObject): JsonObject {
  if (!isZod(cls.parameters)) return args;
  const outcome = cls.parameters.safeParse(args);
  if (outcome.success) return outcome.data as JsonObject;
  const issue = outcome.error.issues[0];
  const pointer = (issue?.path ?? []).map((part) => `/${String(part)}`).join("");
  throw new ToolError("INVALID_PARAM", issue?.message ?? "invalid", { pointer });
}

function failed(tool: Tool, { signal }: RunOptions, error: unknown): ToolResult {
  if (isToolError(error)) return tool.failure(error.code, error.message, error.details);
  if (signal?.aborted) return tool.failure("ABORTED", "the call was stopped");
  return createResult({
    status: "error",
    message: error instanceof Error ? error.message : String(error),
    failure: { code: "EXECUTION_ERROR", cause: error },
    stats: { durationMs: 0 },
    context: { tool: tool.name, owner: "test", generation: 1, cwd: ".", args: tool.args },
  });
}
