import { makeRoom } from "../agent/compaction.ts";
import type { Control } from "../agent/control.ts";
import { createLoopPoints } from "../agent/loop-points.ts";
import type { ReceiptWarning } from "../agent/receipt-claims.ts";
import { runTurn } from "../agent/turn.ts";
import type { TurnOptions, TurnOutcome } from "../agent/turn-options.ts";
import { addUsage, usageSince } from "../agent/usage.ts";
import { type Diagnostic, diagnostic, formatDiagnostic, hostError } from "../diagnostics.ts";
import { isOn } from "../discovery/settings.ts";
import { Taint } from "../governance/taint.ts";
import type { Registry } from "../loading/registry.ts";
import type { Cassettes } from "../model/cassettes.ts";
import { type Model, OFFLINE, type ToolDefinition } from "../model/model.ts";
import type { AgentProcesses } from "../processes/agent-processes.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { EventAgent, HostEvent } from "../sdk/events.ts";
import type { ToolSummary } from "../sdk/tool.ts";
import { compactionOptions } from "./agent-memory.ts";
import { type Conversation, createAudience, endTurn } from "./audience.ts";
import type { HostAudit } from "./audit.ts";
import type { TurnContext } from "./call-scope.ts";
import type { Caller, ProfileLease } from "./calls.ts";
import type { Events } from "./events.ts";
import type { ToolLimits } from "./limits.ts";
import type { TaskTerms } from "./member.ts";
import type { Metering } from "./metering.ts";
import { type Offer, type Offers, providerFor } from "./offers.ts";
import { callableTools, messageWords } from "./prompting.ts";
import { type HostReceipts, RECEIPTS } from "./receipts.ts";
import type { AgentSession } from "./sessions.ts";
import { numberSetting } from "./setting-values.ts";
import { systemPromptOf } from "./system-prompt.ts";
import type { Team } from "./team.ts";

/** What turns need of the host. */
export interface TurnParts {
  readonly caller: Caller;
  readonly prompts: Prompts;
  readonly events: Events;
  readonly offers: Offers;
  readonly receipts: Pick<HostReceipts, "check" | "flush">;
  readonly audit: Pick<HostAudit, "flush">;
  readonly cassettes: Cassettes;
  readonly metering: Metering;
  report(item: Diagnostic): void;
}

/** One turn of an agent. */
export interface AgentTurn {
  readonly id: string;
  readonly message: string;
  readonly model: Model;
  readonly session: AgentSession;
  /** Of this turn; its signal is made of the lease's. */
  readonly control: Control;
  /** Who works for the agent. */
  readonly team: Team;
  /** What it has running. */
  readonly processes: AgentProcesses;
  readonly conversation: Conversation;
  /** Set for a subordinate: what it works for and within. */
  readonly terms: TaskTerms | undefined;
  /** Of an agent that works for nobody. */
  readonly limits: ToolLimits;
  /** Takes what a person said when the turn did not listen any more. */
  unheard(message: string): void;
}

/** So many broken files are named where the answering tool is missing; `list` has them all. */
const MAX_SHOWN = 3;

/**
 * Runs a turn to its end, writes down how it ended, and tells those who listen.
 * @throws HostError ROLE_MISSING, MODEL_UNREACHABLE, MODEL_REFUSED
 */
export async function runAgentTurn(parts: TurnParts, lease: ProfileLease, turn: AgentTurn): Promise<TurnOutcome> {
  const { id: turnId, message, control, session, team } = turn;
  const { history } = session;
  const profile = lease.registry.view.profile.id;
  const agent = eventAgent(turn, profile);
  const events: Pick<Events, "emit"> = agent
    ? { emit: (event) => parts.events.emit({ ...event, agent } as HostEvent) }
    : parts.events;
  const loopData = { iteration: 0, extras: new Map<string, unknown>(), lastResponse: "" };
  const before = history.usage;
  const from = history.items.at(-1)?.n ?? -1;
  events.emit({ type: "turn_start", turnId, profile, message });
  try {
    const outcome = await runOnLease({ ...parts, events }, lease, { turn, loopData, agent });
    await team.settled();
    const { answer, turns, stopped } = outcome;
    for (const claim of await checkClaims(parts, lease, { turn, answer, from })) {
      events.emit({ type: "warning", turnId, ...claim });
    }
    const delegated = team.takeUsage();
    const usage = addUsage(outcome.usage, delegated);
    await history.turnEnded({ answer, stopped, delegated });
    const error = stopped ? { error: stopped } : {};
    events.emit({ type: "turn_end", turnId, answer, iterations: turns, usage, ...error });
    return { ...outcome, usage };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const iterations = loopData.iteration + 1;
    await team.settled();
    for (const said of control.close()) turn.unheard(said);
    const delegated = team.takeUsage();
    const usage = addUsage(usageSince(before, history.usage), delegated);
    await history.turnEnded({ answer: "", stopped: "failed", delegated });
    events.emit({ type: "turn_end", turnId, answer: "", iterations, usage, error: text });
    throw error;
  } finally {
    if (!turn.terms) endTurn(turn.conversation);
    parts.audit.flush();
  }
}

/** What the model said of receipts that is not so; and what was entered in the turn is safe from here on. */
async function checkClaims(
  { receipts, cassettes }: Pick<TurnParts, "receipts" | "cassettes">,
  { registry }: ProfileLease,
  { turn, answer, from }: { readonly turn: AgentTurn; readonly answer: string; readonly from: number },
): Promise<readonly ReceiptWarning[]> {
  if (!isOn(registry.view.settings, RECEIPTS)) return [];
  await receipts.flush();
  const { items } = turn.session.history;
  // By the JSON protocol a reply is a call, and only its answer is said to anybody.
  const said = turn.model.protocol === "native" ? items.filter(({ n, kind }) => n > from && kind === "assistant") : [];
  const spoken = new Set([answer, ...said.map(({ message }) => message.content)]);
  const texts = await Promise.all([...spoken].map(cassettes.withLiveReceipts));
  return await receipts.check({ texts, items, tools: () => registry.summaries().flatMap(namesOf) });
}

function namesOf({ id, aliases }: ToolSummary): readonly string[] {
  return [id, ...aliases];
}

/** What of a turn its events tell. */
function eventAgent({ team, terms }: AgentTurn, profile: string): EventAgent | undefined {
  if (!terms || team.agent === undefined) return undefined;
  return { id: team.agent, profile, depth: team.depth, askedBy: terms.askedBy };
}

interface TurnOnLease {
  readonly turn: AgentTurn;
  readonly loopData: TurnOptions["loopData"];
  readonly agent: EventAgent | undefined;
}

async function runOnLease(
  parts: Omit<TurnParts, "events"> & { readonly events: Pick<Events, "emit"> },
  lease: ProfileLease,
  { turn, loopData, agent: of }: TurnOnLease,
): Promise<TurnOutcome> {
  const { caller, prompts, events, offers } = parts;
  const { id: turnId, message, session, control, team, processes, conversation, terms } = turn;
  const { history, spills, seen } = session;
  const { registry, generation } = lease;
  const { protocol } = turn.model;
  const limits = terms?.limits ?? turn.limits;
  const authority = await caller.authority(lease, { isDelegate: terms !== undefined, limits });
  const model = parts.metering.model(turn.model, {
    policy: authority.policy,
    settings: registry.view.settings,
    warn: (warning) => events.emit({ type: "warning", turnId, ...warning }),
  });
  const maxIterations = Math.min(
    numberSetting(registry.view.settings, "agent.maxIterations", 25),
    terms?.rounds ?? Number.POSITIVE_INFINITY,
  );
  let roundsLeft = maxIterations;
  // The definitions stay the same for a whole turn, the prompt for a round.
  const provider = providerFor(model);
  const callable = once(async () => await callableTools(registry, authority));
  const makeOffer = async (): Promise<Offer> => {
    const made = await offers.of(registry, await callable(), provider);
    for (const item of made.diagnostics) if (item.code === "SCHEMA_REFUSED") generation.report(item);
    return made;
  };
  let offer = once(makeOffer);
  const tools = async () => (await offer()).definitions;
  const refuseTool = async (id: string, words: string): Promise<void> => {
    const refused = (await callable()).tools.find(({ entry }) => entry.id === id);
    if (!refused || provider === undefined) return;
    offers.refuse(refused, provider, words);
    offer = once(makeOffer);
    await offer();
  };
  const toolBytes = once(async () => (protocol === "native" ? Buffer.byteLength(JSON.stringify(await tools())) : 0));
  // A model of the native protocol may answer in plain text; by the JSON protocol only a tool can answer.
  if (protocol === "json") requireAnswer(await tools(), registry);
  const audience = terms?.audience ?? createAudience(conversation, authority.face);
  if (!terms) conversation.turn = audience;
  const context: TurnContext = {
    ...{ id: turnId, history, loopData, spills, seen, processes, control, team, limits, authority },
    account: limits.account ?? session.id,
    audience,
    session: session.id,
    taint: terms?.taint ?? new Taint(),
    agent: of,
    background: terms?.background,
    roundsLeft: () => roundsLeft,
  };
  const hooks = generation.hooks(registry);
  const agent = caller.agent(lease, context);
  const { stopSignal } = control;
  const make = systemPromptOf({
    registry,
    prompts,
    protocol,
    hooks,
    agent,
    signal: stopSignal,
    tools: async () => await offer(),
  });
  const system = oncePerRound(loopData, async () => {
    const { text, diagnostics } = await make();
    // What an author should know is told by `prompt` and `check`; what the model now goes without, here too.
    for (const item of diagnostics) if (item.severity === "error") generation.report(item);
    generation.servePrompt(registry);
    await caller.settle();
    return text;
  });
  const outcome = await runTurn({
    turnId,
    message,
    model,
    history,
    control,
    loopData,
    agent,
    hooks,
    maxIterations,
    onRound: (left) => {
      roundsLeft = left;
    },
    system,
    readsSystem: model.id !== OFFLINE,
    tools,
    refuseTool,
    run: async (requests, watch) => await caller.runAll(lease, requests, { turn: context, watch }),
    words: messageWords(prompts, registry, protocol),
    async makeRoom() {
      if (model.id !== OFFLINE) history.notePrompt(Buffer.byteLength(await system()) + (await toolBytes()));
      const made = await makeRoom(history, compactionOptions(parts, { ...lease, signal: stopSignal }, model));
      if (made) events.emit({ type: "compaction", turnId, ...made });
    },
    emit: events.emit,
  });
  if (agent.context.depth === 0 && !control.stopped) {
    await createLoopPoints(hooks, { agent, stopSignal }).run("process_chain_end", { turnId, answer: outcome.answer });
  }
  return outcome;
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

/** The answer of the first call for all. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The answer of the first call in a round for all of it. */
function oncePerRound<T>(round: { readonly iteration: number }, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly iteration: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (made?.iteration !== round.iteration) made = { iteration: round.iteration, answer: make() };
    return made.answer;
  };
}
