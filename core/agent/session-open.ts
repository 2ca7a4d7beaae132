import { truncate, writeFile } from "node:fs/promises";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import { type ProcessLock, takeLock } from "../governance/process-lock.ts";
import type { ModelToolCall } from "../model/model.ts";
import { createHistory, type History } from "./history.ts";
import { emptyState, type HistoryState } from "./history-items.ts";
import { applyRecord } from "./history-state.ts";
import { newSessionId, placeOf, type SessionPlace } from "./session-files.ts";
import { takeSession } from "./session-lock.ts";
import { requireSession } from "./sessions.ts";
import { createSpills, type Spills } from "./spills.ts";
import { openTranscript, type Transcript } from "./transcript.ts";
import { type RecordBody, type SessionRecord, TRANSCRIPT_VERSION } from "./transcript-records.ts";
import { scanTranscript, type TranscriptScan } from "./transcript-scan.ts";

/** A conversation that is written down, in the hands of this process. */
export interface Session {
  readonly id: string;
  readonly history: History;
  readonly spills: Spills;
  /** Lets others have it. */
  close(): void;
}

/** A session that an earlier process left. */
export interface ResumedSession extends Session {
  /** Undefined where the first line of the transcript is damaged. */
  readonly profile: string | undefined;
  /** The session whose agent asked for this one. */
  readonly parent: string | undefined;
  /** The last turn had not ended. */
  readonly interrupted: boolean;
  /** Calls, background ones included, that had begun and of which nobody knows what became. The history says so already. */
  readonly uncertain: readonly ModelToolCall[];
  /** Notes in the transcript that somebody goes on with it. */
  goOn(model: string): void;
}

/** What sessions are opened with. */
export interface SessionSetting {
  /** Of all sessions, absolute; made when it is needed. */
  readonly directory: string;
  readonly masker: Pick<Masker, "maskJson">;
  /** How a file is named in messages. */
  display(file: string): string;
  /** How a spilled text is named to a model: as file tools take it. */
  toolPath(file: string): string;
  report(item: Diagnostic): void;
}

/** Every fault of a transcript is told, but a file of other content would drown everything else. */
const MAX_DAMAGE_REPORTS = 20;

/**
 * A new session. Nothing is written before something is said in it, so that nobody finds empty ones.
 * @param header without an `id` it is given one
 */
export function createSession(
  setting: SessionSetting,
  { id = newSessionId(new Date()), ...header }: Omit<SessionRecord, "type" | "id"> & { readonly id?: string },
): Session {
  const place = placeOf(setting.directory, id);
  let lock: ProcessLock | undefined;
  let transcript: Transcript | "over" | undefined;
  const close = (): void => {
    if (typeof transcript === "object") transcript.close();
    transcript = "over";
    lock?.release();
    lock = undefined;
  };
  const fail = (error: unknown): undefined => {
    reportUnwritable(setting, place, error);
    close();
    return undefined;
  };
  const begin = (): Transcript | undefined => {
    if (transcript !== undefined) return transcript === "over" ? undefined : transcript;
    try {
      const taken = takeLock(place.directory);
      if ("holder" in taken) throw new Error(`process ${taken.holder.pid} has it`);
      lock = taken;
      transcript = openTranscript({ file: place.transcript, as: "new", fail });
      transcript.append({ type: "session", id, ...header });
      return transcript;
    } catch (error) {
      return fail(error);
    }
  };
  const spills = createSpills({ directory: place.spill });
  return {
    id,
    spills,
    history: createHistory({
      masker: setting.masker,
      transcript: {
        append: (record) => begin()?.append(record),
        sync: async () => {
          if (typeof transcript === "object") await transcript.sync();
        },
      },
      spill: spillInto(spills, setting),
    }),
    close,
  };
}

/**
 * Opens a session that an earlier process left. What that could not finish is mended: a last line that was cut short is
 * removed, a damaged one is passed over, a call without a result gets one that says what is known of it.
 *
 * @throws HostError SESSION_UNKNOWN (usage), SESSION_BUSY, SESSION_UNREADABLE
 */
export async function resumeSession(setting: SessionSetting, id: string): Promise<ResumedSession> {
  requireSession(setting.directory, id);
  const place = placeOf(setting.directory, id);
  const lock = await takeSession(place.directory, { id, display: setting.display });
  try {
    const { state, header, scan } = await readSession(setting, place);
    await repair(setting, place, scan);
    const fail = (error: unknown): void => reportUnwritable(setting, place, error);
    const transcript = openTranscript({ file: place.transcript, as: "old", fail });
    const spills = createSpills({ directory: place.spill });
    const spill = spillInto(spills, setting);
    const history = createHistory({ masker: setting.masker, state, transcript, spill });
    const interrupted = state.inTurn;
    return {
      id,
      history,
      spills,
      profile: header?.profile,
      parent: header?.parent,
      interrupted,
      uncertain: [...history.settleOpenCalls(), ...history.settleOpenJobs()],
      goOn: (model) => transcript.append({ type: "resumed", model, interrupted }),
      close() {
        transcript.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A place for whole texts, as a history wants it. */
export function spillInto(
  spills: Spills,
  { toolPath, report }: Pick<SessionSetting, "toolPath" | "report">,
): (name: string, text: string) => string | undefined {
  return (name, text) => {
    try {
      return toolPath(spills.keep(name, text));
    } catch (error) {
      const message = `a large output could not be kept in a file: ${wordsOf(error)}`;
      report(diagnostic("SPILL_FAILED", { message, hint: "Make the host's state directory writable." }));
      return undefined;
    }
  };
}

async function readSession(
  { display, masker }: SessionSetting,
  { transcript }: SessionPlace,
): Promise<{ state: HistoryState; header: SessionRecord | undefined; scan: TranscriptScan }> {
  const state = emptyState();
  let header: SessionRecord | undefined;
  let newest = 0;
  let records = 0;
  const scan = await scanTranscript(transcript, (record) => {
    records++;
    newest = Math.max(newest, record.v);
    if (record.type === "session") header ??= record;
    // What was written down before a value became a secret holds it as it was.
    if (record.v <= TRANSCRIPT_VERSION) applyRecord(state, masker.maskJson(record) satisfies RecordBody);
  });
  if (records > 0 && newest <= TRANSCRIPT_VERSION) return { state, header, scan };
  const found = records === 0 ? "none" : `records of version ${newest}`;
  throw hostError(
    diagnostic("SESSION_UNREADABLE", {
      file: display(transcript),
      message: `expected the records of a session up to version ${TRANSCRIPT_VERSION}, found ${found}`,
      hint: records === 0 ? "Delete the session." : "It was written by a later version: use that one.",
    }),
  );
}

/** Brings the end of the file to the end of a record, and tells what is wrong. */
async function repair(setting: SessionSetting, { transcript }: SessionPlace, scan: TranscriptScan): Promise<void> {
  const file = setting.display(transcript);
  for (const { line, fault } of scan.damaged.slice(0, MAX_DAMAGE_REPORTS)) {
    const message = `expected a record, found a line that could not be read: ${fault}`;
    setting.report(diagnostic("SESSION_DAMAGED", { file, line, message, hint: "It was passed over." }));
  }
  if (scan.open) await writeFile(transcript, "\n", { flag: "a" });
  if (scan.torn === 0) return;
  await truncate(transcript, scan.size - scan.torn);
  const message = `the last line had no end: ${scan.torn} bytes were removed`;
  setting.report(diagnostic("SESSION_REPAIRED", { file, message, hint: "What was before them is whole." }));
}

function reportUnwritable({ report, display }: SessionSetting, { transcript }: SessionPlace, error: unknown): void {
  const file = display(transcript);
  const message = `the session cannot be written any more: ${wordsOf(error)}`;
  report(diagnostic("SESSION_UNWRITABLE", { file, message, hint: "Make room, or make the directory writable." }));
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
