import { randomUUID } from "node:crypto";
import { createHistory, type History } from "../agent/history.ts";
import { runTurn, type TurnOutcome } from "../agent/turn.ts";
import type { Registry } from "../loading/registry.ts";
import type { Model } from "../model/model.ts";
import { openModel } from "../model/open.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { ToolSummary } from "../sdk/tool.ts";
import type { Caller } from "./calls.ts";
import type { Events } from "./events.ts";
import type { Generations } from "./generation.ts";
import { assemblePrompt, promptVariables, toolDefinitions } from "./prompting.ts";
import { numberSetting, textSetting } from "./setting-values.ts";

/** What `run` takes besides the message. */
export interface RunOptions {
  /** Default: the host's profile. */
  readonly profile?: string;
  /** Stops the turn. */
  readonly signal?: AbortSignal;
}

/** An agent of one profile. It keeps its history, so that a later turn knows the earlier ones. */
export interface Agent {
  readonly profile: string;
  readonly model: { readonly id: string; readonly protocol: Model["protocol"] };
  /** The tools that it can call now. */
  tools(): Promise<readonly ToolSummary[]>;
  /**
   * One turn, served by the generation that is current when it begins.
   * @throws HostError MODEL_UNREACHABLE or MODEL_REFUSED
   */
  run(message: string, options?: { readonly signal?: AbortSignal }): Promise<TurnOutcome>;
}

/** What agents are made of. */
export interface AgentParts {
  readonly generations: Generations;
  readonly caller: Caller;
  readonly prompts: Prompts;
  readonly events: Events;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The model that the host was told to use, above every setting. */
  readonly model: string | undefined;
}

/**
 * Makes an agent.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, MODEL_UNKNOWN
 */
export async function createAgent(parts: AgentParts, options: { readonly profile?: string }): Promise<Agent> {
  const first = parts.generations.current.registry(options.profile);
  const profile = first.view.profile.id;
  const model = await openModel(modelId(parts, first), { env: parts.env, settings: first.view.settings });
  const history = createHistory();
  return {
    profile,
    model: { id: model.id, protocol: model.protocol },
    tools: async () => parts.generations.current.registry(profile).summaries(),
    run: async (message, { signal } = {}) => await runAgentTurn(parts, { profile, model, history, message, signal }),
  };
}

async function runAgentTurn(
  parts: AgentParts,
  turn: { profile: string; model: Model; history: History; message: string; signal: AbortSignal | undefined },
): Promise<TurnOutcome> {
  const { caller, prompts, events } = parts;
  const { profile, model, history, message } = turn;
  const lease = caller.lease(profile);
  const { registry } = lease;
  const turnId = randomUUID();
  const signal = turn.signal ?? new AbortController().signal;
  const loopData = { iteration: 0, extras: new Map<string, unknown>(), lastResponse: "" };
  const definitions = once(async () => await toolDefinitions(registry));
  const system = once(async () => (await assemblePrompt(registry, prompts, model.protocol)).text);
  const context = { id: turnId, message, history, loopData, signal };

  events.emit({ type: "turn_start", turnId, profile, message });
  try {
    const outcome = await runTurn({
      turnId,
      model,
      history,
      message,
      signal,
      loopData,
      maxIterations: numberSetting(registry.view.settings, "agent.maxIterations", 25),
      system,
      tools: definitions,
      run: async (requests) => await caller.runAll(lease, requests, context),
      words: async (file, variables) => {
        const { text } = await prompts.render({
          view: registry.view,
          file,
          variables: { ...promptVariables(registry, model.protocol), ...variables },
        });
        return text;
      },
      emit: events.emit,
    });
    events.emit({
      type: "turn_end",
      turnId,
      answer: outcome.answer,
      iterations: outcome.turns,
      usage: outcome.usage,
      ...(outcome.stopped ? { error: outcome.stopped } : {}),
    });
    return outcome;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    events.emit({ type: "turn_end", turnId, answer: "", iterations: loopData.iteration + 1, usage: {}, error: text });
    throw error;
  }
}

/** The person's word goes before the profile's, the profile's before the settings', theirs before the environment's. */
function modelId(parts: AgentParts, { view }: Registry): string | undefined {
  return (
    parts.model ?? view.profile.model ?? textSetting(view.settings, "model") ?? (parts.env.TOOLROOM_MODEL || undefined)
  );
}

/** The answer of the first call for all: prompt and definitions stay the same for a whole turn. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
