import { type Control, createControl } from "../../core/agent/control.ts";
import { createHistory, type History } from "../../core/agent/history.ts";
import { runTurn } from "../../core/agent/turn.ts";
import type { TurnOptions, TurnOutcome } from "../../core/agent/turn-options.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { ToolDefinition } from "../../core/model/model.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import type { ToolAgent } from "../../core/sdk/tool.ts";
import { AGENT, type WorkbenchOptions, workbench } from "../dispatch/workbench.ts";
import { type ScriptedModel, type ScriptStep, scriptedModel } from "../helpers/scripted-model.ts";

/** What {@link turnBench} takes besides what a workbench does. */
export interface TurnBenchOptions extends Pick<WorkbenchOptions, "tools" | "hooks" | "fallback"> {
  readonly replies: readonly (readonly ScriptStep[])[];
  readonly protocol?: "native" | "json";
  readonly turn?: Partial<TurnOptions>;
}

/** One turn over a scripted model and tools in memory, through the real loop and the real dispatch. */
export interface TurnBench {
  readonly model: ScriptedModel;
  readonly history: History;
  readonly control: Control;
  readonly events: HostEvent[];
  readonly found: Diagnostic[];
  /** Codes and words of the warnings so far. */
  warnings(): string[];
  run(message?: string): Promise<TurnOutcome>;
}

export function turnBench({ replies, protocol = "native", turn = {}, ...options }: TurnBenchOptions): TurnBench {
  const model = scriptedModel(replies, { protocol });
  const control = createControl({ signal: new AbortController().signal });
  const history = createHistory();
  const events: HostEvent[] = [];
  const bench = workbench({ ...options, env: { on: (event) => void events.push({ ...event, turnId: "t" }) } });
  const agent: ToolAgent = {
    ...AGENT,
    async handleIntervention() {
      await control.checkpoint();
    },
  };
  const tools = Object.keys(options.tools ?? {}).map(
    (name): ToolDefinition => ({
      name,
      description: "",
      parameters: { type: "object" },
      ...(name === "answer" ? { role: "answer" } : {}),
    }),
  );
  return {
    model,
    history,
    control,
    events,
    found: bench.found,
    warnings: () => events.flatMap((event) => (event.type === "warning" ? [`${event.code} ${event.message}`] : [])),
    run: async (message = "go") =>
      await runTurn({
        turnId: "t",
        model,
        history,
        message,
        control,
        agent,
        hooks: bench.env.hooks,
        maxIterations: 25,
        loopData: { iteration: 0, extras: new Map(), lastResponse: "" },
        system: async () => "system",
        tools: async () => tools,
        run: async (requests, watch) => {
          const env = { ...bench.env, agent, history, signal: control.signal, heldMs: control.heldMs };
          return await bench.dispatcher.dispatchAll(requests, env, watch);
        },
        words: async (file, variables) => `${file} ${JSON.stringify(variables)}`,
        emit: (event) => void events.push(event),
        ...turn,
      }),
  };
}

/** The history in short: who said what. */
export function told({ messages }: History): string[] {
  return messages.map((message) => {
    if (message.role === "tool") return `tool ${message.toolName}: ${message.content}`;
    const calls = message.role === "assistant" ? (message.toolCalls ?? []).map(({ name }) => ` →${name}`).join("") : "";
    return `${message.role}: ${message.content}${calls}`;
  });
}
