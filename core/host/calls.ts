import { randomUUID } from "node:crypto";
import type { ToolRequest } from "../agent/extract.ts";
import { isOn } from "../discovery/settings.ts";
import type { CallWatch } from "../dispatch/batch.ts";
import type { Dispatcher } from "../dispatch/dispatch.ts";
import type { CallAudit, DispatchEnvironment } from "../dispatch/environment.ts";
import { parseToolName } from "../dispatch/request.ts";
import type { WeighedCall } from "../dispatch/weigh.ts";
import type { HostLog } from "../governance/log.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import type { Secrets } from "../governance/secrets.ts";
import { Taint } from "../governance/taint.ts";
import type { Registry } from "../loading/registry.ts";
import type { AgentProcesses } from "../processes/agent-processes.ts";
import { ToolError } from "../sdk/errors.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { LoopData, ToolAgent } from "../sdk/tool.ts";
import type { Workspace } from "../sdk/workspace.ts";
import { createAudience, createConversation, waitedMs } from "./audience.ts";
import type { HostAudit } from "./audit.ts";
import type { Authorities, Authority } from "./authority.ts";
import { createCallAgent, createCheckpoint } from "./call-agent.ts";
import type { CallLimits } from "./call-limits.ts";
import { type CallScope, scopeOf, type TurnContext, teamScopeOf } from "./call-scope.ts";
import { createDispatchLease } from "./dispatch-lease.ts";
import type { Events } from "./events.ts";
import type { FileAccess } from "./file-access.ts";
import type { Gate } from "./gate.ts";
import type { Generation } from "./generation.ts";
import type { Generations, Lease } from "./generations.ts";
import type { JobRun } from "./job-entry.ts";
import { limitedTo, NO_LIMITS, type ToolLimits } from "./limits.ts";
import { processesFor } from "./process-access.ts";
import { type HostReceipts, RECEIPTS } from "./receipts.ts";
import type { Revived } from "./revived.ts";
import type { HostSessions } from "./sessions.ts";
import { numberSetting } from "./setting-values.ts";
import { type Others, outside, type ServedCall, type Team, type TeamScope, withoutPlace } from "./team.ts";

/** What `call` takes besides the name and the arguments. */
export interface CallOptions {
  /** Default: the host's profile. */
  readonly profile?: string;
  /** Stops the call. */
  readonly signal?: AbortSignal;
  /** Ids or aliases that may be called; absent = all. */
  readonly allowedTools?: readonly string[];
  /** The number of a generation that is remembered. Default: the one that serves. */
  readonly generation?: number;
}

/** How a lease is taken. */
export interface LeaseOptions {
  /** Stops what runs on it. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the current one. */
  readonly generation?: Generation | undefined;
}

/** What serves a call, or all calls of a turn, to its end: one generation and the registry of one profile. */
export interface ProfileLease extends Lease {
  readonly registry: Registry;
}

/** Runs calls through dispatch. */
export interface Caller {
  /**
   * Takes hold of a generation for one profile; the taker releases it.
   * @throws HostError HOST_CLOSED, PROFILE_UNKNOWN, PROFILE_DISABLED
   */
  lease(profile: string | undefined, options?: LeaseOptions): ProfileLease;
  /**
   * One call of its own, without an agent. `args` as text must be JSON.
   * @throws HostError GENERATION_UNKNOWN (usage), and what `lease` throws
   */
  call(name: string, args: JsonObject | string, options?: CallOptions): Promise<ToolResult>;
  /** Does something for an agent without a turn, as extensions see it. */
  withAgent<T>(lease: ProfileLease, work: (agent: ToolAgent) => Promise<T>): Promise<T>;
  /** See {@link CallerOptions}. */
  settle(): Promise<void> | undefined;
  /** The requests of one reply, in order. @param watch judges them as they come */
  runAll(
    lease: ProfileLease,
    requests: readonly ToolRequest[],
    options: { readonly turn: TurnContext; readonly watch?: CallWatch },
  ): Promise<readonly ToolResult[]>;
  /** The agent of a turn, as its tools and extensions see it. */
  agent(lease: ProfileLease, turn: TurnContext): ToolAgent;
  /** What somebody may do who is served by a lease. @param options.isDelegate it works for another one */
  authority(
    lease: Pick<ProfileLease, "registry">,
    options?: { readonly isDelegate?: boolean; readonly face?: string; readonly limits?: ToolLimits },
  ): Authority | Promise<Authority>;
  /**
   * What the policy would judge of a call, whatever lists say of it.
   * @throws ToolError UNKNOWN_TOOL, TOOL_LOAD_FAILED, INVALID_JSON, INVALID_PARAM
   */
  weigh(
    lease: ProfileLease,
    authority: Authority,
    request: { readonly name: string; readonly args: JsonObject | string | undefined },
  ): Promise<WeighedCall>;
  /** The argument schema of a tool; null where it accepts any object or is not known. */
  parameters(name: string, options?: { readonly profile?: string }): Promise<JsonSchema | null>;
}

/** What {@link createCaller} joins. */
export interface CallerOptions {
  readonly generations: Generations;
  readonly revived: Revived;
  readonly dispatcher: Dispatcher;
  readonly workspace: Workspace;
  readonly log: HostLog;
  readonly secrets: Pick<Secrets, "masker" | "reveal">;
  readonly guard: ProcessGuard | undefined;
  readonly events: Events;
  readonly sessions: Pick<HostSessions, "callSpills">;
  readonly authorities: Authorities;
  readonly gate: Gate;
  readonly fileAccess: FileAccess;
  /** Of calls without an agent. */
  readonly processes: AgentProcesses;
  readonly receipts: Pick<HostReceipts, "enterFor">;
  readonly limits: Pick<CallLimits, "aside" | "stopped">;
  readonly audit: Pick<HostAudit, "noteFor">;
  readonly face: string;
  /** Waits until what a call has loaded is watched; undefined where nothing is to be waited for. */
  settle?(): Promise<void> | undefined;
  /** The team of a call without an agent. */
  createTeam(session: string): Team;
}

/** The way of a host's calls into dispatch. */
export function createCaller(options: CallerOptions): Caller {
  const { generations, dispatcher, events, authorities, gate } = options;
  const lease = (profile: string | undefined, { signal, generation: wanted }: LeaseOptions = {}): ProfileLease => {
    const held = generations.lease(signal, wanted);
    try {
      const { generation, signal: stop, release } = held;
      // Field by field, as below.
      return { generation, signal: stop, release, registry: generation.registry(profile) };
    } catch (error) {
      held.release();
      throw error;
    }
  };

  const standing = new WeakMap<Registry, Standing>();
  const environmentOf = (held: ProfileLease, scope: CallScope): DispatchEnvironment => {
    const { registry } = held;
    let base = standing.get(registry);
    if (!base) {
      base = standingOf(options, held);
      standing.set(registry, base);
    }
    const { id, history, control, spills, seen, loopData, authority, audience, taint, agent: of } = scope;
    // Field by field: a spread of this many costs several times as much.
    return {
      lease: base.lease,
      workspace: base.workspace,
      hooks: base.hooks,
      log: base.log,
      masker: base.masker,
      reveal: base.reveal,
      guard: base.guard,
      face: authority.face,
      settings: base.settings,
      authorise: (call) => gate.authorise(call, scope),
      readUntrusted: (tool) => taint.add(tool),
      mapError: base.mapError,
      report: base.report,
      agent: agentOf(held, scope),
      signal: control?.signal ?? held.signal,
      checkpoint: createCheckpoint({ signal: held.signal, control }),
      forCall: (call) => serve(call, held, scope),
      // While a person is asked, no deadline of the turn runs: that of a superior's call, for example.
      heldMs: () => (control?.heldMs() ?? 0) + waitedMs(audience),
      loopData,
      halted: options.limits.stopped,
      refusal: authority.refusal,
      history: scope.calls ?? history,
      audit: auditOf(scope, registry),
      ledger: base.hasReceipts ? options.receipts.enterFor(id, of?.id) : undefined,
      spill: spills.spill,
      readable: spills.readable,
      files: () => options.fileAccess(authority.policy),
      seen,
      processes: (call) =>
        processesFor(call, {
          ...{ policy: authority.policy, fileAccess: options.fileAccess, guard: options.guard },
          ...{ processes: scope.processes, spills },
        }),
      on: (event) => {
        if (events.isHeard(event.type)) events.emit({ ...event, turnId: id, ...(of ? { agent: of } : {}) });
      },
    };
  };
  const auditOf = ({ id, session, agent }: CallScope, { view }: Registry): CallAudit | undefined =>
    options.audit.noteFor({
      session: session ?? null,
      turn: id,
      agent: `agent.${view.profile.id}`,
      subordinate: agent?.id ?? null,
    });
  const agentOf = (held: ProfileLease, scope: CallScope): ToolAgent => {
    const { registry, signal } = held;
    const { id, history, control, authority, agent } = scope;
    return createCallAgent({
      id,
      face: authority.face,
      registry,
      signal,
      history,
      control,
      authority,
      agent: agent?.id,
      depth: agent?.depth ?? 0,
      others: () => serve({ signal: control?.stopSignal ?? signal }, held, scope),
    });
  };
  const serve = (call: ServedCall, held: ProfileLease, scope: CallScope): Others => {
    const others = outside(options.guard, scope.team().serve(call, teamScope(held, scope)));
    return withoutPlace(others, (work) => options.limits.aside(call.signal, work));
  };
  /** Where a subordinate works, calls come from its superior. */
  const authorityOf: Caller["authority"] = ({ registry }, { isDelegate = false, ...more } = {}) =>
    authorities.of(registry, { face: isDelegate ? DELEGATE : options.face, ...more });
  const teamScope = (held: ProfileLease, scope: CallScope): TeamScope =>
    teamScopeOf(scope, {
      registry: held.registry,
      masker: options.secrets.masker,
      limitsBelow: () => ({ ...authorities.limitsBelow(held.registry, scope.limits), account: scope.account }),
      openJob: (id, signal) => jobRun(held, scope, { id, signal }),
    });
  /** A job outlives the turn that starts it, so it has its own hold on what serves it. */
  const jobRun = (
    { registry, generation }: ProfileLease,
    scope: CallScope,
    { id, signal }: { readonly id: string; readonly signal: AbortSignal },
  ): JobRun => {
    const stayed = generations.isGuest(generation) ? generation : undefined;
    const held = lease(registry.view.profile.id, { signal, generation: stayed });
    const taint = new Taint(scope.taint);
    return {
      signal: held.signal,
      taint,
      async run(request, { control, calls }) {
        // It may begin in a later generation than it was started in: what holds then counts.
        const { face } = scope.authority;
        const authority = await authorities.of(held.registry, { face, limits: scope.limits });
        const environment = environmentOf(held, { ...scope, authority, control, calls, taint, background: id });
        const result = await dispatcher.dispatch(request, environment);
        await options.settle?.();
        return result;
      },
      close: held.release,
    };
  };

  return {
    lease,
    settle: () => options.settle?.(),
    async call(name, args, { profile, signal, allowedTools, generation } = {}) {
      const earlier = generation === undefined ? undefined : options.revived.hold(generation);
      let held: ProfileLease | undefined;
      const { begin, end } = alone(options);
      try {
        held = lease(profile, { signal, generation: earlier?.generation });
        const limits = limitedTo(allowedTools);
        const given = authorityOf(held, { limits });
        const scope = begin(given instanceof Promise ? await given : given, limits);
        const { id } = scope;
        const result = await dispatcher.dispatch({ id, name, args }, environmentOf(held, scope));
        const settling = options.settle?.();
        if (settling) await settling;
        return result;
      } finally {
        const ending = end();
        if (ending) await ending;
        held?.release();
        earlier?.release();
      }
    },
    async withAgent(held, work) {
      const { begin, end } = alone(options);
      try {
        return await work(agentOf(held, begin(await authorityOf(held), NO_LIMITS)));
      } finally {
        await end();
      }
    },
    async runAll(held, requests, { turn, watch }) {
      const results = await dispatcher.dispatchAll(requests, environmentOf(held, scopeOf(turn)), watch);
      await options.settle?.();
      return results;
    },
    agent: (held, turn) => agentOf(held, scopeOf(turn)),
    authority: authorityOf,
    async weigh(held, authority, request) {
      const { begin, end } = alone(options);
      try {
        const scope = begin({ ...authority, refusal: () => undefined }, NO_LIMITS);
        return await dispatcher.weigh(
          { id: scope.id, ...request },
          // What a policy says it says also while nothing runs.
          { ...environmentOf(held, scope), halted: undefined },
          authority.policy.values,
        );
      } finally {
        await end();
      }
    },
    async parameters(name, { profile } = {}) {
      const parsed = parseToolName(name);
      const held = lease(profile);
      try {
        const entry = parsed && held.registry.resolve(parsed.name);
        if (!entry) return null;
        const contract = await held.registry.contract(entry);
        return "severity" in contract ? null : contract.parameters;
      } finally {
        held.release();
      }
    },
  };
}

/** What belongs to no turn. `end` stops whom it asked, if it asked anybody. */
function alone({ sessions, createTeam, processes }: Pick<CallerOptions, "sessions" | "createTeam" | "processes">): {
  begin(authority: Authority, limits: ToolLimits): CallScope;
  end(): Promise<void> | undefined;
} {
  const id = randomUUID();
  let made: Team | undefined;
  // Few calls ask others.
  const team = (): Team => {
    made ??= createTeam(id);
    return made;
  };
  const end = async (asked: Team): Promise<void> => {
    asked.stop(new ToolError("STOPPED", "the call that started it is over"));
    await asked.settled();
    asked.close();
  };
  const loopData: LoopData = { iteration: -1, extras: new Map(), lastResponse: "" };
  return {
    begin(authority, limits) {
      const audience = createAudience(createConversation({ session: id, kept: false, isCall: true }), authority.face);
      const spills = sessions.callSpills(id);
      return { id, loopData, authority, audience, spills, processes, team, limits, account: LONE, taint: new Taint() };
    },
    end: () => made && end(made),
  };
}

/** What is the same for all calls of one registry, and made once. */
type Standing = Omit<
  DispatchEnvironment,
  | "agent"
  | "signal"
  | "heldMs"
  | "loopData"
  | "halted"
  | "refusal"
  | "authorise"
  | "readUntrusted"
  | "history"
  | "ledger"
  | "audit"
  | "spill"
  | "readable"
  | "files"
  | "seen"
  | "processes"
  | "on"
  | "face"
> & { readonly hasReceipts: boolean };

/** Calls without an agent count together. */
const LONE = "";

/** The face of subordinates. */
const DELEGATE = "delegate";

function standingOf(options: CallerOptions, { generation, registry }: ProfileLease): Standing {
  const { workspace, log, secrets, guard } = options;
  return {
    // A call may run for long: what it is made of is watched meanwhile.
    lease: createDispatchLease(generation, registry, () => void options.settle?.()),
    workspace,
    hooks: generation.hooks(registry),
    log,
    masker: secrets.masker,
    reveal: secrets.reveal,
    guard,
    settings: { timeoutMs: numberSetting(registry.view.settings, "tools.timeoutMs", 120_000) },
    hasReceipts: isOn(registry.view.settings, RECEIPTS),
    mapError: generation.loader.mapError,
    report: generation.report,
  };
}
