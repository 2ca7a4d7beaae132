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
  /** Removes a transcript with all that belongs to it. @throws HostError SESSION_UNKNOWN (usage), SESSION_BUSY */
  delete(id: string): Promise<void>;
}

/** What {@link createSessions} takes. */
export interface SessionsOptions {
  /** Absolute; it need not exist. */
  readonly directory: string;
  /** How a file is named in messages. */
  display(file: string): string;
}

export function createSessions({ directory, display }: SessionsOptions): Sessions {
  return {
    async list() {
      const ids = await sessionIds(directory);
      const infos = await Promise.all(ids.map(async (id) => await infoOf(directory, id)));
      return infos
        .filter((info) => info !== undefined)
        .sort((a, b) => compareText(b.updated, a.updated) || compareText(b.id, a.id));
    },
    async show(id) {
      requireSession(directory, id);
      const records: TranscriptRecord[] = [];
      const { damaged, torn } = await scanTranscript(placeOf(directory, id).transcript, (record) =>
        records.push(record),
      );
      const last = torn > 0 ? [{ line: records.length + damaged.length + 1, fault: "it is cut short" }] : [];
      return { ...(await readSessionInfo(directory, id)), records, damaged: [...damaged, ...last] };
    },
    async delete(id) {
      requireSession(directory, id);
      const place = placeOf(directory, id);
      // Its lock goes with the directory.
      await takeSession(place.directory, { id, display });
      await rm(place.transcript, { force: true });
      await rm(place.directory, { recursive: true, force: true });
    },
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
