import { randomUUID } from "node:crypto";
import { type Compaction, compactHistory } from "../agent/compaction.ts";
import { type Control, createControl } from "../agent/control.ts";
import type { TurnOutcome } from "../agent/turn-options.ts";
import { diagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import type { Registry } from "../loading/registry.ts";
import type { Cassettes } from "../model/cassettes.ts";
import { createMaskedModel } from "../model/masked-model.ts";
import type { Model } from "../model/model.ts";
import { openModel } from "../model/open.ts";
import type { HistoryEntry, ToolSummary } from "../sdk/tool.ts";
import { type AgentUsage, compactionOptions, goOn, type Resumption, usageOf } from "./agent-memory.ts";
import { runAgentTurn, type TurnParts } from "./agent-turn.ts";
import type { Generations } from "./generations.ts";
import { messageWords } from "./prompting.ts";
import type { AgentSession, HostSessions } from "./sessions.ts";
import { textSetting } from "./setting-values.ts";

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
  /** What was said so far, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** A turn runs. */
  readonly running: boolean;
  /**
   * One turn, served by the generation that is current when it begins.
   * @throws HostError AGENT_BUSY (usage), ROLE_MISSING, MODEL_UNREACHABLE, MODEL_REFUSED
   */
  run(message: string, options?: { readonly signal?: AbortSignal }): Promise<TurnOutcome>;
  /**
   * Says something to the turn that runs. It takes it at its next checkpoint: what the model was saying is kept as far
   * as it came, and a tool that runs is interrupted. A pause ends.
   * @returns false where no turn runs, which takes nothing: {@link run} does
   */
  intervene(message: string): boolean;
  /** The turn that runs waits at its next checkpoint. @returns false where none runs */
  pause(): boolean;
  /** Ends a pause. @returns false where no turn runs */
  resume(): boolean;
  /** Stops the model and the tool that run, through their signals, and the turn with them. @returns false where none runs */
  stop(): boolean;
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
export interface AgentParts extends TurnParts {
  readonly generations: Generations;
  readonly sessions: HostSessions;
  readonly masker: Masker;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cassettes: Cassettes;
  /** The model that the host was told to use, or was given, above every setting. */
  readonly model: string | Model | undefined;
}

/**
 * Makes an agent.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, MODEL_UNKNOWN, SESSION_UNKNOWN, SESSION_BUSY, SESSION_UNREADABLE
 */
export async function createAgent(parts: AgentParts, options: AgentOptions): Promise<Agent> {
  const found = await parts.sessions.find(options);
  try {
    const first = parts.generations.current.registry(options.profile ?? found?.profile);
    const profile = first.view.profile.id;
    const model = createMaskedModel(await modelOf(parts, first), parts.masker);
    const keep = options.session === "new";
    const session = found ? parts.sessions.forCalls(found) : parts.sessions.begin({ keep, profile, model: model.id });
    const resumed = found && (await goOn(found, { model, words: messageWords(parts.prompts, first, model.protocol) }));
    await announce(parts, { profile, id: session.id });
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
  let running: RunningTurn | undefined;
  const requireIdle = (): void => {
    if (running) throw busy();
  };
  const control = (act: (turn: RunningTurn) => void): boolean => {
    if (running) act(running);
    return running !== undefined;
  };
  const pause = (paused: boolean): boolean =>
    control(({ id: turnId, control: turn }) => {
      if (turn.paused === paused) return;
      if (paused) turn.pause();
      else turn.resume();
      parts.events.emit({ type: "pause", turnId, paused });
    });
  return {
    profile,
    model: { id: model.id, protocol: model.protocol },
    id: session.id,
    ...(resumed ? { resumed } : {}),
    tools: async () => current().summaries(),
    get history() {
      return history.entries();
    },
    get running() {
      return running !== undefined;
    },
    async run(message, { signal } = {}) {
      requireIdle();
      const lease = parts.caller.lease(profile, signal);
      const turn = { id: randomUUID(), control: createControl(lease) };
      running = turn;
      try {
        return await runAgentTurn(parts, lease, { ...turn, message, model, session });
      } finally {
        running = undefined;
        turn.control.close();
        lease.release();
      }
    },
    intervene: (message) => control((turn) => turn.control.intervene(message)),
    pause: () => pause(true),
    resume: () => pause(false),
    stop: () => control((turn) => turn.control.stop()),
    usage: () => usageOf(history, current()),
    async compact({ signal } = {}) {
      requireIdle();
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

/** The turn that an agent is at, as others may act on it. */
interface RunningTurn {
  readonly id: string;
  readonly control: Control;
}

function busy(): Error {
  const message = "a turn of this agent is running";
  return hostError(diagnostic("AGENT_BUSY", { message, hint: "Wait for it, or use intervene()." }), "usage");
}

/** Tells the extensions at `agent_init`. */
async function announce({ caller }: AgentParts, payload: { profile: string; id: string }): Promise<void> {
  const lease = caller.lease(payload.profile);
  try {
    const hooks = lease.generation.hooks(lease.registry);
    if (hooks.has("agent_init")) await hooks.run("agent_init", payload, { agent: undefined, signal: lease.signal });
  } finally {
    lease.release();
  }
}

async function modelOf(parts: AgentParts, registry: Registry): Promise<Model> {
  if (typeof parts.model === "object") return parts.model;
  return await openModel(modelId(parts, registry), { ...parts, settings: registry.view.settings });
}

/** The person's word goes before the profile's, the profile's before the settings', theirs before the environment's. */
export function modelId({ model, env }: Pick<AgentParts, "model" | "env">, { view }: Registry): string | undefined {
  // A model that the host was given, and not told of, has its id itself.
  const asked = typeof model === "object" ? model.id : model;
  return asked ?? view.profile.model ?? textSetting(view.settings, "model") ?? (env.TOOLROOM_MODEL || undefined);
}
