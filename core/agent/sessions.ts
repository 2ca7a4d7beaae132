import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { compareText, diagnostic, hostError } from "../diagnostics.ts";
import { isSessionId, placeOf, readSessionInfo, type SessionInfo, sessionIds } from "./session-files.ts";
import { takeSession } from "./session-lock.ts";
import type { TranscriptRecord } from "./transcript-records.ts";
import { type DamagedLine, scanTranscript } from "./transcript-scan.ts";

export type { SessionInfo } from "./session-files.ts";

/** A session with all of its records. */
export interface ShownSession extends SessionInfo {
  readonly records: readonly TranscriptRecord[];
  /** Lines that could not be read; the last one may be in the making where the session runs. */
  readonly damaged: readonly DamagedLine[];
}

/** The sessions of a root. Nothing here needs a running agent, and nothing but `delete` changes anything. */
export interface Sessions {
  /** Last used first. */
  list(): Promise<readonly SessionInfo[]>;
  /** @throws HostError SESSION_UNKNOWN (usage) */
  show(id: string): Promise<ShownSession>;
  /** Removes a transcript with all that belongs to it, the sessions that its agent asked for included. @throws HostError SESSION_UNKNOWN (usage), SESSION_BUSY */
  delete(id: string): Promise<void>;
}

/** What {@link createSessions} takes. */
export interface SessionsOptions {
  /** Absolute; it need not exist. */
  readonly directory: string;
  /** How a file is named in messages. */
  display(file: string): string;
}

/** So many transcripts are looked at at once. */
const BATCH = 32;

export function createSessions({ directory, display }: SessionsOptions): Sessions {
  const list = async (): Promise<readonly SessionInfo[]> => {
    const ids = await sessionIds(directory);
    const infos: (SessionInfo | undefined)[] = [];
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH).map(async (id) => await infoOf(directory, id));
      infos.push(...(await Promise.all(batch)));
    }
    return infos
      .filter((info) => info !== undefined)
      .sort((a, b) => compareText(b.updated, a.updated) || compareText(b.id, a.id));
  };
  /** @param going those whose removal is under way: a transcript may claim anything of its parent */
  const remove = async (id: string, going: ReadonlySet<string>): Promise<void> => {
    requireSession(directory, id);
    const place = placeOf(directory, id);
    const lock = await takeSession(place.directory, { id, display });
    const all = new Set([...going, id]);
    try {
      for (const child of await list()) {
        if (child.parent === id && !all.has(child.id)) await remove(child.id, all);
      }
      await rm(place.transcript, { force: true });
      await rm(place.directory, { recursive: true, force: true });
    } finally {
      lock.release();
    }
  };
  return {
    list,
    async show(id) {
      requireSession(directory, id);
      const records: TranscriptRecord[] = [];
      const { damaged, torn } = await scanTranscript(placeOf(directory, id).transcript, (record) =>
        records.push(record),
      );
      const last = torn > 0 ? [{ line: records.length + damaged.length + 1, fault: "it is cut short" }] : [];
      return { ...(await readSessionInfo(directory, id)), records, damaged: [...damaged, ...last] };
    },
    delete: async (id) => await remove(id, new Set()),
  };
}

/** @throws HostError SESSION_UNKNOWN (usage) */
export function requireSession(directory: string, id: string): void {
  if (isSessionId(id) && existsSync(placeOf(directory, id).transcript)) return;
  const message = `there is no session ${JSON.stringify(id)}`;
  throw hostError(diagnostic("SESSION_UNKNOWN", { message, hint: "`sessions list` shows those there are." }), "usage");
}

/** Undefined where it was deleted meanwhile. */
async function infoOf(directory: string, id: string): Promise<SessionInfo | undefined> {
  return await readSessionInfo(directory, id).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
