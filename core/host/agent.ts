import { randomUUID } from "node:crypto";
import { createHistory, type History } from "../agent/history.ts";
import { runTurn, type TurnOptions, type TurnOutcome } from "../agent/turn.ts";
import { diagnostic, formatDiagnostic, hostError } from "../diagnostics.ts";
import type { Registry } from "../loading/registry.ts";
import type { Model, ToolDefinition } from "../model/model.ts";
import { openModel } from "../model/open.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { ToolSummary } from "../sdk/tool.ts";
import type { Caller, ProfileLease } from "./calls.ts";
import type { Events } from "./events.ts";
import type { Generations } from "./generations.ts";
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
   * @throws HostError ROLE_MISSING, MODEL_UNREACHABLE, MODEL_REFUSED
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

/** So many broken files are named where the answering tool is missing; `list` has them all. */
const MAX_SHOWN = 3;

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
  const { profile, message } = turn;
  const lease = parts.caller.lease(profile, turn.signal);
  const turnId = randomUUID();
  const loopData = { iteration: 0, extras: new Map<string, unknown>(), lastResponse: "" };
  parts.events.emit({ type: "turn_start", turnId, profile, message });
  try {
    const outcome = await runOnLease(parts, lease, { ...turn, turnId, loopData });
    const { answer, turns, usage, stopped } = outcome;
    const error = stopped ? { error: stopped } : {};
    parts.events.emit({ type: "turn_end", turnId, answer, iterations: turns, usage, ...error });
    return outcome;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const iterations = loopData.iteration + 1;
    parts.events.emit({ type: "turn_end", turnId, answer: "", iterations, usage: {}, error: text });
    throw error;
  } finally {
    lease.release();
  }
}

async function runOnLease(
  { caller, prompts, events }: AgentParts,
  lease: ProfileLease,
  turn: Pick<TurnOptions, "turnId" | "model" | "history" | "message" | "loopData">,
): Promise<TurnOutcome> {
  const { registry, signal } = lease;
  const { protocol } = turn.model;
  // Prompt and definitions stay the same for a whole turn.
  const tools = once(async () => await toolDefinitions(registry));
  // A model of the native protocol may answer in plain text; by the JSON protocol only a tool can answer.
  if (protocol === "json") requireAnswer(await tools(), registry);
  return await runTurn({
    ...turn,
    signal,
    maxIterations: numberSetting(registry.view.settings, "agent.maxIterations", 25),
    system: once(async () => (await assemblePrompt(registry, prompts, protocol)).text),
    tools,
    run: async (requests) => await caller.runAll(lease, requests, { ...turn, id: turn.turnId }),
    words: async (file, variables) => {
      const all = { ...promptVariables(registry, protocol), ...variables };
      return (await prompts.render({ view: registry.view, file, variables: all })).text;
    },
    emit: events.emit,
  });
}

/** @throws HostError ROLE_MISSING */
function requireAnswer(tools: readonly ToolDefinition[], registry: Registry): void {
  if (tools.some(({ role }) => role === "answer")) return;
  const broken = registry.entries().flatMap((entry) => registry.state(entry).diagnostics);
  const shown = broken.slice(0, MAX_SHOWN).map(formatDiagnostic).join("; ");
  const more = broken.length > MAX_SHOWN ? ` and ${broken.length - MAX_SHOWN} more` : "";
  const why = broken.length > 0 ? `; these did not load: ${shown}${more}` : "";
  throw hostError(
    diagnostic("ROLE_MISSING", {
      message: `no tool of profile ${registry.view.profile.id} has the role "answer", so nothing can end a turn${why}.`,
      hint: 'Mend or enable the tool that has `static readonly role = "answer"`, or add one.',
    }),
  );
}

/** The person's word goes before the profile's, the profile's before the settings', theirs before the environment's. */
function modelId(parts: AgentParts, { view }: Registry): string | undefined {
  return (
    parts.model ?? view.profile.model ?? textSetting(view.settings, "model") ?? (parts.env.TOOLROOM_MODEL || undefined)
  );
}

/** The answer of the first call for all. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
