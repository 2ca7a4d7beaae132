import { randomUUID } from "node:crypto";
import { type Compaction, compactHistory, makeRoom } from "../agent/compaction.ts";
import { runTurn, type TurnOptions, type TurnOutcome } from "../agent/turn.ts";
import { type Diagnostic, diagnostic, formatDiagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import type { Registry } from "../loading/registry.ts";
import type { Cassettes } from "../model/cassettes.ts";
import { createMaskedModel } from "../model/masked-model.ts";
import type { Model, ToolDefinition } from "../model/model.ts";
import { openModel } from "../model/open.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { ToolSummary } from "../sdk/tool.ts";
import { type AgentUsage, compactionOptions, goOn, type Resumption, usageOf } from "./agent-memory.ts";
import type { Caller, ProfileLease } from "./calls.ts";
import type { Events } from "./events.ts";
import type { Generations } from "./generations.ts";
import { assemblePrompt, messageWords, toolDefinitions } from "./prompting.ts";
import type { AgentSession, HostSessions } from "./sessions.ts";
import { numberSetting, textSetting } from "./setting-values.ts";

/** What `run` takes besides the message. */
export interface RunOptions {
  /** Default: the host's profile. */
  readonly profile?: string;
  /** Stops the turn. */
  readonly signal?: AbortSignal;
  /** See {@link AgentOptions}. */
  readonly session?: string;
}

/** What an agent is made with. */
export interface AgentOptions {
  /** Default: that of the session that goes on, else the host's. */
  readonly profile?: string;
  /** `none` (the default): kept in memory. `new`: written down. `latest`: goes on with the last one. Else an id of one. */
  readonly session?: string;
}

/** An agent of one profile. It keeps its history, so that a later turn knows the earlier ones. */
export interface Agent {
  readonly profile: string;
  readonly model: { readonly id: string; readonly protocol: Model["protocol"] };
  /** Of its session, also where that is kept in memory only. */
  readonly id: string;
  /** Set where it goes on with a session. */
  readonly resumed?: Resumption;
  /** The tools that it can call now. */
  tools(): Promise<readonly ToolSummary[]>;
  /**
   * One turn, served by the generation that is current when it begins.
   * @throws HostError ROLE_MISSING, MODEL_UNREACHABLE, MODEL_REFUSED
   */
  run(message: string, options?: { readonly signal?: AbortSignal }): Promise<TurnOutcome>;
  usage(): AgentUsage;
  /**
   * Replaces all turns but the last ones by a summary.
   * @returns undefined where there is nothing to summarise
   */
  compact(options?: { readonly signal?: AbortSignal }): Promise<Compaction | undefined>;
  /** Lets others have its session. `host.close()` does it, too. */
  close(): void;
}

/** What agents are made of. */
export interface AgentParts {
  readonly generations: Generations;
  readonly caller: Caller;
  readonly prompts: Prompts;
  readonly events: Events;
  readonly sessions: HostSessions;
  readonly masker: Masker;
  report(item: Diagnostic): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cassettes: Cassettes;
  /** The model that the host was told to use, above every setting. */
  readonly model: string | undefined;
}

/** So many broken files are named where the answering tool is missing; `list` has them all. */
const MAX_SHOWN = 3;

/**
 * Makes an agent.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, MODEL_UNKNOWN, SESSION_UNKNOWN, SESSION_BUSY, SESSION_UNREADABLE
 */
export async function createAgent(parts: AgentParts, options: AgentOptions): Promise<Agent> {
  const found = await parts.sessions.find(options);
  try {
    const first = parts.generations.current.registry(options.profile ?? found?.profile);
    const profile = first.view.profile.id;
    const opened = await openModel(modelId(parts, first), { ...parts, settings: first.view.settings });
    const model = createMaskedModel(opened, parts.masker);
    const keep = options.session === "new";
    const session = found ? parts.sessions.forCalls(found) : parts.sessions.begin({ keep, profile, model: model.id });
    const resumed = found && (await goOn(found, { model, words: messageWords(parts.prompts, first, model.protocol) }));
    return agentOf(parts, { profile, model, session, ...(resumed ? { resumed } : {}) });
  } catch (error) {
    found?.close();
    throw error;
  }
}

/** What all turns of an agent share. */
interface AgentFacts {
  readonly profile: string;
  readonly model: Model;
  readonly session: AgentSession;
  readonly resumed?: Resumption;
}

function agentOf(parts: AgentParts, facts: AgentFacts): Agent {
  const { profile, model, session, resumed } = facts;
  const { history } = session;
  const current = (): Registry => parts.generations.current.registry(profile);
  return {
    profile,
    model: { id: model.id, protocol: model.protocol },
    id: session.id,
    ...(resumed ? { resumed } : {}),
    tools: async () => current().summaries(),
    run: async (message, { signal } = {}) => await runAgentTurn(parts, { ...facts, message, signal }),
    usage: () => usageOf(history, current()),
    async compact({ signal } = {}) {
      const lease = parts.caller.lease(profile, signal);
      try {
        return await compactHistory(history, compactionOptions(parts, lease, model));
      } finally {
        lease.release();
      }
    },
    close: session.close,
  };
}

async function runAgentTurn(
  parts: AgentParts,
  turn: AgentFacts & { readonly message: string; readonly signal: AbortSignal | undefined },
): Promise<TurnOutcome> {
  const { profile, message, session } = turn;
  const { history } = session;
  const lease = parts.caller.lease(profile, turn.signal);
  const turnId = randomUUID();
  const loopData = { iteration: 0, extras: new Map<string, unknown>(), lastResponse: "" };
  parts.events.emit({ type: "turn_start", turnId, profile, message });
  try {
    const outcome = await runOnLease(parts, lease, { ...turn, history, turnId, loopData });
    const { answer, turns, usage, stopped } = outcome;
    await history.turnEnded({ answer, stopped });
    const error = stopped ? { error: stopped } : {};
    parts.events.emit({ type: "turn_end", turnId, answer, iterations: turns, usage, ...error });
    return outcome;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const iterations = loopData.iteration + 1;
    await history.turnEnded({ answer: "", stopped: "failed" });
    parts.events.emit({ type: "turn_end", turnId, answer: "", iterations, usage: {}, error: text });
    throw error;
  } finally {
    lease.release();
  }
}

async function runOnLease(
  parts: AgentParts,
  lease: ProfileLease,
  turn: Pick<TurnOptions, "turnId" | "model" | "history" | "message" | "loopData"> & Pick<AgentFacts, "session">,
): Promise<TurnOutcome> {
  const { caller, prompts, events } = parts;
  const { model, history, turnId, session } = turn;
  const { registry, signal } = lease;
  const { protocol } = model;
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
    run: async (requests) => await caller.runAll(lease, requests, { ...turn, id: turnId, spills: session.spills }),
    words: messageWords(prompts, registry, protocol),
    async makeRoom() {
      const made = await makeRoom(history, compactionOptions(parts, lease, model));
      if (made) events.emit({ type: "compaction", turnId, ...made });
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
export function modelId(parts: Pick<AgentParts, "model" | "env">, { view }: Registry): string | undefined {
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
