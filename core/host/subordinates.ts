import type { History } from "../agent/history.ts";
import { subordinateSessionId } from "../agent/session-files.ts";
import type { TurnOutcome } from "../agent/turn-options.ts";
import { addUsage, usageSince } from "../agent/usage.ts";
import type { DelegatedAnswer, DelegatedTask } from "../sdk/delegation.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Usage } from "../sdk/events.ts";
import type { Member, MemberChoice, TaskTerms } from "./member.ts";
import type { SubordinateSession } from "./sessions.ts";
import { asToolError, unknownContext } from "./subordinate-errors.ts";

/** What the subordinates of one agent are made with. */
export interface SubordinatesOptions {
  /** How its own superior names the agent; undefined for the one that a person talks to. */
  readonly agent: string | undefined;
  readonly depth: number;
  /** Of the agent itself. */
  readonly session: string;
  readonly memory: Pick<History, "noteSubordinate" | "subordinates">;
  /** @throws HostError whatever keeps an agent from being made */
  make(choice: MemberChoice): Promise<Member>;
}

/** The call that asks, and what it may give. */
export interface AskScope extends Omit<TaskTerms, "background" | "rounds"> {
  /** The asking agent's own. */
  readonly profile: string;
  /** The call or the job. */
  readonly call: string | undefined;
  readonly background: string | undefined;
  readonly roundsLeft: number | undefined;
  readonly maxDepth: number;
  /** Of the profiles that there are. */
  readonly profiles: readonly string[];
  /** @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED */
  requireProfile(id: string): void;
}

/** The subordinates of one agent. */
export interface Subordinates {
  delegate(task: DelegatedTask, scope: AskScope): Promise<DelegatedAnswer>;
  /**
   * Says something to the one that works while its superior waits. `late`: it does not listen any more, and its superior
   * has not gone on yet. `none`: there is none.
   */
  intervene(message: string): "taken" | "late" | "none";
  hold(paused: boolean): void;
  /** Stops what they have running in the background; the work itself is stopped by its signal. @returns whether anything was */
  stop(reason: ToolError): boolean;
  /** What they have used that nobody has taken yet. */
  usage(): Usage;
  takeUsage(): Usage;
  /** Resolves when those that were told to stop have ended. */
  settled(): Promise<void>;
  /** Closes those that are idle at once, the others when they have ended. */
  close(): void;
}

interface Entry {
  readonly id: string;
  readonly profile: string;
  member: Member | undefined;
  /** Another has taken its place. */
  over: boolean;
  busy: boolean;
}

interface Work {
  readonly entry: Entry;
  readonly signal: AbortSignal;
  readonly background: boolean;
  /** What was said before it had begun; absent afterwards. */
  early: string[] | undefined;
  end: Promise<unknown> | undefined;
}

export function createSubordinates(options: SubordinatesOptions): Subordinates {
  const { agent, depth, session, memory, make } = options;
  const entries = new Map<string, Entry>();
  for (const { id, profile, over = false } of memory.subordinates.values()) {
    entries.set(id, { id, profile, member: undefined, over, busy: false });
  }
  const inBackground = new Map<string, number>();
  const works: Work[] = [];
  let used: Usage = {};
  let closed = false;

  /** The same in every replay: background calls begin in any order, so each counts for itself. */
  const nextId = (background: string | undefined): string => {
    const place = agent === undefined ? "sub-" : `${agent}.`;
    if (background === undefined) {
      const own = [...entries.keys()].filter((id) => /^\d+$/u.test(id.slice(place.length)));
      return `${place}${own.length + 1}`;
    }
    const count = (inBackground.get(background) ?? 0) + 1;
    inBackground.set(background, count);
    return `${place}${background}${count === 1 ? "" : `-${count}`}`;
  };

  /** The entry that is to work, and the one that it replaces. @throws ToolError NOT_FOUND, CONFLICT, INVALID_PARAM */
  const choose = ({ contextId, profile, reset = false }: DelegatedTask, scope: AskScope): Chosen => {
    const fresh = (of: string): Entry => {
      const id = nextId(scope.background);
      const entry = { id, profile: of, member: undefined, over: false, busy: false };
      entries.set(id, entry);
      return entry;
    };
    if (contextId === undefined) return { entry: fresh(profile ?? scope.profile), isNew: true };
    const known = entries.get(contextId);
    if (!known || known.over) throw unknownContext(contextId, [...entries.values()]);
    if (known.busy) {
      const message = `the subordinate ${contextId} is at work`;
      throw new ToolError("CONFLICT", message, { hint: "Wait for its answer, or ask another one." });
    }
    if (reset) return { entry: fresh(profile ?? known.profile), isNew: true, replaces: known };
    if (profile === undefined || profile === known.profile) return { entry: known, isNew: false };
    throw new ToolError("INVALID_PARAM", `${contextId} has the profile ${known.profile}, found ${profile}`, {
      pointer: "/profile",
      hint: "Leave the profile out to go on with it. With reset a new one of another profile takes its place.",
    });
  };

  const work = async (own: Work, { isNew, replaces }: Chosen, ask: Ask): Promise<TurnOutcome> => {
    const { entry } = own;
    const { task, scope } = ask;
    const { id, profile } = entry;
    const place: SubordinateSession = {
      id: subordinateSessionId(session, id),
      parent: session,
      agent: id,
      depth: depth + 1,
    };
    entry.member ??= await make({ profile, session: place, resume: !isNew });
    if (closed) throw new ToolError("STOPPED", "the agent is closed");
    if (replaces) {
      replaces.over = true;
      replaces.member?.close();
    }
    memory.noteSubordinate({
      id,
      profile,
      session: place.id,
      ...(scope.call === undefined ? {} : { call: scope.call }),
      ...(replaces ? { replaces: replaces.id } : {}),
    });
    const { roundsLeft = Number.POSITIVE_INFINITY } = scope;
    const rounds = Math.min(task.maxIterations ?? Number.POSITIVE_INFINITY, roundsLeft);
    const { member } = entry;
    const before = member.usage();
    const outcome = member.work(task.message, {
      ...scope,
      rounds: Number.isFinite(rounds) ? Math.max(1, rounds) : undefined,
    });
    for (const message of own.early?.splice(0) ?? []) if (!member.intervene(message)) scope.handUp(message);
    own.early = undefined;
    try {
      return await outcome;
    } finally {
      used = addUsage(used, usageSince(before, member.usage()));
    }
  };

  return {
    async delegate(task, scope) {
      if (depth + 1 > scope.maxDepth) {
        const message = `a subordinate here would be at depth ${depth + 1}, the limit is ${scope.maxDepth} (setting agent.maxDepth)`;
        throw new ToolError("DENIED_BY_POLICY", message, { hint: "Do the work yourself." });
      }
      if (task.message.trim() === "") {
        throw new ToolError("INVALID_PARAM", "expected a task, found no words", { pointer: "/message" });
      }
      if (task.profile !== undefined) checkProfile(task.profile, scope);
      const chosen = choose(task, scope);
      const { entry } = chosen;
      entry.busy = true;
      const { signal, background } = scope;
      const own: Work = { entry, signal, background: background !== undefined, early: [], end: undefined };
      works.push(own);
      try {
        const end = work(own, chosen, { task, scope });
        own.end = end;
        return answerOf(entry, await end, signal);
      } catch (error) {
        // What could not even be made is no subordinate.
        if (chosen.isNew && !entry.member) entries.delete(entry.id);
        throw asToolError(error, entry);
      } finally {
        entry.busy = false;
        for (const message of own.early ?? []) scope.handUp(message);
        works.splice(works.indexOf(own), 1);
        if (closed) entry.member?.close();
      }
    },
    intervene(message) {
      const waited = works.findLast(({ background, signal }) => !background && !signal.aborted);
      if (!waited) return "none";
      if (waited.early) {
        waited.early.push(message);
        return "taken";
      }
      return waited.entry.member?.intervene(message) ? "taken" : "late";
    },
    hold(paused) {
      for (const { member } of entries.values()) member?.hold(paused);
    },
    stop(reason) {
      const stopped = [...entries.values()].map(({ member }) => member?.stop(reason) ?? false);
      return stopped.includes(true);
    },
    usage: () => used,
    takeUsage() {
      const taken = used;
      used = {};
      return taken;
    },
    async settled() {
      const ending = works.filter(({ signal }) => signal.aborted);
      await Promise.allSettled(ending.map(({ end }) => end));
    },
    close() {
      closed = true;
      for (const { member, busy } of entries.values()) if (!busy) member?.close();
    },
  };
}

interface Ask {
  readonly task: DelegatedTask;
  readonly scope: AskScope;
}

interface Chosen {
  readonly entry: Entry;
  readonly isNew: boolean;
  readonly replaces?: Entry;
}

/** @throws ToolError INVALID_PARAM */
function checkProfile(id: string, { requireProfile, profiles }: AskScope): void {
  try {
    requireProfile(id);
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^[A-Z_]+: /u, "") : String(error);
    throw new ToolError("INVALID_PARAM", message, {
      pointer: "/profile",
      hint: `Profiles that there are: ${profiles.join(", ")}.`,
    });
  }
}

/** @throws ToolError what stopped it */
function answerOf({ id, profile }: Entry, outcome: TurnOutcome, signal: AbortSignal): DelegatedAnswer {
  const { answer, stopped, calls, usage } = outcome;
  if (stopped === "aborted") {
    throw signal.aborted ? signal.reason : new ToolError("STOPPED", `the subordinate ${id} was stopped`);
  }
  return { contextId: id, profile, answer, ...(stopped ? { stopped } : {}), calls: calls.length, usage };
}
