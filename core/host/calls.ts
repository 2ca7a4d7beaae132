import { randomUUID } from "node:crypto";
import type { Control } from "../agent/control.ts";
import type { ToolRequest } from "../agent/extract.ts";
import type { History } from "../agent/history.ts";
import type { CallWatch } from "../dispatch/batch.ts";
import type { Dispatcher } from "../dispatch/dispatch.ts";
import type { DispatchEnvironment, DispatchLease, DispatchTarget } from "../dispatch/environment.ts";
import { parseToolName } from "../dispatch/request.ts";
import type { HostLog } from "../governance/log.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import type { Secrets } from "../governance/secrets.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { LoopData, SkillSummary, ToolAgent, ToolSummary } from "../sdk/tool.ts";
import type { Workspace } from "../sdk/workspace.ts";
import type { Events } from "./events.ts";
import type { Generation } from "./generation.ts";
import type { Generations, Lease } from "./generations.ts";
import type { CallSpills, HostSessions } from "./sessions.ts";
import { numberSetting } from "./setting-values.ts";

/** What `call` takes besides the name and the arguments. */
export interface CallOptions {
  /** Default: the host's profile. */
  readonly profile?: string;
  /** Stops the call. */
  readonly signal?: AbortSignal;
  /** Ids or aliases that may be called; absent = all. */
  readonly allowedTools?: readonly string[];
}

/** What serves a call, or all calls of a turn, to its end: one generation and the registry of one profile. */
export interface ProfileLease extends Lease {
  readonly registry: Registry;
}

/** The turn that a call belongs to. */
export interface TurnContext {
  readonly id: string;
  readonly history: History;
  readonly loopData: LoopData;
  readonly spills: CallSpills;
  readonly control: Control;
}

/** Runs calls through dispatch. */
export interface Caller {
  /**
   * Takes hold of the current generation for one profile; the taker releases it.
   * @throws HostError HOST_CLOSED, PROFILE_UNKNOWN, PROFILE_DISABLED
   */
  lease(profile: string | undefined, signal?: AbortSignal): ProfileLease;
  /** One call of its own, without an agent. `args` as text must be JSON. */
  call(name: string, args: JsonObject | string, options?: CallOptions): Promise<ToolResult>;
  /** The requests of one reply, in order. @param watch judges them as they come */
  runAll(
    lease: ProfileLease,
    requests: readonly ToolRequest[],
    options: { readonly turn: TurnContext; readonly watch?: CallWatch },
  ): Promise<readonly ToolResult[]>;
  /** The agent of a turn, as its tools and extensions see it. */
  agent(lease: ProfileLease, turn: TurnContext): ToolAgent;
  /** The argument schema of a tool; null where it accepts any object or is not known. */
  parameters(name: string, options?: { readonly profile?: string }): Promise<JsonSchema | null>;
}

/** What {@link createCaller} joins. */
export interface CallerOptions {
  readonly generations: Generations;
  readonly dispatcher: Dispatcher;
  readonly workspace: Workspace;
  readonly log: HostLog;
  readonly secrets: Pick<Secrets, "masker" | "reveal">;
  readonly guard: ProcessGuard | undefined;
  readonly events: Events;
  readonly sessions: Pick<HostSessions, "callSpills">;
  readonly face: string;
}

/** The way of a host's calls into dispatch. */
export function createCaller(options: CallerOptions): Caller {
  const { generations, dispatcher } = options;
  const lease = (profile: string | undefined, signal?: AbortSignal): ProfileLease => {
    const held = generations.lease(signal);
    try {
      return { ...held, registry: held.generation.registry(profile) };
    } catch (error) {
      held.release();
      throw error;
    }
  };

  return {
    lease,
    async call(name, args, { profile, signal, allowedTools } = {}) {
      const held = lease(profile, signal);
      try {
        const loopData: LoopData = { iteration: -1, extras: new Map(), lastResponse: "" };
        const id = randomUUID();
        const spills = options.sessions.callSpills(id);
        const environment = environmentOf(options, held, { id, loopData, allowedTools, spills });
        return await dispatcher.dispatch({ id, name, args }, environment);
      } finally {
        held.release();
      }
    },
    async runAll(held, requests, { turn, watch }) {
      return await dispatcher.dispatchAll(requests, environmentOf(options, held, turn), watch);
    },
    agent: (held, turn) => agentOf(held, { face: options.face, scope: turn }),
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

interface CallScope {
  readonly id: string;
  readonly loopData: LoopData;
  readonly spills: CallSpills;
  readonly history?: History;
  readonly control?: Control;
  readonly allowedTools?: readonly string[] | undefined;
}

function environmentOf(options: CallerOptions, held: ProfileLease, scope: CallScope): DispatchEnvironment {
  const { workspace, log, secrets, guard, events, face } = options;
  const { generation, registry } = held;
  const { settings } = registry.view;
  const { history, spills, control } = scope;
  return {
    lease: leaseOf(generation, registry),
    agent: agentOf(held, { face, scope }),
    workspace,
    hooks: generation.hooks(registry),
    log,
    masker: secrets.masker,
    reveal: secrets.reveal,
    guard,
    signal: control?.signal ?? held.signal,
    ...(control ? { heldMs: control.heldMs } : {}),
    loopData: scope.loopData,
    face,
    settings: { timeoutMs: numberSetting(settings, "tools.timeoutMs", 120_000) },
    allowedTools: scope.allowedTools,
    ...(history ? { history } : {}),
    spill: spills.spill,
    readable: spills.readable,
    // Without a rule that says otherwise, what a person or an agent asks for runs.
    authorise: () => ({ run: true }),
    mapError: (error) => generation.loader.mapError(error),
    on: (event) => events.emit({ ...event, turnId: scope.id }),
    report: generation.report,
  };
}

function leaseOf(generation: Generation, registry: Registry): DispatchLease {
  const targetOf = (entry: ToolEntry): DispatchTarget => ({
    id: entry.id,
    owner: entry.owner,
    path: entry.candidate.path,
    load: async () => await registry.load(entry),
    config: () => (entry.candidate.plugin === undefined ? {} : registry.view.pluginConfig(entry.candidate.plugin)),
    async isParallel() {
      const contract = await registry.contract(entry);
      return !("severity" in contract) && contract.parallel === "safe";
    },
  });
  return {
    generation: generation.number,
    resolve: (name) => {
      const entry = registry.resolve(name);
      return entry && targetOf(entry);
    },
    fallback: async () => {
      const entry = await registry.byRole("fallback");
      return entry && targetOf(entry);
    },
    names: registry.summaries,
    onDispose: generation.onDispose,
  };
}

function agentOf({ registry, signal }: ProfileLease, { face, scope }: { face: string; scope: CallScope }): ToolAgent {
  const { view } = registry;
  const { allowedTools, control } = scope;
  // What the call may not use is not offered to it either.
  const isAllowed = ({ id, aliases }: ToolSummary): boolean =>
    !allowedTools || [id, ...aliases].some((name) => allowedTools.includes(name));
  return {
    profile: view.profile.id,
    context: { id: scope.id, face, project: view.project, depth: 0 },
    get history() {
      return scope.history?.entries() ?? [];
    },
    config: view.settings.values,
    tools: async () => registry.summaries().filter(isAllowed),
    skills: async () => skillsOf(registry),
    async handleIntervention() {
      signal.throwIfAborted();
      await control?.checkpoint();
    },
  };
}

function skillsOf({ view }: Registry): readonly SkillSummary[] {
  return view.catalog.list("skill").flatMap(({ id, winner }) => {
    if (!winner) return [];
    const { name, description } = view.skill(winner);
    return [{ id, name, description, directory: winner.file.replace(/[\\/][^\\/]*$/u, ""), plugin: winner.plugin }];
  });
}
