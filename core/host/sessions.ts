import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createHistory } from "../agent/history.ts";
import { placeOf } from "../agent/session-files.ts";
import { createSession, type ResumedSession, resumeSession, type Session, spillInto } from "../agent/session-open.ts";
import { createSessions, type Sessions } from "../agent/sessions.ts";
import { createSpills, type OpenSpill, removeOldSpills, type Spills } from "../agent/spills.ts";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import { createSeenFiles, type SeenFiles } from "../governance/seen-files.ts";

/** Where large outputs go, as dispatch takes it. */
export interface CallSpills {
  /** @returns the path as file tools take it */
  spill(name: string, text: string): Promise<string>;
  /**
   * A file for a text that is not whole yet, with its path as file tools take it.
   * @param name without `.txt` @returns undefined where it cannot be kept, which is reported
   */
  open(name: string): OpenSpill | undefined;
  /** Real paths that file tools may read. */
  readable(): readonly string[];
}

/** The memory of an agent; `spills` and `seen` are for its calls. */
export interface AgentSession extends Pick<Session, "id" | "history" | "close"> {
  readonly spills: CallSpills;
  readonly seen: SeenFiles;
}

/** Which session an agent is asked to have: `none` (kept in memory), `new`, `latest`, or an id. */
export interface SessionChoice {
  readonly session?: string | undefined;
  /** Of a session that goes on, it must be the session's own. */
  readonly profile?: string | undefined;
}

/** The session of a subordinate: below that of the agent that asked for it. */
export interface SubordinateSession {
  readonly id: string;
  readonly parent: string;
  /** How that agent names this one. */
  readonly agent: string;
  readonly depth: number;
}

/** The sessions of one host. */
export interface HostSessions {
  readonly store: Sessions;
  /**
   * The session that is to go on; undefined where a new one or none is asked for.
   * @throws HostError SESSION_UNKNOWN, SESSION_PROFILE (usage), SESSION_BUSY, SESSION_UNREADABLE
   */
  find(choice: SessionChoice): Promise<ResumedSession | undefined>;
  /** A new one, written down where `keep` says so. */
  begin(facts: { keep: boolean; profile: string; model: string; subordinate?: SubordinateSession }): AgentSession;
  /** The same with the paths that its calls are told. */
  forCalls(session: Session): AgentSession;
  /** What was kept in a session that nobody has. */
  left(id: string): Pick<CallSpills, "readable">;
  /** For a call without an agent. */
  callSpills(callId: string): CallSpills;
  /** Gives all of them back. */
  close(): void;
}

/** What {@link createHostSessions} takes. */
export interface HostSessionsOptions {
  readonly root: string;
  /** The host's state directory. */
  readonly state: string;
  readonly masker: Masker;
  /** How a file is named in messages. */
  display(file: string): string;
  /** How a file is named to tools. */
  toolPath(file: string): string;
  report(item: Diagnostic): void;
}

/** What is written goes below `<state>/sessions/<id>`; what belongs to no session below `<state>/spill/`. */
export function createHostSessions(options: HostSessionsOptions): HostSessions {
  const { state, root, masker, toolPath } = options;
  const setting = { ...options, directory: join(state, "sessions") };
  const store = maskedStore(createSessions(setting), masker);
  const open = new Set<Session>();
  const loose = join(state, "spill");
  let swept = false;

  const callSpillsOf = ({ keep, open: begin, readable }: Spills): CallSpills => ({
    spill: async (name, text) => toolPath(keep(name, text)),
    open(name) {
      try {
        const { path, ...file } = begin(safeName(name));
        return { ...file, path: toolPath(path) };
      } catch (error) {
        const message = `a large output could not be kept in a file: ${error instanceof Error ? error.message : String(error)}`;
        options.report(diagnostic("SPILL_FAILED", { message, hint: "Make the host's state directory writable." }));
        return undefined;
      }
    },
    readable,
  });
  const looseSpills = (id: string, readable?: string): Spills => {
    const spills = createSpills({ directory: join(loose, id), ...(readable === undefined ? {} : { readable }) });
    const sweep = (): void => {
      if (!swept) removeOldSpills(loose);
      swept = true;
    };
    return {
      ...spills,
      keep(name, text) {
        sweep();
        return spills.keep(name, text);
      },
      open(name) {
        sweep();
        return spills.open(name);
      },
    };
  };
  const forCalls = (session: Session): AgentSession => {
    open.add(session);
    const { id, history, spills } = session;
    const close = (): void => {
      open.delete(session);
      session.close();
    };
    return { id, history, spills: callSpillsOf(spills), seen: createSeenFiles(), close };
  };

  return {
    store,
    forCalls,
    async find({ session = "none", profile }) {
      if (session === "none" || session === "new") return undefined;
      const id = session === "latest" ? await latest(store, profile) : session;
      const resumed = await resumeSession(setting, id);
      if (profile === undefined || resumed.profile === undefined || resumed.profile === profile) return resumed;
      resumed.close();
      const message = `the session ${id} is one of profile ${resumed.profile}, not of ${profile}`;
      throw hostError(diagnostic("SESSION_PROFILE", { message, hint: "Name no profile, or begin anew." }), "usage");
    },
    begin({ keep, profile, model, subordinate }) {
      if (keep) return forCalls(createSession(setting, { profile, model, root, ...subordinate }));
      const id = subordinate?.id ?? randomUUID();
      // The names of subordinates repeat from one conversation to the next.
      const spills = looseSpills(subordinate === undefined ? id : `${subordinate.parent}-${subordinate.agent}`);
      const history = createHistory({ masker, spill: spillInto(spills, setting) });
      return { id, history, spills: callSpillsOf(spills), seen: createSeenFiles(), close() {} };
    },
    left: (id) => createSpills({ directory: placeOf(setting.directory, id).spill }),
    callSpills(callId) {
      // Few calls spill: what that takes is made when one does.
      let made: CallSpills | undefined;
      const own = (): CallSpills => {
        // A person who calls tools one by one reads with the next call what the one before has spilled.
        made ??= callSpillsOf(looseSpills(callId, loose));
        return made;
      };
      return {
        spill: (name, text) => own().spill(name, text),
        open: (name) => own().open(name),
        readable: () => own().readable(),
      };
    },
    close() {
      for (const session of open) session.close();
      open.clear();
    },
  };
}

/** Ids of calls come from outside. */
function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, "_").slice(-80);
}

/** What was written down before a value became a secret holds it as it was. */
function maskedStore(store: Sessions, masker: Masker): Sessions {
  return {
    ...store,
    list: async () => masker.maskJson(await store.list()),
    show: async (id) => masker.maskJson(await store.show(id)),
  };
}

/** The one that was last used. Those of subordinates go on with their parents. */
async function latest(store: Sessions, profile: string | undefined): Promise<string> {
  const own = (await store.list()).filter((info) => info.parent === null);
  const found = own.find((info) => profile === undefined || info.profile === profile);
  if (found) return found.id;
  const message = `there is no session to go on with${profile === undefined ? "" : ` of profile ${profile}`}`;
  throw hostError(diagnostic("SESSION_UNKNOWN", { message, hint: "Begin a new one." }), "usage");
}
