import type { Control } from "../agent/control.ts";
import type { CallRef } from "../dispatch/environment.ts";
import type { Masker } from "../governance/mask.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import type { Taint } from "../governance/taint.ts";
import type { Registry } from "../loading/registry.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Usage } from "../sdk/events.ts";
import type { ToolAgent } from "../sdk/tool.ts";
import type { Audience } from "./audience.ts";
import type { Authority } from "./authority.ts";
import type { JobRun } from "./job-entry.ts";
import { checkJobRequests } from "./job-requests.ts";
import { createJobs, type JobMemory } from "./jobs.ts";
import type { ToolLimits } from "./limits.ts";
import { numberSetting } from "./setting-values.ts";
import { createSubordinates, type SubordinatesOptions } from "./subordinates.ts";

/** What an agent can ask of others. */
export type Others = Pick<ToolAgent, "delegate" | "jobs">;

/** The call that asks; without an id what an extension asks. */
export type ServedCall = Omit<CallRef, "id" | "tool"> & Partial<CallRef>;

/** What works for one agent: its subordinates, and its calls in the background. */
export interface Team {
  /** How its own superior names the agent; undefined for the one that a person talks to. */
  readonly agent: string | undefined;
  readonly depth: number;
  /** What the agent can ask of others in one call. */
  serve(call: ServedCall, scope: TeamScope): Others;
  /** Says something to whoever works while the agent waits; see {@link createSubordinates}. */
  intervene(message: string): "taken" | "late" | "none";
  hold(paused: boolean): void;
  /** What subordinates have used that nobody has taken yet. */
  usage(): Usage;
  takeUsage(): Usage;
  /** Stops what runs in the background, here and below. @returns whether anything did */
  stop(reason: ToolError): boolean;
  /** Resolves when what was told to stop has ended. */
  settled(): Promise<void>;
  /** Stops everything, for good. */
  close(): void;
}

/** The turn, or the call of its own, that something is asked in. */
export interface TeamScope {
  readonly turnId: string;
  readonly registry: Registry;
  readonly masker: Pick<Masker, "maskJson">;
  readonly authority: Authority;
  /** Whom questions go to: those of a subordinate, too. */
  readonly audience: Audience;
  readonly taint: Taint;
  /** What a subordinate may do at most. */
  limitsBelow(): ToolLimits;
  readonly control: Pick<Control, "hand" | "paused"> | undefined;
  /** The background call that it happens in. */
  readonly background: string | undefined;
  roundsLeft(): number | undefined;
  openJob(id: string, signal: AbortSignal): JobRun;
}

/** What {@link createTeam} takes. */
export interface TeamOptions extends SubordinatesOptions {
  readonly memory: SubordinatesOptions["memory"] & JobMemory;
  /** @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED */
  requireProfile(id: string): void;
}

export function createTeam(options: TeamOptions): Team {
  const { agent, depth, memory, requireProfile } = options;
  const subordinates = createSubordinates(options);
  const jobs = createJobs(memory);
  let stopping = false;

  const serve: Team["serve"] = ({ id, tool, signal }, scope) => {
    const { turnId, registry, masker, authority, control, taint, background } = scope;
    const { view } = registry;
    return {
      delegate: async (task) =>
        await subordinates.delegate(task, {
          signal,
          background,
          profile: view.profile.id,
          call: background ?? id,
          askedBy: turnId,
          limits: scope.limitsBelow(),
          audience: scope.audience,
          taint,
          paused: () => control?.paused ?? false,
          handUp: (message) => control?.hand(message),
          roundsLeft: scope.roundsLeft(),
          maxDepth: numberSetting(view.settings, "agent.maxDepth", 3),
          profiles: view.profiles.map((profile) => profile.id),
          requireProfile,
        }),
      jobs: () => ({
        async start(calls) {
          if (background !== undefined) throw nested(background);
          return await jobs.start(calls, {
            check: async (given) => await checkJobRequests(given, { registry, masker, authority, starter: tool }),
            open: scope.openJob,
          });
        },
        list: () => jobs.list(taint),
        wait: async (ids, options = {}) => await jobs.wait(ids, { ...options, signal, taint }),
        cancel: async (ids) => await jobs.cancel(ids, taint),
      }),
    };
  };

  const stop = (reason: ToolError): boolean => {
    const stopped = jobs.stop(reason);
    stopping ||= stopped;
    return subordinates.stop(reason) || stopped;
  };
  return {
    agent,
    depth,
    serve,
    intervene: subordinates.intervene,
    hold(paused) {
      subordinates.hold(paused);
      jobs.hold(paused);
    },
    usage: subordinates.usage,
    takeUsage: subordinates.takeUsage,
    stop,
    async settled() {
      if (stopping) await jobs.settled();
      stopping = false;
      await subordinates.settled();
    },
    close() {
      jobs.close(new ToolError("STOPPED", "the agent was closed"));
      subordinates.close();
    },
  };
}

/** The work of others is not what the tool prints that asks them. */
export function outside(guard: Pick<ProcessGuard, "leave"> | undefined, others: Others): Others {
  if (!guard) return others;
  return {
    delegate: (task) => guard.leave(() => others.delegate(task)),
    jobs() {
      const { start, list, wait, cancel } = others.jobs();
      return {
        start: (calls) => guard.leave(() => start(calls)),
        list,
        wait: (ids, options) => guard.leave(() => wait(ids, options)),
        cancel: (ids) => guard.leave(() => cancel(ids)),
      };
    },
  };
}

/** Who waits for others needs no place among the calls that run: they need theirs. */
export function withoutPlace(others: Others, aside: <T>(work: () => Promise<T>) => Promise<T>): Others {
  return {
    delegate: async (task) => await aside(async () => await others.delegate(task)),
    jobs() {
      const jobs = others.jobs();
      return { ...jobs, wait: async (ids, options) => await aside(async () => await jobs.wait(ids, options)) };
    },
  };
}

function nested(background: string): ToolError {
  const message = `expected a call of the conversation, found one in the background (${background}): it starts no others there`;
  return new ToolError("DENIED_BY_POLICY", message, { hint: "Make the calls one after the other." });
}
