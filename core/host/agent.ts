import { randomUUID } from "node:crypto";
import { type Compaction, compactHistory } from "../agent/compaction.ts";
import { type Control, createControl } from "../agent/control.ts";
import { createHistory, type History } from "../agent/history.ts";
import { subordinateSessionId } from "../agent/session-files.ts";
import type { TurnOutcome } from "../agent/turn-options.ts";
import { diagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import type { Registry } from "../loading/registry.ts";
import { createMaskedModel } from "../model/masked-model.ts";
import type { Model } from "../model/model.ts";
import type { Processes } from "../processes/processes.ts";
import { ToolError } from "../sdk/errors.ts";
import type { HistoryEntry, ToolSummary } from "../sdk/tool.ts";
import { type AgentUsage, allUsage, compactionOptions, goOn, type Resumption, usageOf } from "./agent-memory.ts";
import { type ModelParts, modelOf } from "./agent-model.ts";
import { runAgentTurn, type TurnParts } from "./agent-turn.ts";
import { createConversation } from "./audience.ts";
import type { Authorities } from "./authority.ts";
import type { CallLimits } from "./call-limits.ts";
import { createFamily, type Family } from "./family.ts";
import type { Generations } from "./generations.ts";
import { limitedTo, NO_LIMITS, type ToolLimits } from "./limits.ts";
import type { Member, TaskTerms } from "./member.ts";
import type { CostWarning } from "./metering.ts";
import { messageWords } from "./prompting.ts";
import type { Revived, RevivedHold } from "./revived.ts";
import type { AgentSession, HostSessions, SubordinateSession } from "./sessions.ts";
import { createTeam, type Team } from "./team.ts";

/** What `run` takes besides the message. */
export interface RunOptions {
  /** Default: the host's profile. */
  readonly profile?: string;
  /** Stops the turn. */
  readonly signal?: AbortSignal;
  /** See {@link AgentOptions}. */
  readonly session?: string;
  /** See {@link AgentOptions}. */
  readonly allowedTools?: readonly string[];
}

/** What an agent is made with. */
export interface AgentOptions {
  /** Default: that of the session that goes on, else the host's. */
  readonly profile?: string;
  /**
   * The number of a generation that is remembered: all turns are served by it, until the agent is closed. Default: each
   * turn by the one that is current when it begins.
   */
  readonly generation?: number;
  /**
   * Ids or aliases of the tools that it, and whoever works for it, may call at most; absent = all, empty = none. The tool that
   * it answers with is always there.
   */
  readonly allowedTools?: readonly string[];
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
   * One turn, served to its end by one generation: see {@link AgentOptions}.
   * @throws HostError AGENT_BUSY (usage), ROLE_MISSING, MODEL_UNREACHABLE, MODEL_REFUSED
   */
  run(message: string, options?: { readonly signal?: AbortSignal }): Promise<TurnOutcome>;
  /**
   * Says something to the turn that runs. It takes it at its next checkpoint: what the model was saying is kept as far
   * as it came, and a tool that runs is interrupted. A pause ends. Where a subordinate works for the turn, that one is told;
   * where it does not listen any more, the turn is, as soon as it has the answer.
   * @returns false where no turn runs, which takes nothing: {@link run} does
   */
  intervene(message: string): boolean;
  /** The turn that runs waits at its next checkpoint. @returns false where none runs */
  pause(): boolean;
  /** Ends a pause. @returns false where no turn runs */
  resume(): boolean;
  /**
   * Stops the model and the tools that run, its subordinates and what it has running in the background among them, through
   * their signals, the programs that nobody waits for, and the turn with them. @returns false where nothing runs
   */
  stop(): boolean;
  usage(): AgentUsage;
  /**
   * Replaces all turns but the last ones by a summary.
   * @returns undefined where there is nothing to summarise
   */
  compact(options?: { readonly signal?: AbortSignal }): Promise<Compaction | undefined>;
  /** Lets others have its session, and goes of its generation. `host.close()` does it, too. */
  close(): void;
}

/** What agents are made of. */
export interface AgentParts extends TurnParts, ModelParts {
  readonly generations: Generations;
  readonly revived: Revived;
  readonly sessions: HostSessions;
  readonly authorities: Pick<Authorities, "limitsBelow">;
  readonly limits: Pick<CallLimits, "left">;
  readonly processes: Pick<Processes, "open">;
  readonly masker: Masker;
}

/**
 * Makes an agent.
 * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, MODEL_UNKNOWN, SESSION_UNKNOWN, SESSION_BUSY, SESSION_UNREADABLE,
 * GENERATION_UNKNOWN
 */
export async function createAgent(parts: AgentParts, options: AgentOptions): Promise<Agent> {
  const { agent } = await makeAgent(parts, options);
  return agent;
}

/** A place below another agent. */
interface Rank {
  readonly place: SubordinateSession;
  readonly family: Family;
}

/** The agent as a person holds it, and as its superior does. @param rank set for a subordinate */
async function makeAgent(parts: AgentParts, options: AgentOptions, rank?: Rank): Promise<MadeAgent> {
  const { place, family = createFamily() } = rank ?? {};
  const found = await parts.sessions.find(options);
  let earlier: RevivedHold | undefined;
  try {
    if (place && found && found.parent !== place.parent) throw foreignSession(place);
    earlier = options.generation === undefined ? undefined : parts.revived.hold(options.generation);
    const first = (earlier?.generation ?? parts.generations.current).registry(options.profile ?? found?.profile);
    const profile = first.view.profile.id;
    const model = createMaskedModel(await modelOf(parts, first), parts.masker);
    const keep = options.session === "new";
    const session = found
      ? parts.sessions.forCalls(found)
      : parts.sessions.begin({ keep, profile, model: model.id, ...(place ? { subordinate: place } : {}) });
    const resumed = found && (await goOn(found, { model, words: messageWords(parts.prompts, first, model.protocol) }));
    await announce(parts, { profile, id: session.id }, earlier);
    for (const id of session.history.subordinates.keys()) {
      family.add(parts.sessions.left(subordinateSessionId(session.id, id)));
    }
    return agentOf(parts, {
      profile,
      model,
      session: { ...session, spills: family.join(session.spills) },
      place,
      family,
      earlier,
      keep: keep || found !== undefined,
      limits: limitedTo(options.allowedTools),
      ...(resumed ? { resumed } : {}),
    });
  } catch (error) {
    earlier?.release();
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
  /** It is written down. */
  readonly keep: boolean;
  readonly place: SubordinateSession | undefined;
  readonly family: Family;
  /** The generation that it stays with. */
  readonly earlier: RevivedHold | undefined;
  /** Of an agent that a person talks to; a subordinate is given some with each task. */
  readonly limits: ToolLimits;
}

/** An agent, as a person holds it, and as its superior does. */
interface MadeAgent {
  readonly agent: Agent;
  readonly member: Member;
}

function agentOf(parts: AgentParts, facts: AgentFacts): MadeAgent {
  const { profile, model, session, resumed, place, family, keep, earlier, limits } = facts;
  const { history } = session;
  const team = teamOf(parts, { place, family, session: session.id, memory: history, keep, earlier });
  const conversation = createConversation({ session: session.id, kept: keep, isCall: false });
  const processes = parts.processes.open();
  /** Whoever works for it, and the programs that it has running. @returns whether anything was stopped */
  const stopOthers = (reason: ToolError): boolean => {
    const stopped = processes.stop();
    return team.stop(reason) || stopped;
  };
  const current = (): Registry => (earlier?.generation ?? parts.generations.current).registry(profile);
  const leaseFor = (signal: AbortSignal | undefined) =>
    parts.caller.lease(profile, { signal, generation: earlier?.generation });
  let running: RunningTurn | undefined;
  const requireIdle = (): void => {
    if (running) throw busy();
  };
  const control = (act: (turn: RunningTurn) => void): boolean => {
    if (running) act(running);
    return running !== undefined;
  };
  const hold = (paused: boolean): void => {
    team.hold(paused);
    if (paused) running?.control.pause();
    else running?.control.resume();
  };
  const pause = (paused: boolean): boolean =>
    control(({ id: turnId, control: turn }) => {
      if (turn.paused === paused) return;
      hold(paused);
      parts.events.emit({ type: "pause", turnId, paused });
    });
  const intervene = (message: string): boolean =>
    control(({ control: turn }) => {
      hold(false);
      const heard = team.intervene(message);
      if (heard === "none") turn.intervene(message);
      else if (heard === "late") turn.hand(message);
    });
  const run = async (message: string, signal?: AbortSignal, terms?: TaskTerms): Promise<TurnOutcome> => {
    requireIdle();
    const lease = leaseFor(signal);
    const turn = { id: randomUUID(), control: createControl(lease) };
    running = turn;
    if (terms?.paused()) hold(true);
    // Whoever stops the agent stops what it has running besides.
    turn.control.stopSignal.addEventListener("abort", () => void stopOthers(turn.control.stopped ?? STOPPED));
    const unheard = terms?.handUp ?? ((said: string) => history.addUser(said, "intervention"));
    try {
      const parties = { session, team, processes, conversation, terms, limits };
      return await runAgentTurn(parts, lease, { ...turn, ...parties, message, model, unheard });
    } finally {
      running = undefined;
      // Those of a subordinate are held, and let go, with its superior.
      if (!place) team.hold(false);
      for (const said of turn.control.close()) unheard(said);
      lease.release();
    }
  };
  const actionsLeft = (): number | null => {
    const { profiles } = parts.authorities.limitsBelow(current(), NO_LIMITS);
    return parts.limits.left(session.id, profiles) ?? null;
  };
  const close = (): void => {
    team.close();
    conversation.approved = undefined;
    processes.close();
    earlier?.release();
    session.close();
  };
  const agent: Agent = {
    profile,
    model: { id: model.id, protocol: model.protocol },
    id: session.id,
    ...(resumed ? { resumed } : {}),
    async tools() {
      const registry = current();
      const { refusal } = await parts.caller.authority({ registry }, { isDelegate: place !== undefined, limits });
      return registry.summaries().filter((tool) => !refusal(tool.id));
    },
    get history() {
      return history.entries();
    },
    get running() {
      return running !== undefined;
    },
    run: async (message, { signal } = {}) => await run(message, signal),
    intervene,
    pause: () => pause(true),
    resume: () => pause(false),
    stop() {
      const stopped = stopOthers(STOPPED);
      return control((turn) => turn.control.stop()) || stopped;
    },
    usage: () => ({ ...usageOf({ history, team }, current()), actionsLeft: actionsLeft() }),
    async compact({ signal } = {}) {
      requireIdle();
      const lease = leaseFor(signal);
      try {
        const { policy } = await parts.caller.authority(lease, { isDelegate: place !== undefined });
        const { settings } = lease.registry.view;
        // No turn runs that a warning could belong to.
        const warn = ({ code, message }: CostWarning): void => parts.report(diagnostic(code, { message }));
        const metered = parts.metering.model(model, { policy, settings, warn });
        return await compactHistory(history, compactionOptions(parts, lease, metered));
      } finally {
        lease.release();
      }
    },
    close,
  };
  const work: Member["work"] = async (message, terms) => await run(message, terms.signal, terms);
  return {
    agent,
    member: { profile, work, intervene, hold, stop: stopOthers, usage: () => allUsage({ history, team }), close },
  };
}

/** Who works for a call without an agent: for as long as it takes, and written down nowhere. */
export function createLoneTeam(parts: AgentParts, session: string): Team {
  const memory = createHistory({ masker: parts.masker });
  return teamOf(parts, { place: undefined, family: createFamily(), session, memory, keep: false, earlier: undefined });
}

interface TeamFacts extends Pick<AgentFacts, "place" | "family" | "keep" | "earlier"> {
  readonly session: string;
  readonly memory: History;
}

function teamOf(parts: AgentParts, { place, family, session, memory, keep, earlier }: TeamFacts): Team {
  const generation = earlier?.generation.number;
  return createTeam({
    agent: place?.agent,
    depth: place?.depth ?? 0,
    session,
    memory,
    requireProfile: (id) => void (earlier?.generation ?? parts.generations.current).registry(id),
    async make({ profile, session: below, resume }) {
      const choice = resume ? below.id : keep ? "new" : "none";
      const options = { profile, session: choice, ...(generation === undefined ? {} : { generation }) };
      return (await makeAgent(parts, options, { place: below, family })).member;
    },
  });
}

const STOPPED = new ToolError("STOPPED", "The turn was stopped.");

/** The turn that an agent is at, as others may act on it. */
interface RunningTurn {
  readonly id: string;
  readonly control: Control;
}

function foreignSession({ id, parent }: SubordinateSession): Error {
  const message = `the session ${id} is not one of a subordinate of ${parent}`;
  return hostError(diagnostic("SESSION_UNKNOWN", { message, hint: "Begin with a new subordinate." }));
}

function busy(): Error {
  const message = "a turn of this agent is running";
  return hostError(diagnostic("AGENT_BUSY", { message, hint: "Wait for it, or use intervene()." }), "usage");
}

/** Tells the extensions at `agent_init`. */
async function announce(
  { caller }: AgentParts,
  payload: { profile: string; id: string },
  earlier: RevivedHold | undefined,
): Promise<void> {
  const lease = caller.lease(payload.profile, { generation: earlier?.generation });
  try {
    const hooks = lease.generation.hooks(lease.registry);
    if (hooks.has("agent_init")) await hooks.run("agent_init", payload, { agent: undefined, signal: lease.signal });
  } finally {
    lease.release();
  }
}
